import DaybookEssentials

/// The conversion between decimals and strings. A string has all digits, no exponent, and no zeros
/// at the end of the fraction.
package enum DecimalText {
  /// Returns the string of a decimal. A reader converts the string to an equal decimal. For a
  /// decimal that is not a number, the string is `NaN`.
  package static func text(of decimal: Decimal) -> String {
    characters(of: decimal).string
  }

  /// Appends the string of a decimal to bytes.
  package static func append(_ decimal: Decimal, to output: inout [UInt8]) {
    characters(of: decimal).append(to: &output)
  }

  private static func characters(of decimal: Decimal) -> ShortText {
    var result = ShortText()
    guard let parts = DecimalParts(decimal) else {
      result.append("N")
      result.append("a")
      result.append("N")
      return result
    }
    if parts.isNegative { result.append("-") }
    if parts.digits == 0 || parts.exponent >= 0 {
      append(parts.digits, to: &result)
      result.append(zeros: Int(parts.exponent))
      return result
    }
    // The number of digits after the point.
    let fractionCount = -Int(parts.exponent)
    let digitCount = DecimalParts.digitCount(parts.digits)
    if digitCount <= fractionCount {
      result.append("0")
      result.append(".")
      result.append(zeros: fractionCount - digitCount)
      append(parts.digits, to: &result)
      return result
    }
    append(parts.digits, to: &result)
    result.append("0")
    for index in stride(from: result.count - 1, to: result.count - 1 - fractionCount, by: -1) {
      result[index] = result[index - 1]
    }
    result[result.count - 1 - fractionCount] = UInt8(ascii: ".")
    return result
  }

  private static func append(_ digits: UInt128, to output: inout ShortText) {
    if let short = UInt64(exactly: digits) { return output.append(short) }
    // A `UInt128` has at most 39 digits. Each step appends 19 of them, so the recursion ends after
    // three steps.
    let (high, low) = digits.quotientAndRemainder(dividingBy: tenToThe19)
    append(high, to: &output)
    output.append(UInt64(low), width: 19)
  }

  private static let tenToThe19: UInt128 = 10_000_000_000_000_000_000

  /// Returns the exact decimal of a string. The string is a JSON number, or `NaN`.
  ///
  /// Up to 38 digits are accepted, not counting zeros at either end. Numbers of 39 digits that fit
  /// in 128 bits are accepted too, because a `Decimal` can store them, and a reader must accept
  /// every string that `text(of:)` returns.
  ///
  /// - Complexity: O(*n*)
  package static func decimal(_ string: String) throws(TextError) -> Decimal {
    try decimal(string.utf8Span.span)
  }

  /// Returns the exact decimal of the UTF-8 bytes of a string.
  package static func decimal(_ string: Span<UInt8>) throws(TextError) -> Decimal {
    if let special = NumberText.special(string), special.isNaN { return .nan }
    let reading = try NumberReading(string)
    guard reading.digitCount > 0 else { return Decimal() }
    guard var digits = digits(of: reading, in: string) else {
      throw TextError(
        .precision, sentence: "a decimal has at most 38 digits, not \(reading.digitCount).",
        in: string,
        at: reading.significant.lowerBound)
    }
    guard reading.exponent >= -128 else {
      throw TextError(
        .precision, sentence: "a decimal has at most 128 digits after the point.",
        in: string,
        at: reading.significant.lowerBound)
    }
    var exponent = reading.exponent
    while exponent > 127 {
      let (tenfold, overflowed) = digits.multipliedReportingOverflow(by: 10)
      guard !overflowed else {
        throw TextError(
          .range,
          sentence: "the decimal is out of range; "
            + "the limit is 340282366920938463463374607431768211455e127.",
          in: string, at: 0)
      }
      digits = tenfold
      exponent -= 1
    }
    return DecimalParts(
      isNegative: reading.isNegative, digits: digits, exponent: Int8(exponent)
    ).decimal
  }

  /// Returns the significant digits as an integer; nil if the integer does not fit in 128 bits.
  private static func digits(of reading: NumberReading, in string: Span<UInt8>) -> UInt128? {
    guard reading.digitCount <= 39 else { return nil }
    var chunk: UInt64 = 0
    var chunkCount = 0
    var integer: UInt128 = 0
    var taken = 0
    for index in reading.significant {
      let digit = string[index] &- 48
      guard digit < 10 else { continue }
      chunk = chunk * 10 + UInt64(digit)
      chunkCount += 1
      taken += 1
      if chunkCount == 19 || taken == reading.digitCount {
        if integer == 0 {
          integer = UInt128(chunk)
        } else {
          let (scaled, overflowed) = integer.multipliedReportingOverflow(
            by: DecimalParts.powersOfTen[chunkCount])
          let (sum, carried) = scaled.addingReportingOverflow(UInt128(chunk))
          if overflowed || carried { return nil }
          integer = sum
        }
        (chunk, chunkCount) = (0, 0)
      }
    }
    return integer
  }
}

