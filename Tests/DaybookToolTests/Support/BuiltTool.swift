import DaybookJournal
import DaybookPlatform
import Glibc
import Synchronization
import TestSupport

/// The tool that was built beside the tests, in a shell.
enum BuiltTool {
  // Held while a process is started, so that it inherits no end of another's pipe. Processes run
  // beside each other: to wait for one another they would hold all threads of the test process.
  private static let starting = Mutex(())

  /// What a command prints in bash: standard output, then standard error, then how it ended if not with 0.
  ///
  /// The tool is in the path of whatever the command starts, and `$SCRATCH` is the directory.
  static func run(_ command: String, _ scratch: TemporaryDirectory) throws -> [String] {
    let errors = scratch.path("errors")
    let script = """
      cd '\(ProjectFiles.root)'; SCRATCH='\(scratch.path)'; PATH='\(try directory)':$PATH
      export SCRATCH PATH TERM=xterm LC_ALL=C.UTF-8; unset COLUMNS NO_COLOR TMPDIR; \(command)
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

  /// Starts a process that goes on beside others: whoever reads the pipe closes it with `pclose`.
  static func started(_ command: String) throws -> UnsafeMutablePointer<FILE>? {
    start("PATH='\(try directory)':$PATH; \(command)")
  }

  private static func start(_ line: String) -> UnsafeMutablePointer<FILE>? {
    struct Started: @unchecked Sendable {
      // Handed on to the one thread that asked for it.
      let pipe: UnsafeMutablePointer<FILE>?
    }
    return starting.withLock { _ in Started(pipe: popen(line, "re")) }.pipe
  }

  /// Whether a program is there; tests of what other programs make of the tool's output need them.
  static func has(_ program: String) -> Bool {
    system("command -v \(program) >/dev/null 2>&1") == 0
  }

  /// Where it is.
  static var path: String { get throws { FilePaths.join(try directory, name: "daybook") } }

  private static var directory: String {
    get throws { FilePaths.split(try SystemDisk().resolve("/proc/self/exe")).directory }
  }
}
