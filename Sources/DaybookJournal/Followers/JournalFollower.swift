import DaybookPlatform
import Synchronization

/// A reader of a growing journal, which returns each durable transaction once, in order.
/// ``Journal/follow(after:)`` creates it.
///
/// ```swift
/// let follower = try journal.follow(after: nil)
/// while running {
///   while let event = try follower.next() { handle(event) }
///   follower.wait(milliseconds: 1000)
/// }
/// ```
public protocol JournalFollower: AnyObject, Sendable {
  /// Returns the next event; nil if no event is available yet.
  func next() throws(JournalError) -> FollowerEvent?

  /// Waits until an event may be available, the time is over, or ``wake()`` is called. The call may
  /// return early.
  func wait(milliseconds: Int)

  /// Wakes the current or next call of ``wait(milliseconds:)``. Any thread may call this method.
  func wake()
}

/// An event that a follower returns.
public enum FollowerEvent: Sendable {
  /// The next transaction.
  case transaction(JournalTransaction)
  /// Compaction has dropped transactions that this follower had not read. The reader of the event
  /// must replace its state with the state of the base. The event contains the base: the last
  /// dropped transaction, and the payloads of the state after it. The next events are the
  /// transactions after the base.
  case reset(ChainPoint, base: [ByteView])
}

/// A watch for changes in the directory of a journal.
///
/// A thread that waits refers only to the watch. So it does not keep the journal's file open.
//
// Shared state: `state`, guarded by its mutex, which is not locked while a thread waits.
package final class JournalWatch: Sendable {
  private struct State {
    /// The disk's watch; nil before the first thread waits or wakes, and after ``close()``.
    var watch: (any DiskWatch)?
    var isClosed = false
  }

  private let directory: String
  private let disk: any Disk
  private let state = Mutex(State())

  init(of directory: String, on disk: any Disk) {
    self.directory = directory
    self.disk = disk
  }

  /// Waits until a change is possible, the time is over, or ``wake()`` is called. The call may
  /// return early.
  package func wait(milliseconds: Int) {
    let milliseconds = max(0, milliseconds)
    let (watch, returnsAtOnce) = opened()
    // A new watch has not observed the changes before its creation, so the caller must check again.
    if returnsAtOnce { return }
    if let watch {
      watch.wait(milliseconds: milliseconds)
    } else {
      // If the directory cannot be watched, this method returns after a short time, so that the
      // caller polls.
      SystemThread.pause(milliseconds: min(milliseconds, 20))
    }
  }

  /// Wakes the current or next call of ``wait(milliseconds:)``. Any thread may call this method.
  package func wake() { opened().watch?.wake() }

  /// Wakes the waiting threads and closes the descriptors. Later calls of ``wait(milliseconds:)``
  /// return at once.
  package func close() {
    let watch = state.withLock { state in
      state.isClosed = true
      return state.watch.take()
    }
    watch?.wake()
  }

  /// Creates the disk's watch, if it does not exist yet.
  ///
  /// - Returns: The watch, or nil if it is not available; and a Boolean value that is true if the
  ///   watch is new or closed. Then a caller must not wait.
  private func opened() -> (watch: (any DiskWatch)?, returnsAtOnce: Bool) {
    state.withLock { state in
      if state.isClosed { return (nil, true) }
      if state.watch != nil { return (state.watch, false) }
      state.watch = try? disk.watch(directory)
      return (state.watch, state.watch != nil)
    }
  }
}
