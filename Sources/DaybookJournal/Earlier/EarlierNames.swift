// The names of version 0.2. They are removed in version 0.4.

extension ChainPoint {
  /// The earlier name of ``checksum``.
  @available(*, deprecated, renamed: "checksum")
  public var check: UInt64 { checksum }

  /// Creates a point of a chain.
  @available(*, deprecated, renamed: "init(sequence:time:checksum:)")
  public init(sequence: SequenceNumber, time: JournalTime, check: UInt64) {
    self.init(sequence: sequence, time: time, checksum: check)
  }
}

extension SharedHead {
  /// The earlier name of ``checksum``.
  @available(*, deprecated, renamed: "checksum")
  public var check: UInt64 { checksum }

  /// Creates a head of a shared log.
  @available(*, deprecated, renamed: "init(next:checksum:)")
  public init(next: SequenceNumber, check: UInt64) { self.init(next: next, checksum: check) }
}

extension FrameGroup {
  /// The earlier name of ``checksum``.
  @available(*, deprecated, renamed: "checksum")
  public var check: UInt64 { checksum }

  /// The earlier name of ``previousChecksum``.
  @available(*, deprecated, renamed: "previousChecksum")
  public var previousCheck: UInt64 { previousChecksum }
}

extension JournalTransaction {
  /// The earlier name of ``checksum``.
  @available(*, deprecated, renamed: "checksum")
  public var check: UInt64 { checksum }
}

extension Receipt {
  /// The earlier name of ``checksum``.
  @available(*, deprecated, renamed: "checksum")
  public var check: UInt64? { checksum }

  /// The earlier name of ``clockTime``.
  @available(*, deprecated, renamed: "clockTime")
  public var raisedFrom: JournalTime? { clockTime }

  /// The earlier name of ``clockIsBehind``.
  @available(*, deprecated, renamed: "clockIsBehind")
  public var clockIsFarBehind: Bool { clockIsBehind }
}

extension Durability {
  /// Returns a durability with a sync in the background.
  @available(*, deprecated, message: "Use batched(interval: .milliseconds(…)).")
  public static func batched(milliseconds: Int) -> Durability {
    .batched(interval: .milliseconds(milliseconds))
  }
}
