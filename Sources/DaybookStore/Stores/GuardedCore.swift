import DaybookJournal
import DaybookPlatform
import Synchronization

/// The core of a store behind its lock, and what readers are shown beside it.
///
/// What readers are shown has a lock of its own, which is held for as long as it takes to copy a reference. So a
/// reader does not wait for a transaction that is being folded.
final class GuardedCore: Sendable {
  // Shared state
  //
  // - `core`: guarded by its mutex.
  // - `known`: guarded by its own, and written by whoever has that of the core too. What is there is what readers are
  //   shown; there is nothing if it would have to be made.
  // - `shownThrough`: written under the lock of the core, and read without it.

  private let core: Mutex<StoreCore>
  private let known = Mutex<FrozenState?>(nil)
  private let shownThrough = Atomic<UInt64>(0)

  init(_ core: consuming sending StoreCore) { self.core = Mutex(core) }

  func withLock<Result, Failure: Error>(
    _ body: (inout sending StoreCore) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try core.withLock { (core) throws(Failure) in
      defer { note(&core) }
      return try body(&core)
    }
  }

  /// What readers are shown.
  func shown() -> FrozenState {
    if let shown = known.withLock({ $0 }) { return shown }
    return core.withLock { core in
      let shown = core.shown()
      core.isShownNew = true
      note(&core)
      return shown
    }
  }

  /// Whether readers are shown a transaction of ours, which then stays so: nobody needs a lock to know it.
  func hasShown(_ sequence: SequenceNumber) -> Bool {
    sequence.rawValue <= shownThrough.load(ordering: .acquiring)
  }

  /// Notes what readers are shown from now on, if it is something else.
  private func note(_ core: inout StoreCore) {
    if core.isShownNew {
      core.isShownNew = false
      let shown = core.knownShown
      // What was there goes when nobody waits for this lock.
      let last = known.withLock { known in
        let last = known
        known = shown
        return last
      }
      if let shown { shownThrough.store(shown.sequence.rawValue, ordering: .releasing) }
      withExtendedLifetime(last) {}
    }
    assert(
      known.withLock { $0 == nil || core.knownShown == nil || $0 === core.knownShown },
      "readers are shown what they are to be shown no more")
  }
}

/// The states that a store shows its readers, and when there is a new one.
///
/// It keeps the records and not the store: who waits for a new state does not keep the journal open. When the
/// store is closed or released, there is no new one any more.
package struct ShownStates: Sendable {
  private let core: GuardedCore
  /// The number of new states so far. It ends when there will be none any more.
  package let changes: Signal
  /// The journal, as the caller named it.
  package let path: String

  fileprivate init(_ core: GuardedCore, changes: Signal, path: String) {
    self.core = core
    self.changes = changes
    self.path = path
  }

  /// The newest state.
  package var newest: FrozenState { core.shown() }
}

extension Store {
  /// The states that the store shows its readers.
  package var shownStates: ShownStates {
    ShownStates(core, changes: shownWaiters, path: path)
  }
}
