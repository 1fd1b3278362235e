import DaybookJournal

/// The form in which times of transactions are printed.
enum ShownTimes: Hashable {
  /// Each time is printed to the millisecond.
  case exact
  /// Each time is printed as the time that has passed until a moment, such as `2 hours ago`.
  case ages(now: JournalTime)

  /// Returns the form with ages at the time of the clock.
  static func relative() throws(ToolError) -> ShownTimes { .ages(now: try MomentText.now()) }

  func string(of time: JournalTime) -> String {
    switch self {
    case .exact: return time.shownString
    case .ages(let now):
      let (distance, overflowed) = now.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
      guard !overflowed else { return time.shownString }
      let age = ShownTimes.string(ofSeconds: distance.magnitude / 1_000_000_000)
      guard let age else { return "now" }
      return distance < 0 ? "in \(age)" : "\(age) ago"
    }
  }

  private static let units: [(seconds: UInt64, one: String)] = [
    (31_557_600, "year"), (2_629_800, "month"), (604_800, "week"), (86_400, "day"),
    (3600, "hour"), (60, "minute"), (1, "second"),
  ]

  /// Returns a span in the largest unit that it contains at least twice, for example `26 hours`.
  /// The span is rounded down. Returns nil for a span of less than a second.
  private static func string(ofSeconds seconds: UInt64) -> String? {
    guard seconds > 0 else { return nil }
    let unit = units.first { seconds >= 2 * $0.seconds } ?? (1, "second")
    return Counted.phrase(
      Int(seconds / unit.seconds), one: unit.one, several: "\(unit.one)s")
  }
}

extension JournalTime {
  /// The time with at most three digits after the point. It is rounded up, so that the state at the
  /// printed time includes the transaction.
  var shownString: String {
    let rest = (nanoseconds % 1_000_000 + 1_000_000) % 1_000_000
    let (rounded, overflowed) = nanoseconds.addingReportingOverflow(
      rest == 0 ? 0 : 1_000_000 - rest)
    return overflowed ? "\(self)" : "\(JournalTime(nanoseconds: rounded))"
  }
}
