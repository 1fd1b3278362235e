/// Space filled with zeros before it is needed.
///
/// A durable append into space that was written before does not change the file's size or extents,
/// so its sync has less to make durable: about 1.4 times as fast as one that grows the file.
/// Reserving space without writing it gains nothing reliable.
enum ZeroFill {
  /// The space ahead is a quarter of the journal, within these bounds.
  static let aheadByteCountMin: UInt64 = 64 << 10
  static let aheadByteCountMax: UInt64 = 1 << 20

  private static let piece = [UInt8](repeating: 0, count: 64 << 10)

  static func aheadByteCount(endOffset: UInt64) -> UInt64 {
    min(max(endOffset / 4, aheadByteCountMin), aheadByteCountMax)
  }

  /// Writes zeros over a range.
  static func fill(_ file: any DiskFile, _ range: Range<UInt64>) throws(DiskError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = min(UInt64(piece.count), range.upperBound - offset)
      try file.writeAll(piece.span.bytes.extracting(0..<Int(count)), at: offset)
      offset += count
    }
  }
}
