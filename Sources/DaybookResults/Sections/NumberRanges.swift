import DaybookEssentials
import DaybookStore

/// The ranges of one width that decimals lie in, one of which begins at 0.
///
/// A range is where it begins, exactly, even if that is no `Decimal`: all is counted in whole units of
/// the lower of two powers of ten, that of the number and that of the width.
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

  /// Where the range of a number begins; nil if it is not a number.
  func start(of value: PackedDecimal) -> LongDecimal? {
    if value.isNaN { return nil }
    let number = LongDecimal(
      isNegative: value.isNegative, value.digits, exponent: value.exponent)
    let rest = LongDecimal(
      remainder(of: value), exponent: min(value.exponent, exponent))
    if !number.isNegative { return number + -rest }
    // A magnitude is rounded up.
    return rest.digits.isEmpty ? number : number + rest + -width
  }

  /// What is left of the magnitude of a number, in units of the lower power of ten.
  private func remainder(of value: PackedDecimal) -> UInt128 {
    if value.exponent <= exponent {
      // A width that does not fit in units of the number is above it.
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
  /// Itself times ten to a power, or nil if that does not fit.
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

/// The ranges of one width that floats or doubles lie in, one of which begins at 0.
///
/// The range with a number n begins at n times the width, rounded once to a number of the type, and
/// ends before the next one begins. So a number lies between the two bounds that the name of its range
/// tells, always. From 2⁵² widths on (2²³ of floats) bounds can no longer be told apart so, and a range
/// would hold two numbers at most: there each number has a range of its own.
///
/// ```
/// 0   u8    1 negative infinity, 2 far below 0, 3 a range with a number, 4 far above 0, 5 infinity,
///           6 not a number
/// 1   u64   the number of the range, with the sign inverted; or that which has its own, as in an
///           order key; or 0
/// ```
struct FloatRanges: Hashable, Sendable {
  let width: Double
  let isFloat: Bool
  /// Where each number begins to have its own range.
  private let far: Double

  init(_ type: ScalarType, width: RangeWidth) throws(SectionProblem) {
    self.width = try width.floating(type)
    isFloat = type == .float
    far = self.width * (isFloat ? 0x1p23 : 0x1p52)
  }

  /// Where a range begins. A product of a float and a number below 2²⁴ is exact in a double, so that
  /// floats are rounded once too.
  private func bound(_ number: Int64) -> Double {
    let bound = Double(number) * width
    return isFloat ? Double(Float(bound)) : bound
  }

  /// The two parts of a key.
  func key(of value: Double) -> (zone: UInt8, word: UInt64) {
    if value.isNaN { return (6, 0) }
    if value.isInfinite { return (value < 0 ? 1 : 5, 0) }
    if value.magnitude >= far { return (value < 0 ? 2 : 4, OrderWord.word(value)) }
    // The quotient is rounded, and so is the bound: the number may be off by one.
    var number = Int64((value / width).rounded(.down))
    while value < bound(number) { number -= 1 }
    while value >= bound(number + 1) { number += 1 }
    return (3, UInt64(bitPattern: number) ^ 1 << 63)
  }

  func name(ofZone zone: UInt8, word: UInt64) -> String {
    switch zone {
    case 1: return text(-.infinity)
    case 2, 4:
      let value = Double(bitPattern: OrderWord.bits(ofExact: word))
      return "[\(text(value)), \(text(isFloat ? Double(Float(value).nextUp) : value.nextUp)))"
    case 3:
      let number = Int64(bitPattern: word ^ 1 << 63)
      return "[\(text(bound(number))), \(text(bound(number + 1))))"
    case 5: return text(.infinity)
    default: return text(.nan)
    }
  }

  private func text(_ number: Double) -> String {
    isFloat ? NumberText.text(of: Float(number)) : NumberText.text(of: number)
  }
}

/// The ranges of one width that integers lie in, one of which begins at 0.
///
/// A range is its number: 0 is the one that begins at 0. There are no more than there are integers, so
/// it has as many bits as those.
struct IntegerRanges: Hashable, Sendable {
  let width: Int128
  let isSigned: Bool

  init(_ type: ScalarType, width: RangeWidth) throws(SectionProblem) {
    self.width = try width.whole(type)
    isSigned =
      switch type {
      case .int8, .int16, .int32, .int64: true
      default: false
      }
  }

  /// How the words of ranges stand in keys.
  var form: MarkedWord { MarkedWord(isSigned: isSigned) }

  /// The number of the range as a word that is in order as the ranges are.
  func word(of value: Int128) -> UInt64 {
    var (number, rest) = value.quotientAndRemainder(dividingBy: width)
    if rest < 0 { (number, rest) = (number - 1, rest + width) }
    return isSigned ? UInt64(bitPattern: Int64(number)) ^ 1 << 63 : UInt64(number)
  }

  /// The first integer, and the first behind the range.
  func name(ofWord word: UInt64) -> String {
    let number = isSigned ? Int128(Int64(bitPattern: word ^ 1 << 63)) : Int128(word)
    return "[\(number * width), \((number + 1) * width))"
  }
}
