import DaybookJournal
import DaybookPlatform
import Synchronization

/// The core of a store with its lock, and a reference to the state that readers see; the reference
/// has its own lock.
///
/// The second lock is held only while the reference is copied or replaced. So a reader does not
/// wait while a save applies its transaction under the first lock. A reader takes the first lock
/// only if the state must be created.
final class GuardedCore: Sendable {
  // Shared state
  //
  // - `core`: guarded by its mutex.
  // - `known`: the state that readers see; nil if that state must be created first. The property is
  //   guarded by its own mutex, and written only while the lock of `core` is held too.
  // - `publishedThrough`: a lower bound of the last published transaction's number, because the
  //   number is recorded when the state is created. The number is written under the lock of `core`,
  //   and read without a lock.

  private let core: Mutex<StoreCore>
  private let known = Mutex<FrozenState?>(nil)
  private let publishedThrough = Atomic<UInt64>(0)

  init(_ core: consuming sending StoreCore) { self.core = Mutex(core) }

  func withLock<Result, Failure: Error>(
    _ body: (inout sending StoreCore) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try core.withLock { (core) throws(Failure) in
      defer { record(&core) }
      return try body(&core)
    }
  }

  /// Returns the state that readers see.
  func published() -> FrozenState {
    if let published = known.withLock({ $0 }) { return published }
    return core.withLock { core in
      let published = core.published()
      core.hasNewPublished = true
      record(&core)
      return published
    }
  }

  /// Returns true only if a transaction of this process is published; can return false until the
  /// published state is created. No lock is needed, because a published transaction stays visible.
  func hasPublished(_ sequence: SequenceNumber) -> Bool {
    sequence.rawValue <= publishedThrough.load(ordering: .acquiring)
  }

  /// Updates `known` if the core has a new state for readers, and `publishedThrough` if that state
  /// is already created.
  private func record(_ core: inout StoreCore) {
    if core.hasNewPublished {
      core.hasNewPublished = false
      let published = core.knownPublished
      // The method drops the previous state after it releases the lock of `known`, because a
      // deallocation takes time and readers wait.
      let last = known.withLock { known in
        let last = known
        known = published
        return last
      }
      if let published { publishedThrough.store(published.sequence.rawValue, ordering: .releasing) }
      withExtendedLifetime(last) {}
    }
    assert(
      known.withLock { $0 == nil || core.knownPublished == nil || $0 === core.knownPublished },
      "a closed store published a new state")
  }
}

/// The current state that a store shows its readers, and a signal for new states.
///
/// An observer that waits for new states uses this value instead of the store. The value retains
/// the records but not the store, so that the observer does not keep the journal open. After the
/// store is closed or released, no new state follows.
package struct PublishedStates: Sendable {
  private let core: GuardedCore
  /// A counter that increases with every new state. The signal ends when no new state can follow.
  package let changes: Signal
  /// The path of the journal, as the caller passed it.
  package let path: String

  fileprivate init(_ core: GuardedCore, changes: Signal, path: String) {
    self.core = core
    self.changes = changes
    self.path = path
  }

  /// The newest published state.
  package var newest: FrozenState { core.published() }
}

extension Store {
  /// The current state that the store shows its readers, and the signal for new states.
  package var publishedStates: PublishedStates {
    PublishedStates(core, changes: publications, path: path)
  }
}
