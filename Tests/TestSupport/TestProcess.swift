import DaybookCLibrary
import Synchronization

/// A real process that runs a program of the tests, with a pipe to it and one from it.
///
/// It is killed, if it still runs, when the object is released.
package final class TestProcess {
  package let process: pid_t
  private var input: Int32
  private let output: Int32
  private var buffered: [UInt8] = []
  private var status: Int32?

  // A lock for creating pipes and starting a process, so that no other child inherits the ends of
  // its pipes and keeps them open.
  private static let starting = Mutex(())

  /// Starts a process with these arguments.
  package init(_ arguments: String..., program: String = "JournalChild") throws {
    (process, input, output) = try TestProcess.starting.withLock { _ in
      try TestProcess.start(arguments, program: try TestProcess.path(of: program))
    }
  }

  private static func start(
    _ arguments: [String], program: String
  ) throws -> (process: pid_t, input: Int32, output: Int32) {
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
      throw Surprise("a pipe cannot be made: errno \(errno)")
    }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer {
      close(toChild[0])
      close(fromChild[1])
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)

    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, program, &actions, nil, words, environ)
    guard code == 0 else { throw Surprise("\(program): errno \(code)") }
    return (process, toChild[1], fromChild[0])
  }

  deinit {
    end()
    closeInput()
    close(output)
  }

  /// The binary, which is built into the directory of the running test bundle.
  private static func path(of program: String) throws -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        text.baseAddress.map { readlink("/proc/self/exe", $0, text.count) } ?? -1
      }
    }
    guard let slash = buffer[..<max(0, count)].lastIndex(of: UInt8(ascii: "/")) else {
      throw Surprise("the running program has no path: errno \(errno)")
    }
    return String(decoding: buffer[...slash], as: UTF8.self) + program
  }

  /// Sends a byte.
  package func call() throws {
    guard write(input, [1], 1) == 1 else { throw Surprise("calling a child: errno \(errno)") }
  }

  /// Closes the pipe to the process.
  package func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// The next line, or nil if the process has ended.
  package func line() -> String? {
    while true {
      if let end = buffered.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffered[..<end], as: UTF8.self)
        buffered.removeSubrange(...end)
        return line
      }
      guard more() else { return nil }
    }
  }

  /// Returns the next bytes, or nil if the process ends before them.
  package func bytes(_ count: Int) -> [UInt8]? {
    while buffered.count < count {
      guard more() else { return nil }
    }
    defer { buffered.removeFirst(count) }
    return Array(buffered[..<count])
  }

  private func more() -> Bool {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(output, &piece, piece.count)
    guard count > 0 else { return count < 0 && errno == EINTR }
    buffered += piece[..<count]
    return true
  }

  /// Kills the process, as only SIGKILL can, and waits until it is gone.
  package func end() {
    if status == nil { kill(process, SIGKILL) }
    wait()
  }

  /// Waits until the process has ended, and returns its status.
  @discardableResult
  package func wait() -> Int32 {
    if let status { return status }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    self.status = status
    return status
  }
}
