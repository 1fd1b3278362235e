import DaybookEssentials

/// A decimal taken apart: its sign, its digits and the power of ten they count.
///
/// Parts are *normal*: the digits do not end with a zero unless the power is the highest, and zero
/// has no sign and no power. Two decimals are equal if and only if their parts are.
///
/// FoundationEssentials does not show the digits of a `Decimal`, only its 20 bytes in memory, which
/// are the same on every platform that has it:
///
/// ```
/// 0    Int8     the power of ten
/// 1    UInt8    how many units of 16 bits the digits take, times 16; + 8 if negative;
///               + 4 if the digits do not end with a zero. No units and negative: not a number.
/// 2    UInt16   reserved, 0
/// 4    UInt128  the digits, little-endian
/// ```
struct DecimalParts: Hashable {
  var isNegative: Bool
  var digits: UInt128
  var exponent: Int8

  static let zero = DecimalParts(isNegative: false, digits: 0, exponent: 0)

  /// Any digits and power, made normal.
  init(isNegative: Bool, digits: UInt128, exponent: Int8) {
    guard digits != 0 else {
      (self.isNegative, self.digits, self.exponent) = (false, 0, 0)
      return
    }
    (self.isNegative, self.digits, self.exponent) = (isNegative, digits, exponent)
    // A number that ends with a zero is even, and most are told from it by that.
    while self.digits & 1 == 0, self.exponent < .max {
      if let short = UInt64(exactly: self.digits) {
        guard short % 10 == 0 else { return }
        self.digits = UInt128(short / 10)
      } else {
        let (tenth, rest) = self.digits.quotientAndRemainder(dividingBy: 10)
        guard rest == 0 else { return }
        self.digits = tenth
      }
      self.exponent += 1
    }
  }

  /// The parts of a decimal, or nil if it is not a number.
  init?(_ decimal: Decimal) {
    precondition(Self.isLayoutKnown, "a Decimal has another layout in memory than the known one")
    // The layout holds, so the decimal has the 20 bytes that are read.
    let (exponent, flags, low, high) = withUnsafeBytes(of: decimal) { bytes in
      (
        Int8(bitPattern: bytes[0]), bytes[1],
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self)),
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt64.self))
      )
    }
    let unitCount = flags >> 4
    let isNegative = flags & 8 != 0
    if unitCount == 0, isNegative { return nil }
    // All units count, in use or not, as they do in Foundation's own arithmetic.
    let digits = UInt128(high) << 64 | UInt128(low)
    self.init(isNegative: isNegative, digits: digits, exponent: exponent)
  }

  /// The decimal of the parts.
  var decimal: Decimal {
    precondition(Self.isLayoutKnown, "a Decimal has another layout in memory than the known one")
    guard digits != 0 else { return Decimal() }
    let unitCount = UInt8((128 - digits.leadingZeroBitCount + 15) / 16)
    var decimal = Decimal()
    withUnsafeMutableBytes(of: &decimal) { bytes in
      bytes[0] = UInt8(bitPattern: exponent)
      bytes[1] = unitCount << 4 | (isNegative ? 8 : 0) | 4
      bytes.storeBytes(
        of: UInt64(truncatingIfNeeded: digits).littleEndian, toByteOffset: 4, as: UInt64.self)
      bytes.storeBytes(
        of: UInt64(truncatingIfNeeded: digits >> 64).littleEndian, toByteOffset: 12,
        as: UInt64.self)
    }
    return decimal
  }

  /// Whether a few decimals lie in memory as drawn above.
  private static let isLayoutKnown: Bool = {
    guard MemoryLayout<Decimal>.size == 20 else { return false }
    func bytes(_ decimal: Decimal) -> [UInt8] { withUnsafeBytes(of: decimal) { Array($0) } }
    let zeros = [UInt8](repeating: 0, count: 18)
    return bytes(.nan) == [0, 8] + zeros
      && bytes(Decimal()) == [0, 0] + zeros
      && bytes(.leastFiniteMagnitude) == [127, 0x8C, 0, 0] + [UInt8](repeating: 255, count: 16)
      && bytes(Decimal(-0x1_0203)) == [0, 0x2C, 0, 0, 3, 2, 1] + zeros.dropFirst(5)
  }()

  /// How many decimal digits a number has; none for 0.
  static func digitCount(_ number: UInt128) -> Int {
    if number == 0 { return 0 }
    // Digits are bits times log₁₀ 2, which 1233/4096 is near enough to be one off at most.
    let guess = ((128 - number.leadingZeroBitCount) * 1233) >> 12
    return guess < powersOfTen.count && number >= powersOfTen[guess] ? guess + 1 : guess
  }

  /// The powers of ten that fit, up to 10³⁸.
  static let powersOfTen: [UInt128] = (0...38).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}
