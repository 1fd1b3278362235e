/// A JSON number, as its spelling and its value.
///
/// Two numbers are equal if their spellings are equal: `1` and `1.0` are different.
package struct JSONNumber: Hashable, Sendable {
  /// The value of a spelling.
  package enum Representation: Hashable, Sendable {
    /// An integer of 64 bits.
    case integer(Int64)
    /// An integer above `Int64.max` that fits in 64 bits without a sign.
    case unsigned(UInt64)
    /// An integer that needs more than 64 bits.
    case wide
    /// A number with a point or an exponent, as the nearest double.
    case double(Double)
    /// A number with a point or an exponent that exceeds every double, such as 1e400.
    case overflow
  }

  /// The spelling of the number.
  package let text: String
  package let value: Representation

  init(text: String, value: Representation) {
    self.text = text
    self.value = value
  }

  package init(_ integer: Int64) {
    self.init(text: String(integer), value: .integer(integer))
  }

  /// Creates a number from a spelling; nil if it is not a JSON number.
  package init?(_ literal: String) {
    var reader = JSONReader(Array(literal.utf8))
    guard let number = try? reader.readNumber(), number.text == literal,
      (try? reader.finish()) != nil
    else { return nil }
    self = number
  }

  /// The double that is nearest to the number; infinite if the number exceeds every double.
  package var double: Double {
    switch value {
    // The integer 0 may be `-0`, which only the spelling shows. The double is -0.0 then.
    case .integer(let integer) where integer != 0: Double(integer)
    case .unsigned(let integer): Double(integer)
    case .double(let double): double
    case .integer, .wide, .overflow: JSONNumber.double(text)
    }
  }

  /// The float that is nearest to the number; infinite if the number exceeds every float. It is
  /// computed from the spelling, because a conversion of ``double`` would round a second time.
  package var float: Float { Float(text) ?? .infinity }

  /// Returns the double that is nearest to a spelling. `Double(_:)` accepts every JSON number, so
  /// the infinity is only a fallback. The infinity would make the reader reject the number as too
  /// large.
  static func double(_ literal: String) -> Double { Double(literal) ?? .infinity }
}

/// The digits of a number, which the reader collects while it passes the number. From them, the
/// value of nearly every number is computed without reading the text a second time.
struct JSONDigits {
  /// The digits as one integer, if there are at most 19 of them.
  var significand: UInt64 = 0
  var digitCount = 0
  /// The power of ten for the significand: the number is `significand` · 10^`exponent`. A very
  /// large exponent is replaced by a value outside the range of every type.
  var exponent = 0
  var isNegative = false
  var isInteger = true

  /// The largest number of digits that always fit in 64 bits.
  static let digitCountMax = 19

  /// The value of an integer; nil if it must be computed from the spelling.
  var plainInteger: JSONNumber.Representation? {
    guard digitCount <= JSONDigits.digitCountMax else { return nil }
    if !isNegative {
      return Int64(exactly: significand).map { .integer($0) } ?? .unsigned(significand)
    }
    return significand <= 1 << 63 ? .integer(Int64(truncatingIfNeeded: 0 &- significand)) : .wide
  }

  /// The double that is nearest to the number; nil if it must be computed from the spelling.
  ///
  /// The significand and the power of ten are exact doubles. Therefore their product or quotient is
  /// rounded only once, which gives the nearest double (Clinger: "How to read floating point
  /// numbers accurately", 1990).
  var plainDouble: Double? {
    guard digitCount <= JSONDigits.digitCountMax, significand <= 1 << 53, exponent >= -22,
      exponent <= 22
    else { return nil }
    let integer = Double(significand)
    let power = JSONDigits.powers[abs(exponent)]
    let double = exponent < 0 ? integer / power : integer * power
    return isNegative ? -double : double
  }

  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
