import DaybookJournal
import DaybookEssentials

extension JournalTime {
  /// The time of a date, to the nanosecond as far as a date knows it; nil for a date before 1677 or after
  /// 2262, or one that is no number.
  ///
  /// ```swift
  /// if let lastNight = JournalTime(date) { try context.travel(to: lastNight) }
  /// ```
  public init?(_ date: Date) {
    // From 2001 on, as that is what a date counts from: from 1970 on it would be rounded twice.
    let nanoseconds = (date.timeIntervalSinceReferenceDate * 1e9).rounded()
    guard let since2001 = Int128(exactly: nanoseconds),
      let since1970 = Int64(
        exactly: since2001 + Int128(DateText.secondsFrom1970To2001) * 1_000_000_000)
    else { return nil }
    self.init(nanoseconds: since1970)
  }

  /// The date, as near as a date comes to it.
  public var date: Date {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let since2001 = Double(seconds - DateText.secondsFrom1970To2001) + Double(rest) / 1e9
    return Date(timeIntervalSinceReferenceDate: since2001)
  }
}
