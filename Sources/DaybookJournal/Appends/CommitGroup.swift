import DaybookPlatform

/// The frames that one write passes to the disk and one sync makes durable.
///
/// A group forms while the one before it is written and synced.
//
// The type itself is not safe to share. The queue owns a group while it forms, under the queue's
// lock. Once the group is taken, only the leader uses it.
final class CommitGroup: @unchecked Sendable {
  /// Work other than frames that must not run while another group is written.
  struct Work: OptionSet, Sendable {
    let rawValue: UInt8
    /// A sync of everything that has been written.
    static let sync = Work(rawValue: 1)
    /// A durability mark for the last durable transaction.
    static let mark = Work(rawValue: 2)
    /// A sync, both durability marks, and the end of the writer.
    static let close = Work(rawValue: 4)
    /// Preallocated zeros after the last frame.
    static let fill = Work(rawValue: 8)
  }

  /// The outcome of a group, and so of each of its appends.
  enum Outcome: Sendable {
    case done(Receipt.Safety)
    /// A call failed while the group was written or synced.
    case unknown(DiskError, stop: Int)
    /// The group was not written.
    case refused(JournalError.Reason)
  }

  var frames = FrameWriter()
  /// The start of the frames.
  private(set) var start: FramePosition
  /// The end of the frames.
  var end: FramePosition
  var work: Work = []
  /// The promise of the outcome, which all appends of the group wait for.
  private(set) var outcome = Promise<Outcome>()

  init(start: FramePosition) {
    self.start = start
    end = start
  }

  var isEmpty: Bool { frames.byteCount == 0 && work.isEmpty }

  /// Resets the group to an empty one that keeps its memory.
  func reset(start: FramePosition) {
    frames.removeAll()
    self.start = start
    end = start
    work = []
    outcome = Promise()
  }
}

/// An append that has its number and its position in a group.
package struct PendingAppend: Sendable {
  package let sequence: SequenceNumber
  package let time: JournalTime
  let raisedFrom: JournalTime?
  let check: UInt64
  /// The offset that its payload will have in the file.
  package let payloadOffset: UInt64
  /// A Boolean value that indicates whether the append is in one group with the append before it.
  /// Both then have one outcome.
  package let isTogether: Bool
  let group: Promise<CommitGroup.Outcome>

  /// Returns the outcome of the append for the outcome of its group.
  ///
  /// - Throws: ``JournalError`` if the transaction was certainly not appended.
  func outcome(
    _ outcome: CommitGroup.Outcome, path: String
  ) throws(JournalError) -> AppendOutcome {
    switch outcome {
    case .done(let safety):
      .appended(
        Receipt(
          sequence: sequence, time: time, safety: safety, raisedFrom: raisedFrom, check: check))
    case .unknown(let error, let stop):
      .unknown(UnknownAppend(sequence: sequence, cause: error, stop: stop))
    case .refused(let reason): throw JournalError(reason, path: path)
    }
  }
}

/// An append that was refused because the accepted head is not the expected one.
package struct AppendConflict: Error {
  package let head: ChainPoint
}
