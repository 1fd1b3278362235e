import DaybookPlatform

/// The figures of a child process that runs this program, from its start to its end.
struct ChildProcess {
  /// The duration of the process, in nanoseconds.
  var time: Double
  /// The largest resident memory of the process, mapped files included.
  var peakByteCount: Int

  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Starts this program with other arguments, and waits until it ends.
  ///
  /// - Parameter notePath: The file to which the process writes its peak memory, with
  ///   ``recordPeak(at:)``.
  ///   The peak that the system reports after the end of a process includes the memory of its
  ///   parent at the start.
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
