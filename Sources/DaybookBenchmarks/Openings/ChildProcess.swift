import DaybookPlatform

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

  /// Notes how much this process has had in memory at most.
  static func notePeak(at path: String) {
    guard let file = try? FileDescriptor.create(path, permissions: 0o644) else { return }
    try? file.writeAll(Array("\(ProcessMemory.peakByteCount)\n".utf8).span.bytes)
    file.close()
  }
}
