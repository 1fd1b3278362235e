import DaybookJournal
import Synchronization

/// A journal that another process writes and that a store follows.
package final class FollowedJournal: Sendable {
  // Shared state: `state`, guarded by its mutex. The mutex is locked while the journal is read, and
  // always before the store's own lock.

  let path: String
  private let options: JournalOptions
  private let state: Mutex<State>
  /// The error of the state, with a separate mutex: the main thread may read it during a read of
  /// the journal.
  private let problem = Mutex<StoreError?>(nil)
  private let place: JournalPlace
  /// A watch that signals when the journal may have grown. It can be used during a read of the
  /// journal.
  let watch: JournalWatch

  private struct State {
    let follower: FileFollower
    /// The file that contains the store's rows. A replacement under the same name stores rows at
    /// other offsets.
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
    place = follower.place
    state = Mutex(State(follower: follower))
  }

  /// Reads everything that was saved after the last call.
  ///
  /// - Parameters:
  ///   - limit: The number of new transactions after which it stops. It never stops within a
  ///     replacement.
  ///   - fold: A closure that applies each payload to the state, and replaces the state if another
  ///     file has taken the journal's name.
  /// - Throws: ``StoreError``. Every later call throws the same error, because the journal may no
  ///   longer be a continuation of the frames that were read before.
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

  /// The error that ended the reading, or nil. Reading the property never waits for the disk.
  var error: StoreError? { problem.withLock { $0 } }

  /// A step that a following store performs.
  ///
  /// - After `startReplacement`, the payloads belong to a new state, which is empty at first.
  /// - `endReplacement` follows when the new state has reached at least the transaction that was
  ///   read last.
  ///
  /// Readers see the old state until `endReplacement`. The states in between are incomplete, or
  /// older than a state that readers have already seen.
  enum Step {
    case startReplacement
    case endReplacement
    case fold(PlacedPayload)
  }

  /// A payload and its position.
  struct PlacedPayload {
    var payload: ByteView
    var file: JournalFile
    /// The offset of the payload in the file; nil if the payload is a part of the base.
    var offset: UInt64?
    var sequence: SequenceNumber
    var time: JournalTime

    var isBase: Bool { offset == nil }
  }

  private func catchUp(
    _ state: inout State, limit: Int, fold: (Step) throws(StoreError) -> Void
  ) throws(StoreError) {
    var count = 0
    // The last transaction that was read before another file took the name; nil once it has been
    // read again.
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
        // The rows are in the new file: everything is read again, from that file alone.
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
        for payload in base {
          try fold(
            .fold(
              PlacedPayload(
                payload: payload, file: placed.file, sequence: head.sequence, time: head.time)))
        }
        folded = head.sequence
      }
      if let last = known, folded >= last {
        known = nil
        try fold(.endReplacement)
      }
    }
  }

  var tendsItself: Bool { options.tendsItself }

  /// The derived files of the journal.
  var derivedFiles: DerivedFiles {
    DerivedFiles(beside: place, options)
  }

  /// Returns a reader of the journal's current content.
  package func reader() throws(JournalError) -> JournalReader {
    try JournalReader(at: path, on: options.disk, reading: options.reading)
  }

  /// Ends the thread that follows the journal, and closes the file.
  func close() {
    watch.close()
    state.withLock { state in
      state.isClosed = true
      state.follower.close()
    }
  }
}
