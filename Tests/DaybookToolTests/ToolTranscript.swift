import DaybookJournal
import Glibc
import Synchronization
import TestSupport

/// A shell session as text: commands behind `$ `, and under each what it printed.
///
/// ```
/// $ daybook show Journal/Samples/games.jsonl Gmae
/// there is no entity Gmae; Game is the nearest.
/// [exit 2]
/// ```
///
/// What goes to standard error stands behind what goes to standard output. `[exit N]` stands there if the
/// command did not end with 0. `$SCRATCH` is a directory of the session's own. Lines before the first command
/// say what the session is about.
struct ToolTranscript {
  let name: String
  private let lines: [String]

  static let directory = "Tests/DaybookToolTests/Transcripts"

  static var names: [String] {
    get throws { try ProjectFiles.names(in: directory).filter { $0.hasSuffix(".txt") } }
  }

  init(_ name: String) throws {
    self.name = name
    lines = try ProjectFiles.lines("\(ToolTranscript.directory)/\(name)")
  }

  /// The session as the tool that was built has it now.
  func played() throws -> [String] {
    try TemporaryDirectory.with { scratch in
      let program = try ToolTranscript.program()
      var played = Array(lines.prefix { !$0.hasPrefix("$ ") })
      for (index, command) in lines.filter({ $0.hasPrefix("$ ") }).enumerated() {
        if index > 0 { played.append("") }
        played.append(command)
        played += try ToolTranscript.run(String(command.dropFirst(2)), program, scratch)
      }
      return played + [""]
    }
  }

  // Held while a process is started and ends, so that it inherits no end of another's pipe.
  private static let running = Mutex(())

  /// Starts a process that goes on beside others.
  static func startedAlone(
    _ start: () -> UnsafeMutablePointer<FILE>?
  ) -> UnsafeMutablePointer<FILE>? {
    running.withLock { _ in Started(pipe: start()) }.pipe
  }

  private struct Started: @unchecked Sendable {
    // Handed on to the one thread that asked for it.
    let pipe: UnsafeMutablePointer<FILE>?
  }

  private static func run(
    _ command: String, _ program: String, _ scratch: TemporaryDirectory
  ) throws -> [String] {
    let errors = scratch.path("errors")
    let script = """
      cd '\(ProjectFiles.root)'; SCRATCH='\(scratch.path)'; daybook() { '\(program)' "$@"; }
      export TERM=xterm; unset COLUMNS NO_COLOR; \(command)
      """
    let path = try scratch.write(Array(script.utf8), to: "script")
    return try running.withLock { _ in
      guard let pipe = popen("/bin/bash '\(path)' 2>'\(errors)'", "re") else {
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
  }

  /// The tool that was built beside the tests.
  static func program() throws -> String {
    let tests = try SystemDisk().resolve("/proc/self/exe")
    return FilePaths.join(FilePaths.split(tests).directory, "daybook")
  }
}