/// The parts of a decimal: its sign, its digits as an integer, and its power of ten. For example,
/// -1.5 has the digits 15 and the exponent -1.
///
/// Parts are always *normal*: the last digit is not 0, unless the exponent is the highest possible
/// one. Zero has no sign, and its exponent is 0. Therefore two decimals are equal if and only if
/// their parts are equal.
///
/// FoundationEssentials has no API for the digits of a `Decimal`. So this type reads its 20 bytes
/// in memory, which are the same on every platform that has the module:
///
/// ```
/// 0    Int8     the power of ten
/// 1    UInt8    the number of 16-bit units of the digits, times 16; + 8 if negative;
///               + 4 if the digits do not end with a zero. No units and negative: not a number.
/// 2    UInt16   reserved, 0
/// 4    UInt128  the digits, little-endian
/// ```
struct DecimalParts: Hashable {
  var isNegative: Bool
  var digits: UInt128
  var exponent: Int8

  static let zero = DecimalParts(isNegative: false, digits: 0, exponent: 0)

  /// Creates normal parts from any digits and exponent.
  init(isNegative: Bool, digits: UInt128, exponent: Int8) {
    guard digits != 0 else {
      (self.isNegative, self.digits, self.exponent) = (false, 0, 0)
      return
    }
    (self.isNegative, self.digits, self.exponent) = (isNegative, digits, exponent)
    // A number whose last digit is 0 is even. This fast test ends the loop for most numbers.
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

  /// Creates the parts of a decimal; nil if it is not a number.
  init?(_ decimal: Decimal) {
    precondition(Self.isLayoutKnown, "the memory layout of Decimal is unknown")
    // The precondition has checked that a decimal has 20 bytes.
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
    // The digits include all units, also those after the unit count, as in Foundation's own
    // arithmetic.
    let digits = UInt128(high) << 64 | UInt128(low)
    self.init(isNegative: isNegative, digits: digits, exponent: exponent)
  }

  /// The decimal with these parts.
  var decimal: Decimal {
    precondition(Self.isLayoutKnown, "the memory layout of Decimal is unknown")
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

  /// A Boolean value that indicates whether sample decimals have the layout in memory that the
  /// type's documentation describes.
  private static let isLayoutKnown: Bool = {
    guard MemoryLayout<Decimal>.size == 20 else { return false }
    func bytes(_ decimal: Decimal) -> [UInt8] { withUnsafeBytes(of: decimal) { Array($0) } }
    let zeros = [UInt8](repeating: 0, count: 18)
    return bytes(.nan) == [0, 8] + zeros
      && bytes(Decimal()) == [0, 0] + zeros
      && bytes(.leastFiniteMagnitude) == [127, 0x8C, 0, 0] + [UInt8](repeating: 255, count: 16)
      && bytes(Decimal(-0x1_0203)) == [0, 0x2C, 0, 0, 3, 2, 1] + zeros.dropFirst(5)
  }()

  /// Returns the number of decimal digits of a number; 0 for 0.
  static func digitCount(_ number: UInt128) -> Int {
    if number == 0 { return 0 }
    // The digit count is about the bit count times log₁₀ 2, which 1233/4096 approximates. The guess
    // is the digit count, or one less.
    let guess = ((128 - number.leadingZeroBitCount) * 1233) >> 12
    return guess < powersOfTen.count && number >= powersOfTen[guess] ? guess + 1 : guess
  }

  /// The powers of ten that fit in 128 bits, up to 10³⁸.
  static let powersOfTen: [UInt128] = (0...38).map { exponent in
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}
