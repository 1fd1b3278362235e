import DaybookEssentials

/// A day of the proleptic Gregorian calendar: the calendar of ISO 8601, with the same rules for all
/// years in both directions.
///
/// Days are counted from 1970-01-01, and year 0 precedes year 1. The arithmetic divides time into
/// eras of 400 years, because every era has 146,097 days. The arithmetic counts years from March 1,
/// so that the leap day is the last day of a year. Then every five consecutive months from March on
/// have 153 days.
package struct CivilDay: Hashable, Sendable {
  package let year: Int64
  /// The month, from 1 to 12.
  package let month: Int
  /// The day of the month, from 1.
  package let day: Int

  /// The number of days from 0000-03-01 to 1970-01-01.
  static let daysBefore1970 = 719_468
  static let daysOfEra = 146_097

  /// Creates a day. It traps if the calendar has no such day.
  package init(year: Int64, month: Int, day: Int) {
    precondition((1...12).contains(month), "month \(month)")
    precondition(
      (1...CivilDay.dayCount(year: year, month: month)).contains(day), "\(year)-\(month)-\(day)")
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the day that is a number of days after 1970-01-01.
  package init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = (days + Int64(CivilDay.daysBefore1970))
      .flooringDivision(by: Int64(CivilDay.daysOfEra))
    self.init(era: era, dayOfEra: UInt32(truncatingIfNeeded: dayOfEra))
  }

  @inline(__always)
  private init(era: Int64, dayOfEra: UInt32) {
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    year = era * 400 + Int64(yearOfEra) + (month <= 2 ? 1 : 0)
  }

  /// Creates the day with an index in the era that starts on 0000-03-01.
  init(dayOfFirstEra: Int) {
    precondition((0..<CivilDay.daysOfEra).contains(dayOfFirstEra), "day \(dayOfFirstEra)")
    self.init(era: 0, dayOfEra: UInt32(dayOfFirstEra))
  }

  /// The number of days from 1970-01-01 to this day.
  package var daysSince1970: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooringDivision(by: 400)
    let dayOfEra = CivilDay.dayOfEra(yearFromMarch: Int(yearOfEra), month: month, day: day)
    return era * Int64(CivilDay.daysOfEra) + Int64(dayOfEra - CivilDay.daysBefore1970)
  }

  /// Returns the index of a day in its era. The year is the index in the era of a year that starts
  /// on March 1.
  static func dayOfEra(yearFromMarch year: Int, month: Int, day: Int) -> Int {
    let monthFromMarch = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + dayOfYear
  }

  /// Returns whether a year has 366 days.
  package static func isLeap(_ year: Int64) -> Bool {
    year & 3 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// Returns the number of days in a month.
  package static func dayCount(year: Int64, month: Int) -> Int {
    if month == 2 { return isLeap(year) ? 29 : 28 }
    // Months have 31 and 30 days in alternation, but both July and August have 31. The term `month
    // >> 3` reverses the alternation from August on.
    return 30 + (month ^ month >> 3) & 1
  }
}

extension Int64 {
  /// Returns the quotient, rounded towards negative infinity, and the remainder, which is not
  /// negative if the divisor is positive.
  func flooringDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// A kind of period for sections by date: a day, a week, a month or a year.
///
/// A number identifies each period: its *key*, which increases with time. For example, the key of a
/// day is its distance from 1970-01-01 in days. The name of a period is computed from its key.
/// Weeks follow ISO 8601: a week starts on Monday, and belongs to the year that contains its
/// Thursday.
///
/// Dates with a distance from 2001 of 2⁶² seconds (146 thousand million years) or more count as
/// infinitely distant. All such dates in the past are in one period, named `-Infinity`. All such
/// dates in the future are in one period, named `Infinity`. The key of NaN is the highest, so NaN
/// is sorted last.
package enum DatePeriod: Hashable, Sendable, CaseIterable {
  case day, week, month, year

  /// The key of the infinitely distant dates in the past.
  package static let pastKey = Int64.min
  /// The key of the infinitely distant dates in the future.
  package static let futureKey = Int64.max - 1
  /// The key of a date that is not a number.
  package static let nanKey = Int64.max

  /// Returns the key of the period that contains a date, in a time zone with a constant offset from
  /// UTC in minutes.
  package func key(of date: Date, offsetMinutes: Int = 0) -> Int64 {
    precondition(abs(offsetMinutes) < 1440, "an offset of \(offsetMinutes) minutes")
    return key(of: date) { _ in offsetMinutes * 60 }
  }

  /// Returns the key of the period that contains a date.
  ///
  /// - Parameter secondsFromUTC: A closure that returns the offset of local time from UTC at a
  ///   date, in seconds. The date is rounded down to a whole second.
  package func key(of date: Date, secondsFromUTC: (Date) -> Int) -> Int64 {
    let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
    if seconds.isNaN { return Self.nanKey }
    guard seconds.magnitude < 0x1p62 else { return seconds < 0 ? Self.pastKey : Self.futureKey }
    let offset = secondsFromUTC(Date(timeIntervalSinceReferenceDate: seconds))
    precondition(abs(offset) < 86_400, "an offset of \(offset) seconds")
    let local = Int64(seconds) + DateText.secondsFrom1970To2001 + Int64(offset)
    let days = local.flooringDivision(by: 86_400).quotient
    switch self {
    case .day: return days
    case .week: return DatePeriod.week(ofDay: days)
    case .month:
      let civil = CivilDay(daysSince1970: days)
      return civil.year * 12 + Int64(civil.month - 1)
    case .year: return CivilDay(daysSince1970: days).year
    }
  }

  /// Returns the name of a period, for example `2015-10-27`, `2015-W44`, `2015-10` or `2015`.
  package func name(ofKey key: Int64) -> String {
    switch key {
    case Self.nanKey: return "NaN"
    case Self.futureKey: return "Infinity"
    case Self.pastKey: return "-Infinity"
    default: break
    }
    precondition(key.magnitude < 1 << 56, "no date is in the \(self) \(key)")
    var characters = ShortText()
    switch self {
    case .day: DateText.append(CivilDay(daysSince1970: key), to: &characters)
    case .week:
      let thursday = DatePeriod.thursday(ofWeek: key)
      let year = CivilDay(daysSince1970: thursday).year
      let newYear = CivilDay(year: year, month: 1, day: 1).daysSince1970
      DateText.appendYear(year, to: &characters)
      characters.append("-")
      characters.append("W")
      characters.append(twoDigits: Int(thursday - newYear) / 7 + 1)
    case .month:
      let (year, month) = key.flooringDivision(by: 12)
      DateText.appendYear(year, to: &characters)
      characters.append("-")
      characters.append(twoDigits: Int(month) + 1)
    case .year: DateText.appendYear(key, to: &characters)
    }
    return characters.string
  }

  /// Returns the week of a day. 1970-01-01 was a Thursday, so week 0 starts three days before it.
  private static func week(ofDay days: Int64) -> Int64 {
    (days + 3).flooringDivision(by: 7).quotient
  }

  private static func thursday(ofWeek week: Int64) -> Int64 { week * 7 }
}
