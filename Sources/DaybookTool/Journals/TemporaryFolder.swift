import DaybookJournal
import Glibc

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
  private var thread: pthread_t?

  /// Creates an empty directory that only this user can read.
  ///
  /// - Throws: ``ToolError`` with `refused`, if there is no place for it.
  init() throws(ToolError) {
    let given = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let parent = given.isEmpty ? "/tmp" : given
    // The signals are caught before the directory exists, so that none comes between the two.
    guard let signals = SignalPipe([SIGINT, SIGTERM, SIGHUP]) else {
      throw ToolError(.refused, "\(DiskError(.create, path: parent, code: errno))")
    }
    self.signals = signals
    var template = Array("\(parent)/daybook-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ToolError(.refused, "\(DiskError(.create, path: parent, code: errno))")
    }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    thread = TemporaryFolder.watch(self.signals.descriptor, path)
  }

  deinit { remove() }

  /// Removes the directory with its files, and restores what signals do.
  private func remove() {
    TemporaryFolder.remove(path)
    guard let thread else { return }
    signals.send(TemporaryFolder.end)
    pthread_join(thread, nil)
    self.thread = nil
  }

  /// The number that ends the thread; no signal has it.
  private static let end: UInt8 = 0

  private static let stackByteCount = 128 << 10

  /// What the thread needs.
  private final class Watched: Sendable {
    let descriptor: Int32
    let path: String

    init(_ descriptor: Int32, path: String) {
      self.descriptor = descriptor
      self.path = path
    }
  }

  /// Starts the thread that waits for signals.
  ///
  /// - Returns: The thread, or nil if the system has none to give; then a signal is acted on when the
  ///   directory is removed.
  private static func watch(_ descriptor: Int32, _ path: String) -> pthread_t? {
    var thread = pthread_t()
    let watched = Unmanaged.passRetained(Watched(descriptor, path: path))
    // The system counts the whole stack of a thread as memory of the process, so it is small.
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, stackByteCount)
    let status = pthread_create(
      &thread, &attributes,
      { argument in
        guard let argument else { return nil }
        let watched = Unmanaged<Watched>.fromOpaque(argument).takeRetainedValue()
        let number = SignalPipe.wait(for: watched.descriptor)
        if number != TemporaryFolder.end {
          TemporaryFolder.remove(watched.path)
          signal(Int32(number), SIG_DFL)
          raise(Int32(number))
        }
        return nil
      }, watched.toOpaque())
    guard status == 0 else {
      watched.release()
      return nil
    }
    return thread
  }

  private static func remove(_ path: String) {
    if let directory = opendir(path) {
      defer { closedir(directory) }
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { unlink("\(path)/\(name)") }
      }
    }
    rmdir(path)
  }
}
