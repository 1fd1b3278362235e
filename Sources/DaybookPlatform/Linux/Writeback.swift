import Glibc

/// The system call that has the disk begin to write what a file has in memory, without waiting for it.
///
/// With this flag alone, it takes no note of errors: they stay with the file until a sync asks for them.
enum Writeback {
  private typealias Call = @convention(c) (Int32, Int64, Int64, UInt32) -> Int32
  private static let writeOnly: UInt32 = 2

  /// The function, which Swift's `Glibc` leaves out; nil if the system has none.
  private static let call: Call? = dlsym(nil, "sync_file_range").map {
    unsafeBitCast($0, to: Call.self)
  }

  /// Begins with some bytes of a file. Nothing happens if the system cannot.
  static func begin(_ descriptor: Int32, at offset: off_t, byteCount: Int) {
    _ = call?(descriptor, Int64(offset), Int64(byteCount), writeOnly)
  }
}
