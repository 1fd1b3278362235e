import Synchronization

/// The core of a store behind its lock.
///
/// Whoever holds the lock finds every transaction folded that has a number.
struct GuardedCore: ~Copyable, Sendable {
  private let core: Mutex<StoreCore>

  init(_ core: sending StoreCore) { self.core = Mutex(core) }

  borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending StoreCore) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try core.withLock { (core) throws(Failure) in
      core.foldNumbered()
      return try body(&core)
    }
  }

  /// Folds the transaction that was left for later, if it still is: for whoever waits for the disk, to make use of
  /// that time. Who has the lock now has folded it.
  borrowing func foldNumbered() {
    _ = core.withLockIfAvailable { $0.foldNumbered() }
  }
}
