/// How far readers in other processes may read, as the writer publishes it after each sync.
///
/// ```
///   0  salt        u64   of the journal it belongs to
///   8  sequence    u64   the highest sequence synced
///  16  end offset  u64   where the frame of that transaction ends
///  24  end check   u64   the check that ends it
///  32  zeros       24 bytes
///  56  check       u64   of the 56 bytes above, seeded with the salt
/// ```
///
/// It stands alone in a file beside the journal, `banks.daybook-end`, is never synced, and may be
/// deleted at any time: readers then go by what the journal itself proves. A reader that comes upon
/// it half written sees a check that does not hold, and looks again.
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

  /// The committed end in these bytes, or nil if they hold none, or half of one.
  package init?(_ bytes: ByteView) {
    guard bytes.count >= CommittedEnd.byteCount else { return nil }
    let salt = bytes.load(0, as: UInt64.self)
    let computed = bytes[0..<56].withSpan { XXH64.check($0, seed: salt) }
    guard bytes.load(56, as: UInt64.self) == computed else { return nil }
    self.init(salt: salt, end: FrameEnd(bytes, at: 8))
  }
}
