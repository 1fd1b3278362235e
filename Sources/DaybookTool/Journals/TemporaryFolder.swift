import DaybookJournal
import DaybookPlatform

/// A directory whose files are removed with it, also when a signal ends the process.
///
/// While it exists, a thread waits for the signals that end a process. It removes the directory first and
/// then lets the signal do what it does.
//
// Shared state: `path` and `signals` do not change. The thread reads the signals; it has ended when `remove`
// returns.
final class TemporaryFolder {
  let path: String
  private let signals: SignalPipe
  private var thread: SystemThread?

  /// Creates an empty directory that only this user can read.
  ///
  /// - Throws: ``ToolError`` with `refused`, if there is no place for it.
  init() throws(ToolError) {
    let parent = CurrentProcess.temporaryDirectory
    // The signals are caught before the directory exists, so that none comes between the two.
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

  /// Removes the directory with its files, and restores what signals do.
  private func remove() {
    SystemDisk().removeDirectoryWithFiles(path)
    guard let thread = thread.take() else { return }
    signals.send(TemporaryFolder.end)
    thread.join()
  }

  /// The number that ends the thread; no signal has it.
  private static let end: UInt8 = 0

  private static let stackByteCount = 128 << 10

  /// Starts the thread that waits for signals.
  ///
  /// - Returns: The thread, or nil if the system has none to give; then a signal is acted on when the
  ///   directory is removed.
  private static func watch(_ descriptor: Int32, removing path: String) -> SystemThread? {
    // The system counts the whole stack of a thread as memory of the process, so it is small.
    SystemThread(stackByteCount: stackByteCount) {
      let number = SignalPipe.wait(for: descriptor)
      guard number != TemporaryFolder.end else { return }
      SystemDisk().removeDirectoryWithFiles(path)
      Signals.raiseWithDefaultAction(Int32(number))
    }
  }
}
