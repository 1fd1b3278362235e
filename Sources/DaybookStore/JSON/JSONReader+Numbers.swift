extension JSONReader {
  /// The number that the reader scanned last.
  ///
  /// - Complexity: O(*n*) in its digits
  package var number: JSONNumber {
    let literal = source.string(tokenStart..<tokenEnd)
    return JSONNumber(text: literal, value: numberValue(literal))
  }

  /// The value of the last number that the reader has passed. The property creates a string only if
  /// `JSONDigits` cannot compute the value, for example for 1e300.
  package var numberValue: JSONNumber.Representation { numberValue(nil) }

  private func numberValue(_ literal: String?) -> JSONNumber.Representation {
    if digits.isInteger {
      if let plain = digits.plainInteger { return plain }
      let literal = literal ?? source.string(tokenStart..<tokenEnd)
      // The integer has 20 digits or more. Only an integer of 20 digits without a sign can fit in
      // 64 bits.
      return UInt64(literal).map { .unsigned($0) } ?? .wide
    }
    if let plain = digits.plainDouble { return .double(plain) }
    let double = JSONNumber.double(literal ?? source.string(tokenStart..<tokenEnd))
    return double.isInfinite ? .overflow : .double(double)
  }

  /// Passes a number that starts at the current offset.
  @inline(__always)
  mutating func scanNumber() throws(JSONError) {
    tokenStart = offset
    var found = JSONDigits()
    var position = offset
    if source[position] == UInt8(ascii: "-") {
      found.isNegative = true
      position &+= 1
    }
    let start = position
    position = scanDigits(from: position, into: &found)
    if position == start { throw misplaced(.digitAfterSign, at: position) }
    if source[start] == UInt8(ascii: "0"), position > start &+ 1 {
      throw error(.leadingZero(self.found(at: start &+ 1)), at: start &+ 1)
    }
    switch source[position] {
    case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      position = try scanFraction(from: position, into: &found)
    default: break
    }
    digits = found
    tokenEnd = position
    offset = position
  }

  /// Passes a point with its digits, and an exponent, if they are present. Returns the offset of
  /// their end.
  private func scanFraction(
    from start: Int, into found: inout JSONDigits
  ) throws(JSONError) -> Int {
    var position = start
    found.isInteger = false
    if source[position] == UInt8(ascii: ".") {
      let end = scanDigits(from: position &+ 1, into: &found)
      if end == position &+ 1 { throw misplaced(.digitAfterPoint, at: end) }
      found.exponent = position &+ 1 &- end
      position = end
    }
    if source[position] == UInt8(ascii: "e") || source[position] == UInt8(ascii: "E") {
      position &+= 1
      let isNegative = source[position] == UInt8(ascii: "-")
      if isNegative || source[position] == UInt8(ascii: "+") { position &+= 1 }
      var exponent = JSONDigits()
      let end = scanDigits(from: position, into: &exponent)
      if end == position { throw misplaced(.digitInExponent, at: end) }
      // An exponent with more than nine digits becomes a value for which `plainDouble` is nil. The
      // number is then converted from its spelling, which also handles an exponent with leading
      // zeros.
      let isPlain = exponent.digitCount <= 9
      let power = isPlain ? Int(exponent.significand) : 1_000_000_000
      found.exponent &+= isNegative ? 0 &- power : power
      position = end
    }
    return position
  }

  /// Passes digits, accumulates them, and returns the offset of their end.
  @inline(__always)
  private func scanDigits(from start: Int, into found: inout JSONDigits) -> Int {
    var position = start
    while true {
      let digit = source[position] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      // With more than 19 digits, this value may overflow. No property uses it in that case.
      found.significand = found.significand &* 10 &+ UInt64(digit)
      position &+= 1
    }
    found.digitCount &+= position &- start
    return position
  }
}
