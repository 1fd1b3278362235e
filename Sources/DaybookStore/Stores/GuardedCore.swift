import DaybookJournal
import Synchronization

/// The core of a store behind its lock, and what readers are shown beside it.
///
/// Whoever holds the lock finds every transaction folded that has a number. Who only wants what readers are shown
/// need not wait for whoever folds: that has a lock of its own, which is held for as long as it takes to copy a
/// reference.
struct GuardedCore: ~Copyable, Sendable {
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

  borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending StoreCore) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try core.withLock { (core) throws(Failure) in
      core.foldNumbered()
      defer { note(&core) }
      return try body(&core)
    }
  }

  /// What readers are shown.
  borrowing func shown() -> FrozenState {
    if let shown = known.withLock({ $0 }) { return shown }
    return core.withLock { core in
      core.foldNumbered()
      let shown = core.shown()
      core.isShownNew = true
      note(&core)
      return shown
    }
  }

  /// Whether readers are shown a transaction of ours, which then stays so: nobody needs a lock to know it.
  borrowing func hasShown(_ sequence: SequenceNumber) -> Bool {
    sequence.rawValue <= shownThrough.load(ordering: .acquiring)
  }

  /// Folds the transaction that was left for later, if it still is: for whoever waits for the disk, to make use of
  /// that time. Who has the lock now has folded it.
  borrowing func foldNumbered() {
    _ = core.withLockIfAvailable { $0.foldNumbered() }
  }

  /// Notes what readers are shown from now on, if it is something else.
  private borrowing func note(_ core: inout StoreCore) {
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
