import DaybookEssentials
import DaybookStore

/// The ranges of one width that divide the decimals into sections. One of the ranges starts at 0.
///
/// The exact start of a range identifies it, also if a `Decimal` cannot represent the start. A
/// number is divided by the width as two integers, in units of the lower power of ten. For the
/// number 12.5 and the width 10, these integers are 125 and 100.
struct DecimalRanges: Hashable, Sendable {
  private let digits: UInt128
  private let exponent: Int
  private let width: LongDecimal

  init(_ width: RangeWidth) throws(SectionProblem) {
    let packed = PackedDecimal(try width.decimal())
    digits = packed.digits
    exponent = packed.exponent
    self.width = LongDecimal(digits, exponent: exponent)
  }

  /// Returns the start of the range that contains a number; nil for NaN.
  func start(of value: PackedDecimal) -> LongDecimal? {
    if value.isNaN { return nil }
    let number = LongDecimal(
      isNegative: value.isNegative, value.digits, exponent: value.exponent)
    let rest = LongDecimal(
      remainder(of: value), exponent: min(value.exponent, exponent))
    if !number.isNegative { return number + -rest }
    // The start of the range is below the negative number, so the magnitude of the start is rounded
    // up.
    return rest.digits.isEmpty ? number : number + rest + -width
  }

  /// Returns the remainder of the number's magnitude divided by the width, in units of the lower
  /// power of ten.
  private func remainder(of value: PackedDecimal) -> UInt128 {
    if value.exponent <= exponent {
      // A width that is too large in these units is greater than the number.
      guard let width = digits.shiftedLeft(digitCount: exponent - value.exponent) else {
        return value.digits
      }
      return value.digits % width
    }
    let digitCount = value.exponent - exponent
    if let number = value.digits.shiftedLeft(digitCount: digitCount) { return number % digits }
    var rest = value.digits % digits
    for _ in 0..<digitCount {
      let (high, low) = rest.multipliedFullWidth(by: 10)
      rest = digits.dividingFullWidth((high, low)).remainder
    }
    return rest
  }

  func name(ofStart start: LongDecimal) -> String {
    "[\(start.text), \((start + width).text))"
  }
}

extension PackedDecimal {
  fileprivate var digits: UInt128 { UInt128(high) << 64 | UInt128(low) }
  fileprivate var exponent: Int { Int(tail & 255) - 128 }
  fileprivate var isNegative: Bool { tail & 256 != 0 }
  fileprivate var isNaN: Bool { tail >= 512 }
}

extension UInt128 {
  /// Returns the number multiplied by a power of ten; nil if the product does not fit.
  fileprivate func shiftedLeft(digitCount: Int) -> UInt128? {
    if self == 0 { return 0 }
    guard digitCount <= 38 else { return nil }
    var shifted = self
    for _ in 0..<digitCount {
      let (tenfold, overflowed) = shifted.multipliedReportingOverflow(by: 10)
      if overflowed { return nil }
      shifted = tenfold
    }
    return shifted
  }
}

/// The ranges of one width that divide floats or doubles into sections. One of the ranges starts at
/// 0.
///
/// The range with number n starts at n times the width, rounded to the nearest number of the type.
/// A range ends before the next range starts. So every number is between the two bounds in the name
/// of its range.
///
/// Far from 0, at magnitudes of at least 2⁵² widths (2²³ widths for floats), two neighboring bounds
/// may round to the same number. There, each number is a separate range.
///
/// ```
/// 0   u8    1 negative infinity, 2 far below 0, 3 a range with a number, 4 far above 0,
///           5 infinity, 6 not a number
/// 1   u64   3: the number of the range, with the sign inverted
///           2, 4: the number itself, which is a separate range, as an order key contains it
///           1, 5, 6: 0
/// ```
struct FloatRanges: Hashable, Sendable {
  let width: Double
  let isFloat: Bool
  /// The smallest magnitude of the numbers that have their own ranges.
  private let far: Double

  init(_ type: ScalarType, width: RangeWidth) throws(SectionProblem) {
    self.width = try width.floating(type)
    isFloat = type == .float
    far = self.width * (isFloat ? 0x1p23 : 0x1p52)
  }

  /// Returns the start of a range. For floats, the product of the width and the number of the range
  /// is exact in a double, because that number is below 2²⁴. So the bound is rounded only once.
  private func bound(_ number: Int64) -> Double {
    let bound = Double(number) * width
    return isFloat ? Double(Float(bound)) : bound
  }

  /// Returns the two parts of a number's key: the zone, which is byte 0, and the word, which is the
  /// other eight bytes.
  func key(of value: Double) -> (zone: UInt8, word: UInt64) {
    if value.isNaN { return (6, 0) }
    if value.isInfinite { return (value < 0 ? 1 : 5, 0) }
    if value.magnitude >= far { return (value < 0 ? 2 : 4, OrderWord.word(value)) }
    // The quotient and the bounds are rounded, so the number of the range may be wrong by one.
    var number = Int64((value / width).rounded(.down))
    while value < bound(number) { number -= 1 }
    while value >= bound(number + 1) { number += 1 }
    return (3, UInt64(bitPattern: number) ^ 1 << 63)
  }

  /// Returns the name of a range by its key: its bounds, or the number itself for infinity and NaN.
  func name(ofZone zone: UInt8, word: UInt64) -> String {
    switch zone {
    case 1: return literal(-.infinity)
    case 2, 4:
      let value = Double(bitPattern: OrderWord.bits(ofExact: word))
      return "[\(literal(value)), \(literal(isFloat ? Double(Float(value).nextUp) : value.nextUp)))"
    case 3:
      let number = Int64(bitPattern: word ^ 1 << 63)
      return "[\(literal(bound(number))), \(literal(bound(number + 1))))"
    case 5: return literal(.infinity)
    default: return literal(.nan)
    }
  }

  private func literal(_ number: Double) -> String {
    isFloat ? NumberText.text(of: Float(number)) : NumberText.text(of: number)
  }
}

/// The ranges of one width that divide integers into sections. One of the ranges starts at 0.
///
/// A number identifies a range; the range with number 0 starts at 0. The numbers of ranges have the
/// bit width of the integers, because there are at most as many ranges as integers.
struct IntegerRanges: Hashable, Sendable {
  let width: Int128
  let isSigned: Bool

  init(_ type: ScalarType, width: RangeWidth) throws(SectionProblem) {
    self.width = try width.integral(type)
    isSigned =
      switch type {
      case .int8, .int16, .int32, .int64: true
      default: false
      }
  }

  /// The encoding of range numbers in keys.
  var form: MarkedWord { MarkedWord(isSigned: isSigned) }

  /// Returns the number of the range that contains an integer, as a word that sorts like the
  /// ranges.
  func word(of value: Int128) -> UInt64 {
    var (number, rest) = value.quotientAndRemainder(dividingBy: width)
    if rest < 0 { (number, rest) = (number - 1, rest + width) }
    return isSigned ? UInt64(bitPattern: Int64(number)) ^ 1 << 63 : UInt64(number)
  }

  /// Returns the name of a range: its first integer, and the first integer after it.
  func name(ofWord word: UInt64) -> String {
    let number = isSigned ? Int128(Int64(bitPattern: word ^ 1 << 63)) : Int128(word)
    return "[\(number * width), \((number + 1) * width))"
  }
}
