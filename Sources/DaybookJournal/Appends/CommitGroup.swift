import DaybookPlatform

/// The frames that one write passes to the disk and one sync makes durable.
///
/// A group forms while the one before it is written and synced.
//
// Not `Sendable` by nature: it belongs to the queue while it forms, under the queue's lock, and
// from the moment it is taken to the leader alone.
final class CommitGroup: @unchecked Sendable {
  /// Work beside the frames that must not be done while another group is written.
  struct Work: OptionSet, Sendable {
    let rawValue: UInt8
    /// A sync of everything that has been written.
    static let sync = Work(rawValue: 1)
    /// A mark of the last durable transaction.
    static let mark = Work(rawValue: 2)
    /// A sync, both marks, and the end of the writer.
    static let close = Work(rawValue: 4)
    /// Zeros in the space after the last frame.
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
  /// The position at which the frames begin.
  private(set) var start: FramePosition
  /// The position at which the frames end.
  var end: FramePosition
  var work: Work = []
  /// The promise of the outcome, which all appends of the group wait for.
  private(set) var outcome = Promise<Outcome>()

  init(start: FramePosition) {
    self.start = start
    end = start
  }

  var isEmpty: Bool { frames.byteCount == 0 && work.isEmpty }

  /// Makes this an empty group that keeps its memory.
  func reset(start: FramePosition) {
    frames.removeAll()
    self.start = start
    end = start
    work = []
    outcome = Promise()
  }
}

/// An append that has its number and its place in a group.
package struct PendingAppend: Sendable {
  package let sequence: SequenceNumber
  package let time: JournalTime
  let raisedFrom: JournalTime?
  let check: UInt64
  /// The offset that its payload will have in the file.
  package let payloadOffset: UInt64
  /// A Boolean value that indicates whether it is in one group with the append before it: the outcome of the two
  /// is the same.
  package let isTogether: Bool
  let group: Promise<CommitGroup.Outcome>

  /// - Throws: ``JournalError`` if it is known not to have been appended.
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
