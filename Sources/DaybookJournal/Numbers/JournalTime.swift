import DaybookPlatform

/// The time of a transaction: nanoseconds since 1970 in UTC, from 1677 to 2262.
///
/// In a journal, no transaction has an earlier time than the transaction before it, but two
/// transactions can have the same time. The order of transactions is the order of their sequence
/// numbers.
public struct JournalTime: Hashable, Comparable, Sendable {
  /// The nanoseconds since the start of 1970.
  public let nanoseconds: Int64

  /// Creates the time that is a number of nanoseconds after the start of 1970.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The time before every other time. The head of a journal without transactions has this time.
  public static let distantPast = JournalTime(nanoseconds: .min)

  /// Returns a Boolean value that indicates whether the first time is before the second.
  @inlinable
  public static func < (one: JournalTime, other: JournalTime) -> Bool {
    one.nanoseconds < other.nanoseconds
  }

  /// Returns the nanoseconds from this time to a second time; negative if the second time is
  /// earlier. A difference that is too large for the type is clamped.
  @_spi(Tools) public func nanoseconds(until later: JournalTime) -> Int64 {
    let (difference, overflowed) = later.nanoseconds.subtractingReportingOverflow(nanoseconds)
    guard overflowed else { return difference }
    return later > self ? .max : .min
  }
}

/// Durations can be added to times and subtracted from times, as with the instants of Swift's
/// clocks:
///
/// ```swift
/// let anHourAgo = try store.snapshot(at: store.snapshot.time - .seconds(3600))
/// ```
extension JournalTime: InstantProtocol {
  /// Returns the time that is a duration after this one. A negative duration returns an earlier
  /// time.
  ///
  /// Parts of a nanosecond are dropped. A result outside of the range of times is clamped.
  public func advanced(by duration: Swift.Duration) -> JournalTime {
    let added = duration.attoseconds / 1_000_000_000
    return JournalTime(nanoseconds: Int64(clamping: Int128(nanoseconds) + added))
  }

  /// Returns the duration from this time to a second time; negative if the second time is earlier.
  public func duration(to other: JournalTime) -> Swift.Duration {
    let difference = Int128(other.nanoseconds) - Int128(nanoseconds)
    return Swift.Duration(attoseconds: difference * 1_000_000_000)
  }

  /// Returns the time that is a duration after a given time; see ``advanced(by:)``.
  public static func + (time: JournalTime, duration: Swift.Duration) -> JournalTime {
    time.advanced(by: duration)
  }

  /// Returns the time that is a duration before a given time; see ``advanced(by:)``.
  public static func - (time: JournalTime, duration: Swift.Duration) -> JournalTime {
    time.advanced(by: .zero - duration)
  }

  /// Returns the duration from the second time to the first.
  public static func - (later: JournalTime, earlier: JournalTime) -> Swift.Duration {
    earlier.duration(to: later)
  }
}

extension JournalTime: CustomStringConvertible {
  /// The time as a string with the fewest digits that represent it exactly:
  /// `2026-11-20T13:45:00.25Z`.
  public var description: String {
    let (days, rest) = nanoseconds.flooringDivision(by: 86_400_000_000_000)
    let (year, month, day) = JournalTime.civil(daysSince1970: days)
    let (seconds, fraction) = rest.quotientAndRemainder(dividingBy: 1_000_000_000)
    let clock =
      pad(seconds / 3600) + ":" + pad(seconds / 60 % 60) + ":" + pad(seconds % 60)
    var digits = ""
    if fraction > 0 {
      digits = String(1_000_000_000 + fraction).dropFirst().reduce(into: ".") { $0.append($1) }
      while digits.hasSuffix("0") { digits.removeLast() }
    }
    return "\(pad(year, to: 4))-\(pad(month))-\(pad(day))T\(clock)\(digits)Z"
  }

  private func pad(_ number: Int64, to width: Int = 2) -> String {
    let decimal = String(number)
    return String(repeating: "0", count: max(0, width - decimal.count)) + decimal
  }

  /// Returns the date of a day in the proleptic Gregorian calendar. The calculation uses eras of
  /// 400 years, and years that start on the first of March. So a leap day is the last day of its
  /// year.
  private static func civil(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (daysSince1970 + 719_468).flooringDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Int64 {
  fileprivate func flooringDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

/// A source of the time for a journal.
public protocol JournalClock: Sendable {
  /// The time of day.
  var now: JournalTime { get }

  /// The nanoseconds since an arbitrary point in the past, for measuring intervals.
  ///
  /// The value never decreases. While the value does not increase, the journal does no work that is
  /// due after an interval.
  var uptimeNanoseconds: Int64 { get }
}

/// The clock of this machine.
public struct MachineClock: JournalClock {
  /// Creates a clock of this machine.
  public init() {}

  /// The time of day.
  public var now: JournalTime { JournalTime(nanoseconds: SystemClock.realTimeNanoseconds) }

  /// The nanoseconds since the machine started.
  public var uptimeNanoseconds: Int64 { SystemClock.uptimeNanoseconds }
}
