import DaybookJournal
import DaybookPlatform

/// A temporary directory for the import of a text journal. It is removed with its files, even if a
/// signal ends the process.
///
/// While the directory exists, a thread waits for signals that end a process. When such a signal
/// arrives, the thread removes the directory, and then raises the signal with its default action.
//
// Shared state: the thread uses copies of the path and of the descriptor of `signals`, which do not
// change. The thread has ended when `remove` returns.
final class TemporaryFolder {
  let path: String
  private let signals: SignalPipe
  private var thread: SystemThread?

  /// Creates an empty directory that only this user can read.
  ///
  /// - Throws: ``ToolError`` with `refused` if the directory cannot be created.
  init() throws(ToolError) {
    let parent = CurrentProcess.temporaryDirectory
    // The pipe catches signals before the directory is created, so that every signal leads to its
    // removal.
    guard let signals = SignalPipe(SignalPipe.ending) else {
      throw ToolError(.refused, sentence: "\(DiskError(.create, path: parent, code: Errno.last))")
    }
    self.signals = signals
    do throws(DiskError) {
      path = try SystemDisk().createTemporaryDirectory(
        FilePaths.join(parent, name: "daybook-XXXXXX"))
    } catch {
      throw ToolError(.refused, sentence: "\(DiskError(.create, path: parent, code: error.code))")
    }
    thread = TemporaryFolder.watch(self.signals.descriptor, removing: path)
  }

  deinit { remove() }

  /// Removes the directory with its files, and restores the default handling of signals.
  private func remove() {
    SystemDisk().removeDirectoryWithFiles(path)
    guard let thread = thread.take() else { return }
    signals.send(TemporaryFolder.end)
    thread.join()
  }

  /// The byte that tells the thread to end. No signal has this number.
  private static let end: UInt8 = 0

  private static let stackByteCount = 128 << 10

  /// Starts the thread that waits for signals.
  ///
  /// - Returns: The thread; nil if the system cannot create one. In that case, a signal has no
  ///   effect until the directory is removed.
  private static func watch(_ descriptor: Int32, removing path: String) -> SystemThread? {
    // The system counts the whole stack of a thread as memory of the process, so the stack is
    // small.
    SystemThread(stackByteCount: stackByteCount) {
      let number = SignalPipe.wait(for: descriptor)
      guard number != TemporaryFolder.end else { return }
      SystemDisk().removeDirectoryWithFiles(path)
      Signals.raiseWithDefaultAction(Int32(number))
    }
  }
}
