import DaybookJournal
import Synchronization

extension Store {
  /// Returns the records that a replay of the journal gives, from its beginning to its last durable
  /// transaction.
  ///
  /// The result shares no memory with the state of the store. Tests compare the result with that
  /// state; both must be equal.
  ///
  /// - Throws: ``StoreError`` with `journal` or `payload`
  /// - Complexity: O(*n*) in the size of the journal
  package func replayed() throws(StoreError) -> StoreSnapshot {
    if case .following = log {
      preconditionFailure("\(path) is followed, so it was already replayed")
    }
    let (types, unwritten) = core.withLock { ($0.catalog.types, $0.unwrittenLayouts) }
    var replayed = StoreCore()
    try Replay.run(log, from: nil, into: &replayed)
    for layout in unwritten { replayed.add(layout) }
    try replayed.adopt(types, path: path)
    return StoreSnapshot(replayed.published(), path: path)
  }

  /// Performs the journal's work that is due by its clock, and runs the started work of the derived
  /// files. Stores without background threads need this.
  package func tend() {
    if case .file(let journal) = log { journal.tend() }
    derivedWork.waitUntilIdle()
  }

  /// The number of saves that wait until a transaction in flight is settled, or until a hold ends;
  /// see ``NumberingHold``.
  package var waitingSaveCount: Int { settled.waiterCount + releasedHolds.waiterCount }

  /// A Boolean value that indicates whether this store writes the journal.
  package var isWriter: Bool { log.isWritten }

  /// A closure that tests install to compare every state with a replay. The closure runs for each
  /// store of the process before the store is closed, and again before the store is released.
  package static let auditor = Mutex<(@Sendable (borrowing Store) -> Void)?>(nil)

  static func audit(_ store: borrowing Store) {
    if let audit = auditor.withLock({ $0 }) { audit(store) }
  }
}
