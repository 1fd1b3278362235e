/// The conversion between numbers and strings.
///
/// The string of a Double or a Float has as few digits as possible, but enough for a reader to get
/// an equal number. It always has a point or an exponent, so that it differs from the string of an
/// integer. All NaN values have the same string, so their sign and their payload are lost.
package enum NumberText {
  /// Returns the string of a Double; NaN and infinities are `NaN`, `Infinity` and `-Infinity`.
  package static func text(of number: Double) -> String {
    number.isFinite ? number.description : special(number)
  }

  /// Returns the string of a Float; NaN and infinities are `NaN`, `Infinity` and `-Infinity`.
  package static func text(of number: Float) -> String {
    number.isFinite ? number.description : special(Double(number))
  }

  /// Returns the string of NaN or an infinity.
  private static func special(_ number: Double) -> String {
    number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
  }

  /// Returns NaN or an infinity if the string is its name; otherwise nil.
  static func special(_ string: Span<UInt8>) -> Double? {
    switch string.count {
    case 3 where equals(string, word: "NaN"): .nan
    case 8 where equals(string, word: "Infinity"): .infinity
    case 9 where equals(string, word: "-Infinity"): -.infinity
    default: nil
    }
  }

  private static func equals(_ string: Span<UInt8>, word: StaticString) -> Bool {
    word.withUTF8Buffer { word in string.indices.allSatisfy { string[$0] == word[$0] } }
  }

  /// Returns the Double that is nearest to the value of a string. The string is a JSON number, or
  /// the name of NaN or an infinity.
  ///
  /// - Throws: ``TextError``, also if the number is too large for a Double
  package static func double(_ string: Span<UInt8>) throws(TextError) -> Double {
    if let special = special(string) { return special }
    let number = Double(try numberString(string)) ?? .nan
    guard number.isFinite else { throw tooFar(limit: "1.7976931348623157e+308", in: string) }
    return number
  }

  /// Returns the Double that is nearest to the value of a string.
  package static func double(_ string: String) throws(TextError) -> Double {
    try double(string.utf8Span.span)
  }

  /// Returns the Float that is nearest to the value of a string. The function accepts the same
  /// strings as the function for Doubles. The result is not converted from a Double, because the
  /// conversion would round a second time.
  package static func float(_ string: Span<UInt8>) throws(TextError) -> Float {
    if let special = special(string) { return Float(special) }
    let number = Float(try numberString(string)) ?? .nan
    guard number.isFinite else { throw tooFar(limit: "3.4028235e+38", in: string) }
    return number
  }

  /// Returns the Float that is nearest to the value of a string.
  package static func float(_ string: String) throws(TextError) -> Float {
    try float(string.utf8Span.span)
  }

  private static func numberString(_ string: Span<UInt8>) throws(TextError) -> String {
    _ = try NumberReading(string)
    return string.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
  }

  private static func tooFar(limit: String, in string: Span<UInt8>) -> TextError {
    TextError(
      .range, sentence: "the number is out of range; the limit is \(limit).", in: string, at: 0)
  }

  /// Returns the signed integer of a string. The string contains digits without leading zeros,
  /// after a `-` if the number is negative.
  ///
  /// - Parameters:
  ///   - string: The UTF-8 bytes of the string.
  ///   - bits: The width of the integer type.
  package static func int64(_ string: Span<UInt8>, bits: Int = 64) throws(TextError) -> Int64 {
    precondition((1...64).contains(bits), "an integer cannot have \(bits) bits")
    let (isNegative, magnitude) = try integer(string)
    let least = Int64.min >> Int64(64 - bits)
    let greatest = Int64.max >> Int64(64 - bits)
    if let magnitude, magnitude <= (isNegative ? least : greatest).magnitude {
      return isNegative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude)
    }
    throw outside(least: "\(least)", greatest: "\(greatest)", bitCount: bits, in: string)
  }

  /// Returns the signed integer of a string.
  package static func int64(_ string: String, bits: Int = 64) throws(TextError) -> Int64 {
    try int64(string.utf8Span.span, bits: bits)
  }

  /// Returns the unsigned integer of a string. The string contains digits without leading zeros.
  package static func uint64(_ string: Span<UInt8>, bits: Int = 64) throws(TextError) -> UInt64 {
    precondition((1...64).contains(bits), "an integer cannot have \(bits) bits")
    let (isNegative, magnitude) = try integer(string)
    let greatest = UInt64.max >> UInt64(64 - bits)
    if let magnitude, magnitude <= greatest, !isNegative || magnitude == 0 { return magnitude }
    throw outside(least: "0", greatest: "\(greatest)", bitCount: bits, in: string)
  }

  /// Returns the unsigned integer of a string.
  package static func uint64(_ string: String, bits: Int = 64) throws(TextError) -> UInt64 {
    try uint64(string.utf8Span.span, bits: bits)
  }

  /// Returns the sign and the magnitude of an integer. The magnitude is nil if it needs more than
  /// 64 bits.
  private static func integer(
    _ string: Span<UInt8>
  ) throws(TextError) -> (isNegative: Bool, magnitude: UInt64?) {
    let isNegative = string.count > 0 && string[0] == UInt8(ascii: "-")
    let begin = isNegative ? 1 : 0
    var magnitude: UInt64? = 0
    for index in begin..<max(begin, string.count) {
      let digit = string[index] &- 48
      guard digit < 10 else {
        throw .expected(
          index == begin ? "a digit of an integer" : "a digit or the end of an integer", in: string,
          at: index)
      }
      if index == begin + 1, string[begin] == 48 {
        throw TextError(.form, sentence: "an integer has no leading zeros.", in: string, at: begin)
      }
      if let so = magnitude {
        let (tenfold, overflowed) = so.multipliedReportingOverflow(by: 10)
        let (sum, carried) = tenfold.addingReportingOverflow(UInt64(digit))
        magnitude = overflowed || carried ? nil : sum
      }
    }
    guard string.count > begin else {
      throw .expected("a digit of an integer", in: string, at: begin)
    }
    return (isNegative, magnitude)
  }

  private static func outside(
    least: String, greatest: String, bitCount bits: Int, in string: Span<UInt8>
  ) -> TextError {
    TextError(
      .range, sentence: "expected an integer of \(bits) bits, from \(least) to \(greatest).",
      in: string,
      at: 0)
  }
}

