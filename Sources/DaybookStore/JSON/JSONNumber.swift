/// A number as JSON spells it, and what it is.
///
/// Equal numbers are those that are spelt the same: `1` and `1.0` are two.
package struct JSONNumber: Hashable, Sendable {
  /// What a spelling stands for.
  package enum Representation: Hashable, Sendable {
    /// An integer of 64 bits.
    case integer(Int64)
    /// An integer above those, still within 64 bits without a sign.
    case unsigned(UInt64)
    /// An integer that needs more than 64 bits.
    case wide
    /// A number with a point or an exponent: the double nearest to it.
    case double(Double)
    /// A number with a point or an exponent that is beyond every double, as 1e400 is.
    case overflow
  }

  /// The number as it is spelt.
  package let text: String
  package let value: Representation

  init(text: String, value: Representation) {
    self.text = text
    self.value = value
  }

  package init(_ integer: Int64) {
    self.init(text: String(integer), value: .integer(integer))
  }

  /// The number of a spelling, or nil if it is not how JSON spells one.
  package init?(_ text: String) {
    var reader = JSONReader(Array(text.utf8))
    guard let number = try? reader.readNumber(), number.text == text,
      (try? reader.finish()) != nil
    else { return nil }
    self = number
  }

  /// The double nearest to the number, whatever its form; infinite if it is beyond every double.
  package var double: Double {
    switch value {
    // An integer may be a zero with a sign, which only the text tells.
    case .integer(let integer) where integer != 0: Double(integer)
    case .unsigned(let integer): Double(integer)
    case .double(let double): double
    case .integer, .wide, .overflow: JSONNumber.double(text)
    }
  }

  /// The float nearest to the number, infinite if it is beyond every float. Going by way of
  /// ``double`` would round twice.
  package var float: Float { Float(text) ?? .infinity }

  /// The standard library reads every number that JSON can spell; if it ever did not, the number
  /// would be refused as one that is too large.
  static func double(_ text: String) -> Double { Double(text) ?? .infinity }
}

/// The digits of a number, gathered while it is gone past, from which nearly every number follows
/// without being read again.
struct JSONDigits {
  /// The digits as one integer, if there are no more than 19 of them.
  var significand: UInt64 = 0
  var digitCount = 0
  /// The power of ten to multiply with; it stops growing far beyond where it matters.
  var exponent = 0
  var isNegative = false
  var isInteger = true

  /// How many digits surely fit into 64 bits.
  static let digitCountMax = 19

  /// The integer, or nil if it has to be read from the text.
  var plainInteger: JSONNumber.Representation? {
    guard digitCount <= JSONDigits.digitCountMax else { return nil }
    if !isNegative {
      return Int64(exactly: significand).map { .integer($0) } ?? .unsigned(significand)
    }
    return significand <= 1 << 63 ? .integer(Int64(truncatingIfNeeded: 0 &- significand)) : .wide
  }

  /// The double, or nil if it has to be read from the text. Both factors are doubles without
  /// rounding, so the product or quotient is rounded once, and rightly (Clinger: "How to read
  /// floating point numbers accurately", 1990).
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
