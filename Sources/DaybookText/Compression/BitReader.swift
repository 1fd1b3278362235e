import DaybookJournal

/// An error that occurs while compressed bytes are read.
enum GzipError: Error, Hashable {
  case disk(DiskError)
  /// The bytes are damaged. The sentence contains the offset of the damage.
  case damaged(String)
}

/// A reader of the bits of compressed bytes, the lowest bit of each byte first.
struct BitReader {
  private let source: LineReader.Source
  private let buffer = LineBuffer(byteCount: LineReader.pieceByteCount)
  private var bufferIndex = 0
  private var filled = 0
  private var isAtEnd = false
  /// The next bits, the first one lowest; bits above ``bitCount`` are 0.
  private(set) var bits: UInt64 = 0
  private var bitCount = 0
  /// The number of bytes before the buffer.
  private var passedByteCount: UInt64 = 0

  init(_ source: @escaping LineReader.Source) { self.source = source }

  /// The offset of the byte that contains the next bit.
  var offset: UInt64 { passedByteCount + UInt64(bufferIndex) - UInt64((bitCount + 7) / 8) }

  func damaged(_ phrase: String) -> GzipError {
    .damaged("the gzip data is damaged at byte \(offset): \(phrase).")
  }

  /// Reads bytes until a number of bits is available, or the input ends.
  mutating func fill(_ count: Int) throws(GzipError) {
    while bitCount < count, let byte = try nextByte() {
      bits |= UInt64(byte) << UInt64(bitCount)
      bitCount += 8
    }
  }

  private mutating func nextByte() throws(GzipError) -> UInt8? {
    if bufferIndex == filled {
      guard !isAtEnd else { return nil }
      passedByteCount += UInt64(filled)
      (bufferIndex, filled) = (0, 0)
      do { filled = try buffer.fill(0..<buffer.byteCount, from: source) } catch {
        throw .disk(error)
      }
      guard filled > 0 else {
        isAtEnd = true
        return nil
      }
    }
    bufferIndex += 1
    return buffer[bufferIndex - 1]
  }

  /// Skips bits. Throws an error if the input ends first.
  mutating func skip(_ count: Int) throws(GzipError) {
    guard count <= bitCount else { throw damaged("it ends too early") }
    bits >>= UInt64(count)
    bitCount -= count
  }

  /// Returns the next bits as a number.
  mutating func take(_ count: Int) throws(GzipError) -> Int {
    try fill(count)
    let value = Int(truncatingIfNeeded: bits & (1 << UInt64(count) - 1))
    try skip(count)
    return value
  }

  /// Returns the symbol of the next code.
  mutating func symbol(_ code: HuffmanCode) throws(GzipError) -> Int {
    try fill(HuffmanCode.lengthMax)
    guard let (symbol, length) = code.symbol(bits) else {
      throw damaged(bitCount < HuffmanCode.lengthMax ? "it ends too early" : "unknown code")
    }
    try skip(length)
    return symbol
  }

  /// Skips the bits up to the next byte.
  mutating func alignToByte() throws(GzipError) { try skip(bitCount % 8) }

  /// Returns whether the input has no further bits.
  mutating func isEmpty() throws(GzipError) -> Bool {
    try fill(1)
    return bitCount == 0
  }
}
