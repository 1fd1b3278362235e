import DaybookCLibrary
import DaybookJournal
import DaybookPlatform
import Synchronization
import TestSupport

/// The built tool, run by a shell.
enum BuiltTool {
  // The lock prevents that a new process inherits the pipe of another. Processes themselves run
  // concurrently; if each test waited for the others, they would block all threads of the test
  // process.
  private static let starting = Mutex(())

  /// Runs a command in bash, and returns standard output, then standard error, then the exit status
  /// if it is not 0.
  ///
  /// The directory of the tool is in the path of the command, and `$SCRATCH` is the scratch
  /// directory.
  static func run(_ command: String, _ scratch: TemporaryDirectory) throws -> [String] {
    let errors = scratch.path("errors")
    let script = """
      cd '\(ProjectFiles.root)'; SCRATCH='\(scratch.path)'; PATH='\(try directory)':$PATH
      export SCRATCH PATH TERM=xterm LC_ALL=C.UTF-8 DAYBOOK_PAGER=
      unset COLUMNS NO_COLOR TMPDIR PAGER LESS DAYBOOK_NOW; \(command)
      """
    let path = try scratch.write(Array(script.utf8), to: "script")
    guard let pipe = start("/bin/bash '\(path)' 2>'\(errors)' </dev/null") else {
      throw Surprise("\(command): errno \(errno)")
    }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&piece, 1, piece.count, pipe)
      if count == 0 { break }
      bytes += piece[..<count]
    }
    let status = pclose(pipe)
    bytes += try scratch.bytes(of: "errors")
    let text = String(decoding: bytes, as: UTF8.self).replacing(scratch.path, with: "$SCRATCH")
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    let exit = status >> 8 & 0xFF
    return exit == 0 ? lines : lines + ["[exit \(exit)]"]
  }

  /// Starts a process that runs concurrently. The caller closes the pipe with `pclose`.
  static func started(_ command: String) throws -> UnsafeMutablePointer<FILE>? {
    start("PATH='\(try directory)':$PATH; \(command)")
  }

  private static func start(_ line: String) -> UnsafeMutablePointer<FILE>? {
    struct Started: @unchecked Sendable {
      // The pipe is used only by the thread that requested it.
      let pipe: UnsafeMutablePointer<FILE>?
    }
    return starting.withLock { _ in Started(pipe: popen(line, "re")) }.pipe
  }

  /// Returns whether a program is installed. Some tests pass output of the tool to other programs.
  static func has(_ program: String) -> Bool {
    system("command -v \(program) >/dev/null 2>&1") == 0
  }

  /// The path of the tool.
  static var path: String { get throws { FilePaths.join(try directory, name: "daybook") } }

  private static var directory: String {
    get throws { FilePaths.split(try SystemDisk().resolve("/proc/self/exe")).directory }
  }
}
