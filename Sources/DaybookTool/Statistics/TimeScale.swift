import DaybookJournal
import DaybookEssentials

/// A division of time into spans: equal spans up to days and weeks, or spans of months and years.
///
/// Each span has an index, which increases with time. A span starts at a round time in UTC, for
/// example at a full hour or on the first day of a year.
struct TimeScale: Hashable {
  /// The length of a span.
  private enum Unit: Hashable {
    /// A number of nanoseconds. The spans are counted from 1970.
    case nanoseconds(Int64)
    /// A number of days; spans of seven start on Mondays.
    case days(Int64)
    /// A number of months. The spans are counted from a January.
    case months(Int64)
  }

  private let unit: Unit

  /// The units, the shortest first.
  private static let units: [Unit] = {
    var units: [Unit] = []
    var power: Int64 = 1
    while power < 1_000_000_000 {
      units += [1, 2, 5].map { .nanoseconds($0 * power) }
      power *= 10
    }
    let seconds: [Int64] = [1, 2, 5, 10, 15, 30]
    units += seconds.map { .nanoseconds($0 * 1_000_000_000) }
    units += seconds.map { .nanoseconds($0 * 60_000_000_000) }
    units += [1, 2, 3, 6, 12].map { .nanoseconds($0 * 3_600_000_000_000) }
    units += [1, 2, 7].map { .days($0) }
    units += [1, 3, 6].map { .months($0) }
    return units + [1, 2, 5, 10, 20, 50, 100].map { .months($0 * 12) }
  }()

  /// Creates the scale with the shortest possible spans. The time from the first to the last
  /// argument must contain at most `spanCountMax` spans.
  init(from first: JournalTime, to last: JournalTime, spanCountMax: Int) {
    func isEnough(_ unit: Unit) -> Bool {
      let scale = TimeScale(unit)
      return Int128(scale.index(of: last)) - Int128(scale.index(of: first)) < spanCountMax
    }
    // The range of `JournalTime` is 585 years. So seven spans of 100 years are always enough.
    self.init(TimeScale.units.first(where: isEnough) ?? .months(1200))
  }

  private init(_ unit: Unit) { self.unit = unit }

  /// Returns the index of the span that contains a time.
  func index(of time: JournalTime) -> Int64 {
    let day = time.nanoseconds.flooredQuotient(by: TimeScale.dayNanoseconds)
    switch unit {
    case .nanoseconds(let count): return time.nanoseconds.flooredQuotient(by: count)
    case .days(let count): return (day + TimeScale.daysBefore(count)).flooredQuotient(by: count)
    case .months(let count):
      let date = TimeScale.date(ofDay: day)
      return Int64(date.year * 12 + date.month - 1).flooredQuotient(by: count)
    }
  }

  /// Returns the start time of a span. If it is before the earliest `JournalTime`, the result is
  /// the earliest one.
  func start(of index: Int64) -> JournalTime {
    let start: Int128 =
      switch unit {
      case .nanoseconds(let count): Int128(index) * Int128(count)
      case .days, .months:
        Int128(firstDay(of: index)) * Int128(TimeScale.dayNanoseconds)
      }
    return JournalTime(nanoseconds: Int64(clamping: start))
  }

  /// Returns the name of a span, which is its start, for example `2015-10-27T12:00:00Z`,
  /// `2015-10-27`, `2015-10` or `2015`.
  func name(of index: Int64) -> String {
    guard case .months(let count) = unit else {
      guard case .days = unit else { return "\(start(of: index))" }
      return TimeScale.name(ofDay: firstDay(of: index), partCount: 3)
    }
    return TimeScale.name(ofDay: firstDay(of: index), partCount: count % 12 == 0 ? 1 : 2)
  }

  /// Returns the first day of a span, counted in days from the start of 1970.
  private func firstDay(of index: Int64) -> Int64 {
    switch unit {
    case .days(let count): return index * count - TimeScale.daysBefore(count)
    case .months(let count):
      let month = index * count
      let year = month.flooredQuotient(by: 12)
      let parts = DateComponents(year: Int(year), month: Int(month - year * 12) + 1, day: 1)
      guard let date = TimeScale.calendar.date(from: parts) else {
        preconditionFailure("month \(month) has no first day")
      }
      return Int64(date.timeIntervalSince1970 / 86_400)
    case .nanoseconds: preconditionFailure("a span of nanoseconds has no first day")
    }
  }

  private static let calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()

  /// Returns the date of a day, which is counted from the start of 1970.
  static func date(ofDay day: Int64) -> (year: Int, month: Int, day: Int) {
    let parts = calendar.dateComponents(
      [.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
    guard let year = parts.year, let month = parts.month, let day = parts.day else {
      preconditionFailure("day \(day) has no date")
    }
    return (year, month, day)
  }

  /// Returns the first parts of a day's date, for example `2015-10` for two parts. All years of the
  /// range have four digits.
  private static func name(ofDay day: Int64, partCount: Int) -> String {
    let date = date(ofDay: day)
    return [date.year, date.month, date.day].prefix(partCount)
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
  }

  private static let dayNanoseconds: Int64 = 86_400_000_000_000

  /// Returns the number of days from the start of the span that contains 1970-01-01 to this date.
  /// The date was a Thursday, three days after a Monday, so the result is 3 for weeks.
  private static func daysBefore(_ count: Int64) -> Int64 { count == 7 ? 3 : 0 }
}

extension Int64 {
  fileprivate func flooredQuotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
