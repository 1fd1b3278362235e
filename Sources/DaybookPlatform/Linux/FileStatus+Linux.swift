import Glibc

extension FileStatus {
  /// What the system says of an open file; nil if it refuses, with the reason in `errno`.
  ///
  /// The times are not asked for. Once they have been, Linux notes the exact time of the next write in the file's
  /// inode, which that write and the sync behind it have to pay for: with a look before each of many, 5 µs a time.
  init?(descriptor: Int32) {
    let answer = StatusCall.function.flatMap { call in
      withUnsafeTemporaryAllocation(byteCount: StatusCall.answerByteCount, alignment: 8) { bytes in
        let result = call(
          descriptor, "", StatusCall.ofDescriptor, StatusCall.allButTimes, bytes.baseAddress)
        return result == 0 ? FileStatus(answer: UnsafeRawBufferPointer(bytes).bytes) : nil
      }
    }
    if let answer {
      self = answer
      return
    }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { return nil }
    self.init(information)
  }

  /// The answer of `statx`, whose places are the same on every machine.
  private init(answer: RawSpan) {
    func number<Number: BitwiseCopyable>(at offset: Int, as type: Number.Type) -> Number {
      answer.unsafeLoad(fromByteOffset: offset, as: type)
    }
    let major = UInt64(number(at: 136, as: UInt32.self))
    let minor = UInt64(number(at: 140, as: UInt32.self))
    // As `st_dev` has the two.
    let device =
      (major & ~0xfff) << 32 | (major & 0xfff) << 8 | (minor & ~0xff) << 12 | minor & 0xff
    self.init(
      mode: UInt32(number(at: 28, as: UInt16.self)),
      identity: FileIdentity(device: device, number: number(at: 32, as: UInt64.self)),
      byteCount: number(at: 40, as: UInt64.self), linkCount: Int(number(at: 16, as: UInt32.self)),
      owner: number(at: 20, as: UInt32.self), group: number(at: 24, as: UInt32.self))
  }
}

/// The system call `statx`, which Swift's `Glibc` leaves out.
private enum StatusCall {
  typealias Function =
    @convention(c) (
      Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer?
    ) -> Int32

  /// The function; nil if the system has none.
  static let function: Function? = dlsym(nil, "statx").map { unsafeBitCast($0, to: Function.self) }

  static let answerByteCount = 256
  /// The file is the descriptor's, and the path is empty: `AT_EMPTY_PATH`.
  static let ofDescriptor: Int32 = 0x1000
  /// Kind, permissions, names, owner, group, number and size.
  static let allButTimes: UInt32 = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x100 | 0x200
}
