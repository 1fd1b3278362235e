import DaybookStore

/// Numbers of up to 64 bits as words that are in order as the numbers are.
///
/// A word has as many bits as the type, and they are its lowest.
enum OrderWord {
  /// The word of a value in a row, which has as many bytes as its type.
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
    case .decimal, .string, .uuid, .data, .url: preconditionFailure("\(type) in one word")
    }
  }

  @inline(__always)
  private static func word<Number: FixedWidthInteger & BitwiseCopyable>(
    of bytes: RawSpan, as type: Number.Type
  ) -> UInt64 {
    // The least of a type becomes 0.
    let number = (bytes.number(at: 0, as: Number.self) ?? 0) ^ Number.min
    return UInt64(truncatingIfNeeded: number) & .max >> UInt64(64 - Number.bitWidth)
  }

  /// The word of a Double; -0.0 is 0.0, and all that are not a number are one, the last.
  @inline(__always)
  static func word(_ number: Double) -> UInt64 {
    // The sum of -0.0 and 0.0 is 0.0.
    number.isNaN ? .max : exact((number + 0.0).bitPattern)
  }

  /// The word of a Float, as for Doubles.
  @inline(__always)
  static func word(_ number: Float) -> UInt64 {
    number.isNaN ? UInt64(UInt32.max) : exact((number + 0.0).bitPattern)
  }

  /// The word of the bits of any Double or Float, which tells them all apart: the sign is inverted,
  /// and with it all other bits if it is negative.
  @inline(__always)
  static func exact<Bits: FixedWidthInteger & UnsignedInteger>(_ bits: Bits) -> UInt64 {
    let sign: Bits = 1 << Bits(Bits.bitWidth - 1)
    return UInt64(bits & sign == 0 ? bits ^ sign : ~bits)
  }

  /// The bits that ``exact(_:)`` makes a word of.
  static func bits<Bits: FixedWidthInteger & UnsignedInteger>(
    ofExact word: UInt64, as type: Bits.Type = Bits.self
  ) -> Bits {
    let sign: Bits = 1 << Bits(Bits.bitWidth - 1)
    let word = Bits(word)
    return word & sign == 0 ? ~word : word ^ sign
  }
}

/// A word of 64 bits in a key where there may be none: behind a byte that says that there is one.
///
/// ```
/// 0   u8   1 before the middle, 2 in it, 3 behind it
/// 1        in the middle how far it is from the beginning of that, in 7 bytes; else the word, in 8; big-endian
/// ```
///
/// Trees know the first eight bytes of each key. Of words in the middle, which is 2⁵⁶ wide, that is all of it, so that no row has to be
/// read to tell one number from those beside it.
struct MarkedWord: Hashable, Sendable {
  /// The word with which the middle begins: that of the numbers from -2⁵⁵ on, or from 0 if there are none below.
  private let start: UInt64

  /// - Parameter isSigned: Whether the word of zero is 2⁶³, and those of numbers below are less; else it is 0.
  init(isSigned: Bool) { start = isSigned ? 1 << 63 - 1 << 55 : 0 }

  private static let middle: UInt64 = 2

  /// - Parameter mask: What every byte is changed by.
  @inline(__always)
  func append(_ word: UInt64, mask: UInt64 = 0, to key: inout RowBuffer) {
    let place = word &- start
    if word >= start, place < 1 << 56 {
      return key.append(((MarkedWord.middle << 56 | place) ^ mask).bigEndian)
    }
    key.append((word < start ? 1 : 3) ^ UInt8(truncatingIfNeeded: mask))
    key.append((word ^ mask).bigEndian)
  }

  /// The word of some bytes.
  func word(of bytes: RawSpan) -> UInt64 {
    let word = bytes.extracting(1..<bytes.byteCount).bigEndianWord
    return bytes.number(at: 0, as: UInt8.self) == UInt8(MarkedWord.middle) ? start + word : word
  }

  /// How many bytes a word has behind its first one.
  static func byteCount(behind first: UInt8) -> Int { first == UInt8(middle) ? 7 : 8 }
}

extension RawSpan {
  /// All of up to eight bytes, the highest first.
  var bigEndianWord: UInt64 {
    (0..<byteCount).reduce(0) { $0 << 8 | UInt64(number(at: $1, as: UInt8.self) ?? 0) }
  }
}
