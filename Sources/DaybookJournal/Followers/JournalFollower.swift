import DaybookPlatform
import Synchronization

/// A reader of a growing journal. It returns each durable transaction once, in order.
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

  /// Waits until an event may be available, the time is over, or ``wake()`` is called. It may
  /// return early.
  func wait(milliseconds: Int)

  /// Wakes the current or next call of ``wait(milliseconds:)``. Any thread may call this.
  func wake()
}

/// An event that a follower returns.
public enum FollowerEvent: Sendable {
  /// The next transaction.
  case transaction(JournalTransaction)
  /// The journal was compacted past the last transaction that this follower had read. The new state
  /// is that of the base. Its payloads are in the event. The transactions after the base follow.
  case reset(ChainPoint, base: [ByteView])
}

/// A watch for changes in the directory of a journal.
///
/// It keeps no file open, so a waiting thread does not keep the journal.
//
// Shared state: `state`, guarded by its mutex, which is not locked while a thread waits.
package final class JournalWatch: Sendable {
  private struct State {
    /// The disk's watch. The first thread that waits or wakes creates it.
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

  /// Waits until a change is possible, the time is over, or ``wake()`` is called. It may return
  /// early.
  package func wait(milliseconds: Int) {
    let milliseconds = max(0, milliseconds)
    let (watch, returnsAtOnce) = opened()
    // Changes before the watch existed were not observed, so the caller must check again.
    if returnsAtOnce { return }
    if let watch {
      watch.wait(milliseconds: milliseconds)
    } else {
      // If the directory cannot be watched, the caller polls.
      SystemThread.pause(milliseconds: min(milliseconds, 20))
    }
  }

  /// Wakes the current or next call of ``wait(milliseconds:)``. Any thread may call this.
  package func wake() { opened().watch?.wake() }

  /// Wakes the waiting threads and closes the descriptors. Later calls return at once.
  package func close() {
    let watch = state.withLock { state in
      state.isClosed = true
      return state.watch.take()
    }
    watch?.wake()
  }

  /// Returns the disk's watch, nil if it is not available, and a Boolean value that indicates
  /// whether waiting is pointless.
  private func opened() -> (watch: (any DiskWatch)?, returnsAtOnce: Bool) {
    state.withLock { state in
      if state.isClosed { return (nil, true) }
      if state.watch != nil { return (state.watch, false) }
      state.watch = try? disk.watch(directory)
      return (state.watch, state.watch != nil)
    }
  }
}
