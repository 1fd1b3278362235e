import DaybookPlatform

/// The frames that the leader writes with one call and makes durable with at most one sync, and the
/// other work of the leader.
///
/// ``CommitQueue`` adds new frames to the *forming group*, while the leader writes and syncs the
/// group before it.
//
// The type itself is not thread-safe. The queue's lock guards a group while it forms. After the
// leader has taken the group, only the leader uses it.
final class CommitGroup: @unchecked Sendable {
  /// Work other than writing frames. Only the leader does such work, so that it never runs while a
  /// different thread writes a group.
  struct Work: OptionSet, Sendable {
    let rawValue: UInt8
    /// A sync of everything that has been written.
    static let sync = Work(rawValue: 1)
    /// A durability mark for the last durable transaction.
    static let mark = Work(rawValue: 2)
    /// A sync, then both durability marks; after that, the journal is closed.
    static let close = Work(rawValue: 4)
    /// Preallocated zeros after the last frame.
    static let fill = Work(rawValue: 8)
    /// The reading of frames that other machines have appended to the shared log.
    static let pull = Work(rawValue: 16)
    /// The comparison of a replica with its shared log, and its repair.
    static let repair = Work(rawValue: 32)
  }

  /// The outcome of a group, and so of each of its appends.
  enum Outcome: Sendable {
    case done(Receipt.Safety)
    /// A call failed while the group was written or synced. The frames of the group may be in the
    /// file or not.
    case unknown(UnknownAppend.Cause, stop: Int)
    /// The group was not written.
    case refused(JournalError.Reason)
  }

  var frames = FrameWriter()
  /// The start of the frames.
  private(set) var start: FramePosition
  /// The end of the frames.
  var end: FramePosition
  var work: Work = []
  /// The safety of the frames, if it is not that of the file: the frames are in a shared log.
  var safety: Receipt.Safety?
  /// The promise of the outcome, which all appends of the group wait for.
  private(set) var outcome = Promise<Outcome>()

  init(start: FramePosition) {
    self.start = start
    end = start
  }

  var isEmpty: Bool { frames.byteCount == 0 && work.isEmpty }

  /// Empties the group for reuse, and keeps its memory.
  func reset(start: FramePosition) {
    frames.removeAll()
    self.start = start
    end = start
    work = []
    safety = nil
    outcome = Promise()
  }

  /// Moves a group without frames to a position.
  func move(to position: FramePosition) {
    precondition(frames.byteCount == 0, "a group with \(frames.byteCount) bytes was moved")
    start = position
    end = position
  }
}

extension CommitQueue {
  /// The result of writing a group.
  enum Effect {
    case synced(at: Int64)
    case written(at: Int64)
    case refused(JournalError.Reason)
    case failed(DiskError)
    /// The shared log did not answer the append of the group.
    case unanswered(SharedLogError)
    /// Other machines have appended to the shared log first. The leader has absorbed their frames,
    /// so the frames of the group no longer continue the chain.
    case outpaced

    /// A Boolean value that indicates whether the group was certainly not written.
    var isRefused: Bool {
      switch self {
      case .refused, .outpaced: true
      case .synced, .written, .failed, .unanswered: false
      }
    }
  }

  /// The facts about the file that the leader reports after it has written a group.
  struct WriterStatus {
    /// The transaction that the newest mark records.
    var marked: SequenceNumber
    /// A Boolean value that indicates whether the leader should preallocate more zeros.
    var wantsFill: Bool
    /// The number of times that the leader could not publish the durable position.
    var unpublishedEndCount: Int
  }
}

/// An append that has a sequence number and a frame in a group. `FileJournal.enqueue` creates it,
/// and the caller then waits for the outcome of the group.
package struct PendingAppend: Sendable {
  package let sequence: SequenceNumber
  package let time: JournalTime
  let clockTime: JournalTime?
  let checksum: UInt64
  /// The offset that the payload of the append will have in the file.
  package let payloadOffset: UInt64
  /// A Boolean value that indicates whether the append before this one is in the same group. If so,
  /// both appends have the same outcome.
  package let isTogether: Bool
  let group: Promise<CommitGroup.Outcome>

  /// Returns the outcome of the append for the outcome of its group.
  ///
  /// - Throws: ``JournalError`` if the transaction was certainly not appended.
  func outcome(
    _ outcome: CommitGroup.Outcome, path: String
  ) throws(JournalError) -> AppendOutcome {
    switch outcome {
    case .done(let safety): .appended(receipt(safety))
    case .unknown(let cause, let stop):
      .unknown(UnknownAppend(receipt(.written), cause: cause, stop: stop))
    case .refused(let reason): throw JournalError(reason, path: path)
    }
  }

  private func receipt(_ safety: Receipt.Safety) -> Receipt {
    Receipt(
      sequence: sequence, time: time, safety: safety, clockTime: clockTime, checksum: checksum)
  }
}

/// The refusal of an append because the accepted head is not the expected head.
package struct AppendConflict: Error {
  package let head: ChainPoint
}
