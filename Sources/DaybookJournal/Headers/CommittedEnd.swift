/// The durable position of a journal, as its writer publishes it for readers in other processes.
/// The writer publishes it after each sync. While a writer is active, readers read up to this
/// position.
///
/// ```
///   0  salt        u64   of the journal that it belongs to
///   8  sequence    u64   the highest sequence synced
///  16  end offset  u64   the end of the frame of that transaction
///  24  end check   u64   the checksum that ends that frame
///  32  zeros       24 bytes
///  56  check       u64   the checksum of the 56 bytes above, seeded with the salt
/// ```
///
/// The committed end has its own file beside the journal, for example `banks.daybook-end`. The file
/// is never synced, and may be deleted at any time. Without the file, readers use the marks and the
/// `durable` numbers in the frames. If a reader reads a half-written committed end, the checksum is
/// wrong, and the reader continues as if the file did not exist.
package struct CommittedEnd: Hashable, Sendable {
  package static let byteCount = 64

  package var salt: UInt64
  package var end: FrameEnd

  package init(salt: UInt64, end: FrameEnd) {
    self.salt = salt
    self.end = end
  }

  package func bytes() -> [UInt8] {
    var page = PageWriter(byteCount: CommittedEnd.byteCount)
    page.append(salt)
    page.append(end)
    page.fill(to: 56)
    page.appendCheck(seed: salt)
    return page.bytes
  }

  /// Creates the committed end from bytes; nil if the bytes are too short or have a wrong checksum.
  package init?(_ bytes: ByteView) {
    guard bytes.count >= CommittedEnd.byteCount else { return nil }
    let salt = bytes.load(0, as: UInt64.self)
    let computed = bytes[0..<56].withSpan { XXH64.checksum($0, seed: salt) }
    guard bytes.load(56, as: UInt64.self) == computed else { return nil }
    self.init(salt: salt, end: FrameEnd(bytes, at: 8))
  }

  /// Returns whether bytes with a wrong checksum can be those of a damaged committed end. There are
  /// no bytes then, or 64 bytes with zeros from 32 to 55. A text has no zeros there.
  package static func isRemnant(_ bytes: ByteView) -> Bool {
    if bytes.count == 0 { return true }
    return bytes.count == byteCount && bytes[32..<56].copy().allSatisfy { $0 == 0 }
  }
}
