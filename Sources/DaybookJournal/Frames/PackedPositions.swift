/// Positions between frames, in the form that a checkpoint stores. A position is decoded when it is
/// read, so that opening a journal does not decode all positions.
///
/// ```
///   0  offset    u64   the start of the next frame
///   8  part      u64   the number of base frames read + 1; 0 after the base
///  16  sequence  u64
///  24  time      i64
///  32  check     u64
/// ```
struct PackedPositions: Sendable {
  static let entryByteCount = 40

  private let bytes: [UInt8]
  private let start: Int
  private(set) var count: Int

  /// Creates an empty list of positions.
  init() { (bytes, start, count) = ([], 0, 0) }

  /// Creates a list of the positions that some bytes contain from an offset on. Returns nil if the
  /// bytes are too short, or if the positions are not in ascending order. The list keeps the bytes.
  ///
  /// - Complexity: O(*n*) in the number of positions; only their offsets are read
  init?(_ bytes: [UInt8], at start: Int, count: Int) {
    guard start >= 0, start <= bytes.count, count >= 0,
      count <= (bytes.count - start) / PackedPositions.entryByteCount
    else { return nil }
    (self.bytes, self.start, self.count) = (bytes, start, count)
    let span = bytes.span.bytes
    var least: UInt64 = 0
    for index in 0..<count {
      let offset = PackedPositions.number(
        span, at: start + index * PackedPositions.entryByteCount, as: UInt64.self)
      // No file is larger than `Int64.max` bytes.
      guard offset >= least, offset <= UInt64(Int64.max) else { return nil }
      least = offset + 1
    }
  }

  /// Returns the start offset of the frame after the position with an index.
  @inline(__always)
  func offset(_ index: Int) -> UInt64 { number(index, at: 0) }

  @inline(__always)
  subscript(index: Int) -> FramePosition {
    let part: UInt64 = number(index, at: 8)
    return FramePosition(
      chain: FrameChain(
        part: part == 0 ? .transactions : .base(frameCount: part - 1),
        point: ChainPoint(
          sequence: SequenceNumber(number(index, at: 16)),
          time: JournalTime(nanoseconds: number(index, at: 24)), checksum: number(index, at: 32))),
      endOffset: offset(index))
  }

  /// Drops all positions except the first `newCount`.
  mutating func truncate(to newCount: Int) {
    precondition(newCount >= 0 && newCount <= count, "cannot keep \(newCount) of \(count) offsets")
    count = newCount
  }

  /// Returns the stored form of all positions, followed by the stored form of more positions.
  func bytes(with entries: [FramePosition]) -> [UInt8] {
    let byteCount = count * PackedPositions.entryByteCount
    var packed: [UInt8] = []
    packed.reserveCapacity(byteCount + entries.count * PackedPositions.entryByteCount)
    packed += bytes[start..<start + byteCount]
    func append<Number: FixedWidthInteger>(_ number: Number) {
      withUnsafeBytes(of: number.littleEndian) { packed += $0 }
    }
    for entry in entries {
      append(entry.endOffset)
      switch entry.chain.part {
      case .base(let frameCount): append(frameCount + 1)
      case .transactions: append(UInt64.zero)
      }
      append(entry.chain.point.sequence.rawValue)
      append(entry.chain.point.time.nanoseconds)
      append(entry.chain.point.checksum)
    }
    return packed
  }

  @inline(__always)
  private func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ index: Int, at field: Int
  ) -> Number {
    precondition(index >= 0 && index < count, "place \(index) of \(count)")
    return PackedPositions.number(
      bytes.span.bytes, at: start + index * PackedPositions.entryByteCount + field)
  }

  @inline(__always)
  private static func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: RawSpan, at offset: Int, as type: Number.Type = Number.self
  ) -> Number {
    Number(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type))
  }
}
