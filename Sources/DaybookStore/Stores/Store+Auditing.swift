import DaybookJournal
import Synchronization

extension Store {
  /// What a replay of the journal comes to, from its beginning to its last durable transaction. It
  /// shares nothing with the state of the store, which is to be the same.
  ///
  /// - Throws: ``StoreError`` with `journal` or `payload`
  /// - Complexity: O(*n*) in the size of the journal
  package func replayed() throws(StoreError) -> StoreSnapshot {
    if case .following = log { preconditionFailure("\(path) is followed, and so replayed already") }
    let (types, unwritten) = core.withLock { ($0.catalog.types, $0.unwrittenLayouts) }
    var replayed = StoreCore()
    try Replay.run(log, from: nil, into: &replayed)
    for layout in unwritten { replayed.add(layout) }
    try replayed.adopt(types, path: path)
    return StoreSnapshot(replayed.shown(), path: path)
  }

  /// Performs what is due by the store's clock and begun for derived files, where no thread does.
  package func tend() {
    if case .file(let journal) = log { journal.tend() }
    derivedWork.waitUntilIdle()
  }

  /// How many saves wait until others that are on their way are settled.
  package var waitingSaveCount: Int { settled.waiterCount + releasedHolds.waiterCount }

  /// Whether it is this store that writes the journal.
  package var isWriter: Bool { log.isWritten }

  /// What is done with each store of the process before it is closed, and again before it goes: by
  /// tests that hold every state against a replay.
  package static let auditor = Mutex<(@Sendable (borrowing Store) -> Void)?>(nil)

  static func audit(_ store: borrowing Store) {
    if let audit = auditor.withLock({ $0 }) { audit(store) }
  }
}
