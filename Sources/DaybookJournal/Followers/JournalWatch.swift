import DaybookPlatform
import Synchronization

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
