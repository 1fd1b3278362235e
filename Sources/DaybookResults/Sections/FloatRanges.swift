import DaybookStore

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

  init(_ type: ScalarType, _ width: RangeWidth) throws(SectionProblem) {
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
