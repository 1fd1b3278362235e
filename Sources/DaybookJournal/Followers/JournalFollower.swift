import DaybookPlatform
import Synchronization

/// Reads a journal as it grows: what is durable, in order, each transaction once.
///
/// ```swift
/// let follower = try journal.follow(after: nil)
/// while running {
///   while let event = try follower.next() { handle(event) }
///   follower.wait(milliseconds: 1000)
/// }
/// ```
public protocol JournalFollower: AnyObject, Sendable {
  /// What came next, or nil if nothing has yet.
  func next() throws(JournalError) -> FollowerEvent?

  /// Waits until something may have come, or the time is over, or ``wake()``. It may return early.
  func wait(milliseconds: Int)

  /// Makes the present or next ``wait(milliseconds:)`` return at once, from any thread.
  func wake()
}

/// What a follower hears.
public enum FollowerEvent: Sendable {
  /// The next transaction.
  case transaction(JournalTransaction)
  /// The journal was compacted beyond what this follower had read. Its state is now that of the
  /// base; the payloads that make it up are given, and the transactions after the base come next.
  case reset(ChainPoint, base: [ByteView])
}

/// Waits for changes beside a journal, on the directory that it is in.
///
/// It keeps no file open, so that a thread that waits does not keep the journal.
//
// Shared state: `state`, guarded by its mutex, which is not held while a thread waits.
package final class JournalWatch: Sendable {
  private struct State {
    /// The disk's watch, made by the first thread that waits or wakes.
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

  /// Waits until something may have changed, or the time is over, or ``wake()``. It may return early.
  package func wait(milliseconds: Int) {
    let milliseconds = max(0, milliseconds)
    let (watch, returnsAtOnce) = opened()
    // What came before there was a watch was seen by nobody: the caller is to look again.
    if returnsAtOnce { return }
    if let watch {
      watch.wait(milliseconds: milliseconds)
    } else {
      // Where nothing can be watched, look every now and then.
      SystemThread.pause(milliseconds: min(milliseconds, 20))
    }
  }

  /// Makes the present or next ``wait(milliseconds:)`` return at once, from any thread.
  package func wake() { opened().watch?.wake() }

  /// Wakes who waits, and gives back the descriptors. Nobody waits any more.
  package func close() {
    let watch = state.withLock { state in
      state.isClosed = true
      return state.watch.take()
    }
    watch?.wake()
  }

  /// The disk's watch, nil if there can be none, and whether there is no use in waiting.
  private func opened() -> (watch: (any DiskWatch)?, returnsAtOnce: Bool) {
    state.withLock { state in
      if state.isClosed { return (nil, true) }
      if state.watch != nil { return (state.watch, false) }
      state.watch = try? disk.watch(directory)
      return (state.watch, state.watch != nil)
    }
  }
}
