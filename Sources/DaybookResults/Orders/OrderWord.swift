import DaybookStore

/// The conversion of numbers of up to 64 bits to unsigned words that have the same order. Sort keys
/// and sections contain these words.
///
/// A word has as many bits as the type, stored in its lowest bits.
enum OrderWord {
  /// Returns the word of a value in a row. The number of bytes must be correct for the type.
  @inline(__always)
  static func word(of type: ScalarType, bytes: RawSpan) -> UInt64 {
    switch type {
    case .int64: word(of: bytes, as: Int64.self)
    case .double, .date: word(Double(bitPattern: bytes.word(at: 0)))
    case .int32: word(of: bytes, as: Int32.self)
    case .bool: bytes.number(at: 0, as: UInt8.self) == 0 ? 0 : 1
    case .int8: word(of: bytes, as: Int8.self)
    case .int16: word(of: bytes, as: Int16.self)
    case .uint8: word(of: bytes, as: UInt8.self)
    case .uint16: word(of: bytes, as: UInt16.self)
    case .uint32: word(of: bytes, as: UInt32.self)
    case .uint64: word(of: bytes, as: UInt64.self)
    case .float: word(Float(bitPattern: bytes.number(at: 0, as: UInt32.self) ?? 0))
    case .decimal, .string, .uuid, .data, .url:
      preconditionFailure("a \(type) does not fit in one word")
    }
  }

  @inline(__always)
  private static func word<Number: FixedWidthInteger & BitwiseCopyable>(
    of bytes: RawSpan, as type: Number.Type
  ) -> UInt64 {
    // The smallest number of the type becomes 0.
    let number = (bytes.number(at: 0, as: Number.self) ?? 0) ^ Number.min
    return UInt64(truncatingIfNeeded: number) & .max >> UInt64(64 - Number.bitWidth)
  }

  /// Returns the word of a Double. -0.0 and 0.0 have the same word. All NaNs have the greatest
  /// word.
  @inline(__always)
  static func word(_ number: Double) -> UInt64 {
    // The sum of -0.0 and 0.0 is 0.0.
    number.isNaN ? .max : exact((number + 0.0).bitPattern)
  }

  /// Returns the word of a Float, by the same rules as for a Double.
  @inline(__always)
  static func word(_ number: Float) -> UInt64 {
    number.isNaN ? UInt64(UInt32.max) : exact((number + 0.0).bitPattern)
  }

  /// Returns the word of the bits of a Double or Float. Different bits have different words. The
  /// sign bit is inverted, and for negative numbers all other bits too.
  @inline(__always)
  static func exact<Bits: FixedWidthInteger & UnsignedInteger>(_ bits: Bits) -> UInt64 {
    let sign: Bits = 1 << Bits(Bits.bitWidth - 1)
    return UInt64(bits & sign == 0 ? bits ^ sign : ~bits)
  }

  /// Returns the bits for a word that ``exact(_:)`` returned.
  static func bits<Bits: FixedWidthInteger & UnsignedInteger>(
    ofExact word: UInt64, as type: Bits.Type = Bits.self
  ) -> Bits {
    let sign: Bits = 1 << Bits(Bits.bitWidth - 1)
    let word = Bits(word)
    return word & sign == 0 ? ~word : word ^ sign
  }
}

/// The encoding of an optional word of 64 bits in a key. The first byte also shows that the value
/// exists: it is never 0, which represents nil.
///
/// ```
/// 0   u8   1 below the middle range, 2 inside it, 3 above it
/// 1        inside: the distance from the start of the range, 7 bytes, big-endian
///          otherwise: the word, 8 bytes, big-endian
/// ```
///
/// Trees store only the first eight bytes of each key. A word in the middle range, which contains
/// 2⁵⁶ words near 0, is encoded in eight bytes. So two such words are compared without reading
/// their rows. With a marker byte before all eight bytes of the word, the last byte would not be in
/// the tree.
struct MarkedWord: Hashable, Sendable {
  /// The first word of the middle range: the word of -2⁵⁵ for signed numbers, and 0 for unsigned
  /// numbers.
  private let start: UInt64

  /// Creates the encoding for signed or unsigned numbers.
  ///
  /// - Parameter isSigned: A Boolean value that indicates whether the word of zero is 2⁶³ and the
  ///   words of negative numbers are smaller. For unsigned numbers, the word of zero is 0.
  init(isSigned: Bool) { start = isSigned ? 1 << 63 - 1 << 55 : 0 }

  private static let middle: UInt64 = 2

  /// Appends the bytes of a word to a key.
  ///
  /// - Parameter mask: The mask that every byte is combined with by exclusive or.
  @inline(__always)
  func append(_ word: UInt64, mask: UInt64 = 0, to key: inout RowBuffer) {
    let offset = word &- start
    if word >= start, offset < 1 << 56 {
      return key.append(((MarkedWord.middle << 56 | offset) ^ mask).bigEndian)
    }
    key.append((word < start ? 1 : 3) ^ UInt8(truncatingIfNeeded: mask))
    key.append((word ^ mask).bigEndian)
  }

  /// Returns the word that some bytes encode.
  func word(of bytes: RawSpan) -> UInt64 {
    let word = bytes.extracting(1..<bytes.byteCount).bigEndianWord
    return bytes.number(at: 0, as: UInt8.self) == UInt8(MarkedWord.middle) ? start + word : word
  }

  /// Returns the number of bytes that follow a first byte.
  static func byteCount(after first: UInt8) -> Int { first == UInt8(middle) ? 7 : 8 }
}

extension RawSpan {
  /// The bytes of the span, at most eight, as a number with the highest byte first.
  var bigEndianWord: UInt64 {
    (0..<byteCount).reduce(0) { $0 << 8 | UInt64(number(at: $1, as: UInt8.self) ?? 0) }
  }
}
