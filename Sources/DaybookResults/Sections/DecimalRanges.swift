import DaybookStore
import DaybookEssentials

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
