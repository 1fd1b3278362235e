import DaybookPlatform

/// Where a journal gets the time from.
public protocol JournalClock: Sendable {
  /// The time of day.
  var now: JournalTime { get }

  /// Nanoseconds since some moment, for intervals. It never goes backwards; what is to be done after
  /// an interval is not done while it stands still.
  var uptimeNanoseconds: Int64 { get }
}

/// The clock of this machine.
public struct MachineClock: JournalClock {
  /// The clock of this machine.
  public init() {}

  /// The time of day.
  public var now: JournalTime { JournalTime(nanoseconds: SystemClock.realTimeNanoseconds) }

  /// Nanoseconds since the machine started.
  public var uptimeNanoseconds: Int64 { SystemClock.uptimeNanoseconds }
}
