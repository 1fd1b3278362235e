/// A repair that the leader of a replica performs, and its result.
struct RepairWork: Sendable {
  /// The divergence that the caller has seen; nil to compare the replica with the log only.
  var expected: LogDivergence?
  var divergence: LogDivergence?
  var repair = RepairDone()
  var failure: JournalError.Reason?
}

/// The actions of a repair that has succeeded.
package struct RepairDone: Hashable, Sendable {
  /// The number of transactions that this machine has appended again.
  package var appendedCount = 0
  /// The path of the old file, if the replica was restarted.
  package var oldFilePath: String?
}

/// The frames of a replica up to the last written one. They are durable in the log.
package struct WrittenFrames {
  package let file: JournalFile
  /// The header of the file.
  package let header: JournalHeader
  /// A reader that starts at or before the requested transaction.
  package var reader: FrameReader
  package let last: SequenceNumber
  /// The end of the last frame.
  package let endOffset: UInt64
  /// The number of absorptions up to the last frame.
  package let absorptionCount: Int
  /// The number of restarts up to the file.
  package let restartCount: Int
}
