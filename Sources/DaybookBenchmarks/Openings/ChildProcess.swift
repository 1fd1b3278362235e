import DaybookPlatform

/// The duration and the memory of a child process that runs this program.
struct ChildProcess {
  /// The duration of the process, in nanoseconds.
  var time: Double
  /// The largest resident memory of the process, including mapped files.
  var peakByteCount: Int

  /// The error of a child process that ended with an error status.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts this program with other arguments, and waits until it ends.
  ///
  /// The process writes its peak memory to a file. The parent cannot use the peak that the system
  /// reports after the end of a process, because this peak includes the memory of the parent at the
  /// start.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of the process.
  ///   - notePath: The path of the file with the peak memory; see ``recordPeak(at:)``.
  static func run(_ arguments: [String], notePath: String) throws -> ChildProcess {
    let program = CurrentProcess.programPath
    var status: Int32 = 0
    let time = try timed {
      status = try CurrentProcess.run(program, arguments: arguments + [notePath])
    }
    guard status == 0 else {
      throw Refusal(description: "\(arguments.joined(separator: " ")) ended with \(status)")
    }
    let note = try SystemDisk().open(notePath, for: .reading).bytes(at: 0, count: 32)
    let digits = String(decoding: note.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return ChildProcess(time: time, peakByteCount: Int(digits) ?? 0)
  }

  /// Writes the peak memory of this process to a file.
  static func recordPeak(at path: String) {
    guard let file = try? FileDescriptor.create(path, permissions: 0o644) else { return }
    try? file.writeAll(Array("\(ProcessMemory.peakByteCount)\n".utf8).span.bytes)
    file.close()
  }
}
