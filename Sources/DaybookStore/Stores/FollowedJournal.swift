import DaybookJournal
import Synchronization

/// A journal that another process writes, as a store follows it.
package final class FollowedJournal: Sendable {
  // Shared state: `state`, guarded by its mutex, which is held while the journal is read; it is
  // always taken before the store's own.

  let path: String
  private let options: JournalOptions
  private let state: Mutex<State>
  /// The error of the state, which the main thread reads while the journal is read.
  private let problem = Mutex<StoreError?>(nil)
  private let place: JournalPlace
  /// Tells when there may be more, also while the journal is read.
  let watch: JournalWatch

  private struct State {
    let follower: FileFollower
    /// The file whose rows the store has; another one under the name has them elsewhere.
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

  /// Reads whatever has been saved since.
  ///
  /// - Parameters:
  ///   - limit: The number of new transactions after which it stops. It never stops within a replacement.
  ///   - fold: Folds each payload into the state, and replaces the state if another file has taken the name.
  /// - Throws: ``StoreError``; and the same again whenever it is asked, as what was told before is
  ///   not the journal's past any more.
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

  /// The error of reading on; nil if it goes on. No caller waits for the disk.
  var error: StoreError? { problem.withLock { $0 } }

  /// What a store that follows has to do.
  ///
  /// After `beginReplacement` payloads are those of a new state, which begins empty. `endReplacement` comes when it
  /// is the state after the transaction that was read last, or after a later one. The old state stays until then, as
  /// what comes between are parts of a state, and states that the store has shown before.
  enum Step {
    case beginReplacement
    case endReplacement
    case fold(PlacedPayload)
  }

  /// A payload, and where it is.
  struct PlacedPayload {
    var payload: ByteView
    var file: JournalFile
    /// The offset of the payload in the file; nil if it is a piece of the base.
    var offset: UInt64?
    var sequence: SequenceNumber
    var time: JournalTime

    var isBase: Bool { offset == nil }
  }

  private func catchUp(
    _ state: inout State, limit: Int, fold: (Step) throws(StoreError) -> Void
  ) throws(StoreError) {
    var count = 0
    // The transaction that was read last before another file took the name, until it has been read again.
    var known: SequenceNumber?
    while count < limit || known != nil {
      let placed: FileFollower.PlacedEvent?
      do throws(JournalError) { placed = try state.follower.nextPlaced() } catch {
        throw StoreError(.journal(error), path: path)
      }
      guard let placed else {
        precondition(known == nil, "\(path): transaction \(known ?? .zero) is not there any more")
        return
      }
      let isOther = state.file.map { $0 !== placed.file } ?? false
      state.file = placed.file
      let folded: SequenceNumber
      switch placed.event {
      case .transaction(let transaction) where isOther:
        // Its rows are in the new file: everything is read again, from that file alone.
        known = SequenceNumber(transaction.sequence.rawValue - 1)
        do throws(JournalError) { try state.follower.rewind() } catch {
          throw StoreError(.journal(error), path: path)
        }
        try fold(.beginReplacement)
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
          try fold(.beginReplacement)
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

  /// The files beside it.
  var derivedFiles: DerivedFiles {
    DerivedFiles(beside: place, options)
  }

  /// A reader of the journal as it is now.
  package func reader() throws(JournalError) -> JournalReader {
    try JournalReader(at: path, on: options.disk, reading: options.reading)
  }

  /// Ends the thread that follows, and closes the file.
  func close() {
    watch.close()
    state.withLock { state in
      state.isClosed = true
      state.follower.close()
    }
  }
}
