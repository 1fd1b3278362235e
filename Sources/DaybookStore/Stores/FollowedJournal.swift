import DaybookJournal
import Synchronization

/// A journal that a different process writes and that a store follows. The store reads each new
/// transaction from it and applies the transaction to its state.
package final class FollowedJournal: Sendable {
  // Shared state: `state`, guarded by its mutex. A thread holds the mutex while it reads the
  // journal. A thread that needs this mutex and the lock of `GuardedCore.core` takes this mutex
  // first.

  let path: String
  private let options: JournalOptions
  private let state: Mutex<State>
  /// A copy of `State.error`. The copy has a mutex of its own, so that the main thread can read the
  /// error while a second thread reads the journal.
  private let problem = Mutex<StoreError?>(nil)
  private let place: JournalLocation
  /// A watch whose method `wait(milliseconds:)` returns when the journal may have grown. Its use
  /// needs no lock of this object.
  let watch: JournalWatch

  private struct State {
    let follower: FileFollower
    /// The file that contains the store's rows; nil until the follower has returned the first
    /// event. A new file of the same name, such as a compacted one, has the rows at other offsets.
    var file: JournalFile?
    var error: StoreError?
    var isClosed = false
  }

  init(at path: String, options: JournalOptions) throws(StoreError) {
    self.path = path
    self.options = options
    let follower: FileFollower
    do throws(JournalError) {
      follower = try FileFollower(at: path, on: options.disk, reading: options.reading)
    } catch { throw StoreError(.journal(error), path: path) }
    watch = follower.watch
    place = follower.location
    state = Mutex(State(follower: follower))
  }

  /// Reads the visible transactions that earlier calls have not read, up to `limit` of them.
  ///
  /// - Parameters:
  ///   - limit: The number of new transactions after which the method stops. While the method reads
  ///     a replacement (see ``Step``), it does not stop.
  ///   - fold: A closure that performs each step: it applies a payload, or starts or ends the
  ///     replacement of the state.
  /// - Throws: ``StoreError``. Every later call throws the same error, because the next frame may
  ///   not directly follow the last frame that was applied.
  func catchUp(
    limit: Int = .max, fold: (Step) throws(StoreError) -> Void
  ) throws(StoreError) {
    try state.withLock { (state) throws(StoreError) in
      if let error = state.error { throw error }
      if state.isClosed {
        throw StoreError(.journal(JournalError(.closed, path: path)), path: path)
      }
      do throws(StoreError) { try catchUp(&state, limit: limit, fold: fold) } catch {
        state.error = error
        problem.withLock { $0 = error }
        throw error
      }
    }
  }

  /// The error that ended the reading; otherwise nil. The property never waits for the disk.
  var error: StoreError? { problem.withLock { $0 } }

  /// A step that a following store performs. A *replacement* is a new state that the store reads
  /// from a new file of the same name, for example after a compaction.
  ///
  /// - After `startReplacement`, the payloads belong to the new state, which is empty at first.
  /// - `endReplacement` follows when the new state contains the last transaction that was read from
  ///   the old file.
  ///
  /// Readers see the old state until `endReplacement`. Before it, the new state is incomplete, or
  /// older than a state that readers have already seen.
  enum Step {
    case startReplacement
    case endReplacement
    case fold(PlacedPayload)
  }

  /// A payload of the journal, and its position.
  struct PlacedPayload {
    var payload: ByteView
    var file: JournalFile
    /// The offset of the payload in the file; nil if the payload is a part of the base.
    var offset: UInt64?
    var sequence: SequenceNumber
    var time: JournalTime
    /// The number of the base frame, if the payload is a part of the base; see `StoreCore.replay`.
    var base: SequenceNumber?
  }

  private func catchUp(
    _ state: inout State, limit: Int, fold: (Step) throws(StoreError) -> Void
  ) throws(StoreError) {
    var count = 0
    // During a replacement, the transaction that the new state must reach: the last one of the old
    // file, or the new base. Nil if there is no replacement, or as soon as the new state contains
    // that transaction.
    var known: SequenceNumber?
    while count < limit || known != nil {
      let placed: FileFollower.PlacedEvent?
      do throws(JournalError) { placed = try state.follower.nextPlaced() } catch {
        throw StoreError(.journal(error), path: path)
      }
      guard let placed else {
        precondition(known == nil, "\(path): transaction \(known ?? .zero) no longer exists")
        return
      }
      let isOther = state.file.map { $0 !== placed.file } ?? false
      state.file = placed.file
      let folded: SequenceNumber
      switch placed.event {
      case .transaction(let transaction) where isOther:
        // All rows must be in one file, so the store reads the new file from its start.
        known = SequenceNumber(transaction.sequence.rawValue - 1)
        do throws(JournalError) { try state.follower.rewind() } catch {
          throw StoreError(.journal(error), path: path)
        }
        try fold(.startReplacement)
        continue
      case .transaction(let transaction):
        try fold(
          .fold(
            PlacedPayload(
              payload: transaction.payload, file: placed.file, offset: placed.payloadOffset,
              sequence: transaction.sequence, time: transaction.time)))
        if known == nil { count += 1 }
        folded = transaction.sequence
      case .reset(let head, let base):
        if known == nil {
          count += 1
          known = head.sequence
          try fold(.startReplacement)
        }
        for (payload, number) in zip(base, placed.baseSequences) {
          try fold(
            .fold(
              PlacedPayload(
                payload: payload, file: placed.file, sequence: head.sequence, time: head.time,
                base: number)))
        }
        folded = head.sequence
      }
      if let last = known, folded >= last {
        known = nil
        try fold(.endReplacement)
      }
    }
  }

  var worksInBackground: Bool { options.worksInBackground }

  /// The derived files of the journal.
  var derivedFiles: DerivedFiles {
    DerivedFiles(beside: place, options)
  }

  /// Returns a reader of the journal's current content.
  package func reader() throws(JournalError) -> JournalReader {
    try JournalReader(at: path, on: options.disk, reading: options.reading)
  }

  /// Closes the file, and wakes the thread that follows the journal, which then ends.
  func close() {
    watch.close()
    state.withLock { state in
      state.isClosed = true
      state.follower.close()
    }
  }
}
