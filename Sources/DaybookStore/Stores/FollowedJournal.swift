import DaybookJournal
import Synchronization

/// A journal that another process writes, as a store follows it.
final class FollowedJournal: Sendable {
  // Shared state: `state`, guarded by its mutex, which is held while the journal is read; it is
  // always taken before the store's own.

  let path: String
  private let options: JournalOptions
  private let state: Mutex<State>
  /// The thread that waits for more.
  let housekeeper = Housekeeper()

  private struct State {
    var follower: FileFollower
    /// The file whose rows the store has; another one under the name has them elsewhere.
    var file: JournalFile?
    var error: StoreError?
  }

  init(_ path: String, _ options: JournalOptions) throws(StoreError) {
    self.path = path
    self.options = options
    state = Mutex(State(follower: try FollowedJournal.follower(path, options)))
  }

  private static func follower(
    _ path: String, _ options: JournalOptions
  ) throws(StoreError) -> FileFollower {
    do throws(JournalError) {
      return try FileFollower(at: path, on: options.disk, reading: options.reading)
    } catch { throw StoreError(.journal(error), path: path) }
  }

  /// Takes in whatever has been saved since.
  ///
  /// - Parameters:
  ///   - limit: After how many transactions it stops.
  ///   - fold: Is told of each payload and where it stands; first, that everything begins
  ///     anew, if another file has taken the name.
  /// - Throws: ``StoreError``; and the same again whenever it is asked, as what was told before is
  ///   not the journal's past any more.
  func catchUp(
    limit: Int = .max, _ fold: (Step) throws(StoreError) -> Void
  ) throws(StoreError) {
    try state.withLock { (state) throws(StoreError) in
      if let error = state.error { throw error }
      do throws(StoreError) { try catchUp(&state, limit, fold) } catch {
        state.error = error
        throw error
      }
    }
  }

  /// Why it cannot be read on; nil if it can.
  var error: StoreError? { state.withLock { $0.error } }

  /// What a store that follows has to do.
  enum Step {
    case beginAnew
    /// - `offset`: Where the payload stands in the file; nil if it is a piece of the base.
    case fold(
      payload: ByteView, offset: UInt64?, file: JournalFile, sequence: SequenceNumber,
      time: JournalTime)
  }

  private func catchUp(
    _ state: inout State, _ limit: Int, _ fold: (Step) throws(StoreError) -> Void
  ) throws(StoreError) {
    var count = 0
    while count < limit {
      let placed: FileFollower.PlacedEvent?
      do throws(JournalError) { placed = try state.follower.nextPlaced() } catch {
        throw StoreError(.journal(error), path: path)
      }
      guard let placed else { return }
      if let file = state.file, file !== placed.file {
        // Its rows stand elsewhere: everything is read again, from the new file alone.
        state.follower = try FollowedJournal.follower(path, options)
        state.file = nil
        try fold(.beginAnew)
        continue
      }
      state.file = placed.file
      switch placed.event {
      case .transaction(let transaction):
        count += 1
        try fold(
          .fold(
            payload: transaction.payload, offset: placed.payloadOffset, file: placed.file,
            sequence: transaction.sequence, time: transaction.time))
      case .reset(let head, let base):
        try fold(.beginAnew)
        for payload in base {
          try fold(
            .fold(
              payload: payload, offset: nil, file: placed.file, sequence: head.sequence,
              time: head.time))
        }
      }
    }
  }

  /// The files beside it.
  var derivedFiles: DerivedFiles {
    DerivedFiles(beside: state.withLock { $0.follower.place }, options)
  }

  /// A reader of the journal as it is now.
  func reader() throws(JournalError) -> JournalReader {
    try JournalReader(at: path, on: options.disk, reading: options.reading)
  }

  /// Waits until something may have come, or some time is over.
  func wait(milliseconds: Int = 500) {
    state.withLock { $0.follower }.wait(milliseconds: milliseconds)
  }

  func end() {
    housekeeper.end()
    state.withLock { $0.follower }.wake()
  }
}