/// The positions of the parts of a JSON number in a string. The value is not computed.
///
/// ```
/// -12.50e3        sign, digits, fraction, exponent
/// ```
///
/// A number has no leading zeros and no `+` before it, and has a digit on each side of the point.
struct NumberReading {
  private(set) var isNegative = false
  /// The range from the first to the last digit that is not 0; empty for the number 0. The range
  /// may contain the point.
  private(set) var significant = 0..<0
  /// The number of digits in that range, without the point.
  private(set) var digitCount = 0
  /// The power of ten of the last digit in that range. A very large exponent is replaced by a value
  /// outside the range of every type.
  private(set) var exponent = 0

  /// Parses a whole string.
  ///
  /// - Complexity: O(*n*)
  init(_ string: Span<UInt8>) throws(TextError) {
    var offset = 0
    if string.count > 0, string[0] == UInt8(ascii: "-") {
      isNegative = true
      offset = 1
    }
    let begin = offset
    var first: Int?
    var last = 0
    func digits(_ name: String) throws(TextError) -> Int {
      let begin = offset
      while offset < string.count, string[offset] &- 48 < 10 {
        if string[offset] != 48 {
          if first == nil { first = offset }
          last = offset
        }
        offset += 1
      }
      guard offset > begin else { throw .expected(name, in: string, at: offset) }
      return offset
    }
    let point = try digits("a digit of a number")
    if point > begin + 1, string[begin] == 48 {
      throw TextError(.form, sentence: "a number has no leading zeros.", in: string, at: begin)
    }
    if offset < string.count, string[offset] == UInt8(ascii: ".") {
      offset += 1
      _ = try digits("a digit after the point")
    }
    var written = 0
    if offset < string.count, string[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      var isBelowOne = false
      if offset < string.count,
        string[offset] == UInt8(ascii: "-") || string[offset] == UInt8(ascii: "+")
      {
        isBelowOne = string[offset] == UInt8(ascii: "-")
        offset += 1
      }
      let begin = offset
      while offset < string.count, string[offset] &- 48 < 10 {
        // Every string is shorter than this limit. Therefore no number of zeros before or after the
        // point can compensate for such an exponent.
        written = min(written * 10 + Int(string[offset] - 48), 1 << 56)
        offset += 1
      }
      guard offset > begin else {
        throw .expected("a digit of the exponent", in: string, at: offset)
      }
      if isBelowOne { written = -written }
    }
    guard offset == string.count else {
      throw .expected("the end of the number", in: string, at: offset)
    }
    guard let first else { return }
    significant = first..<last + 1
    let hasPoint = first < point && last > point
    digitCount = significant.count - (hasPoint ? 1 : 0)
    exponent = written + (last < point ? point - 1 - last : point - last)
  }
}
