import DaybookEssentials

/// The days, weeks, months and years that sections are made of.
///
/// A period is its *key*, a number in the order of time; its name follows from it. Weeks are those
/// of ISO 8601: from Monday to Sunday, in the year that has their Thursday.
///
/// Dates 2⁶² seconds (146 thousand million years) or more from 2001 count as infinitely far: all
/// before are one period named `-Infinity`, all after one named `Infinity`. NaN is last.
package enum DatePeriod: Hashable, Sendable, CaseIterable {
  case day, week, month, year

  /// The key of dates infinitely far in the past.
  package static let pastKey = Int64.min
  /// The key of dates infinitely far in the future.
  package static let futureKey = Int64.max - 1
  /// The key of dates that are no numbers.
  package static let nanKey = Int64.max

  /// The key of the period that a date lies in, where clocks show so many minutes more than UTC.
  package func key(of date: Date, offsetMinutes: Int = 0) -> Int64 {
    precondition(abs(offsetMinutes) < 1440, "an offset of \(offsetMinutes) minutes")
    return key(of: date) { _ in offsetMinutes * 60 }
  }

  /// The key of the period that a date lies in, where a closure says how many seconds more than UTC
  /// clocks show at a date, which is at a whole second.
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

  /// The name of a period: `2015-10-27`, `2015-W44`, `2015-10` or `2015`.
  package func name(ofKey key: Int64) -> String {
    switch key {
    case Self.nanKey: return "NaN"
    case Self.futureKey: return "Infinity"
    case Self.pastKey: return "-Infinity"
    default: break
    }
    precondition(key.magnitude < 1 << 56, "no date lies in the \(self) \(key)")
    var text = ShortText()
    switch self {
    case .day: DateText.append(CivilDay(daysSince1970: key), to: &text)
    case .week:
      let thursday = DatePeriod.thursday(ofWeek: key)
      let year = CivilDay(daysSince1970: thursday).year
      let newYear = CivilDay(year: year, month: 1, day: 1).daysSince1970
      DateText.appendYear(year, to: &text)
      text.append("-")
      text.append("W")
      text.append(twoDigits: Int(thursday - newYear) / 7 + 1)
    case .month:
      let (year, month) = key.flooringDivision(by: 12)
      DateText.appendYear(year, to: &text)
      text.append("-")
      text.append(twoDigits: Int(month) + 1)
    case .year: DateText.appendYear(key, to: &text)
    }
    return text.string
  }

  /// The first of January 1970 was a Thursday, so the week 0 began three days before it.
  private static func week(ofDay days: Int64) -> Int64 {
    (days + 3).flooringDivision(by: 7).quotient
  }

  private static func thursday(ofWeek week: Int64) -> Int64 { week * 7 }
}
