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
