import Glibc

/// Another process of this program, from its start to its end.
struct ChildProcess {
  /// How long it took, in nanoseconds.
  var time: Double
  /// The most that it had in memory, mapped files included.
  var peakByteCount: Int

  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts this program with other arguments, and waits until it ends.
  ///
  /// - Parameter notePath: Where the process notes its peak with ``notePeak(at:)``: what the system says when
  ///   it has ended includes what its parent had when it was started.
  static func run(_ arguments: [String], notePath: String) throws -> ChildProcess {
    let program = "/proc/self/exe"
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments + [notePath])
      .map { strdup($0) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    var status: Int32 = 0
    var code: Int32 = 0
    let time = timed {
      code = posix_spawn(&process, program, nil, nil, words, environ)
      if code == 0 {
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
      }
    }
    guard code == 0 else { throw Refusal(description: "\(program): errno \(code)") }
    guard status == 0 else {
      throw Refusal(description: "\(arguments.joined(separator: " ")) ended with \(status)")
    }
    guard let file = fopen(notePath, "r") else {
      throw Refusal(description: "\(notePath): errno \(errno)")
    }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 32)
    fgets(&line, Int32(line.count), file)
    return ChildProcess(time: time, peakByteCount: strtol(line, nil, 10))
  }

  /// Notes how much this process has had in memory at most.
  static func notePeak(at path: String) {
    guard let file = fopen(path, "w") else { return }
    fputs("\(ProcessMemory.peakByteCount)\n", file)
    fclose(file)
  }
}
