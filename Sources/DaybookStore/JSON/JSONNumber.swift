/// A JSON number: its spelling and its value.
///
/// Numbers are equal if their spelling is equal: `1` and `1.0` are different.
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
  package init?(_ text: String) {
    var reader = JSONReader(Array(text.utf8))
    guard let number = try? reader.readNumber(), number.text == text,
      (try? reader.finish()) != nil
    else { return nil }
    self = number
  }

  /// The double nearest to the number, in any form; infinite if the number exceeds every double.
  package var double: Double {
    switch value {
    // An integer may be a negative zero. Only the spelling shows that.
    case .integer(let integer) where integer != 0: Double(integer)
    case .unsigned(let integer): Double(integer)
    case .double(let double): double
    case .integer, .wide, .overflow: JSONNumber.double(text)
    }
  }

  /// The float nearest to the number; infinite if the number exceeds every float. A conversion
  /// through ``double`` would round twice.
  package var float: Float { Float(text) ?? .infinity }

  /// Returns the double nearest to a spelling. The standard library reads every JSON number. If it
  /// ever did not, the number would be rejected as too large.
  static func double(_ text: String) -> Double { Double(text) ?? .infinity }
}

/// The digits of a number, accumulated while the reader passes it. Nearly every number is computed
/// from them without a second reading.
struct JSONDigits {
  /// The digits as one integer, if there are at most 19 of them.
  var significand: UInt64 = 0
  var digitCount = 0
  /// The power of ten to multiply by. It saturates at a value beyond every type's range.
  var exponent = 0
  var isNegative = false
  var isInteger = true

  /// The number of digits that always fits in 64 bits.
  static let digitCountMax = 19

  /// The integer, or nil if it must be computed from the spelling.
  var plainInteger: JSONNumber.Representation? {
    guard digitCount <= JSONDigits.digitCountMax else { return nil }
    if !isNegative {
      return Int64(exactly: significand).map { .integer($0) } ?? .unsigned(significand)
    }
    return significand <= 1 << 63 ? .integer(Int64(truncatingIfNeeded: 0 &- significand)) : .wide
  }

  /// The double, or nil if it must be computed from the spelling.
  ///
  /// Both factors are exact doubles, so the product or quotient is rounded once, and correctly
  /// (Clinger: "How to read floating point numbers accurately", 1990).
  var plainDouble: Double? {
    guard digitCount <= JSONDigits.digitCountMax, significand <= 1 << 53, exponent >= -22,
      exponent <= 22
    else { return nil }
    let whole = Double(significand)
    let power = JSONDigits.powers[abs(exponent)]
    let double = exponent < 0 ? whole / power : whole * power
    return isNegative ? -double : double
  }

  private static let powers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
