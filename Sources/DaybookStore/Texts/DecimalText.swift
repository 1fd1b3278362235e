import DaybookEssentials

/// The text of a decimal: all its digits, no exponent, no zeros at the end of a fraction.
package enum DecimalText {
  /// The text of a decimal, which reads back as an equal one; `NaN` if it is not a number.
  package static func text(of decimal: Decimal) -> String {
    shortText(of: decimal).string
  }

  /// Appends the text of a decimal to bytes.
  package static func append(_ decimal: Decimal, to output: inout [UInt8]) {
    shortText(of: decimal).append(to: &output)
  }

  private static func shortText(of decimal: Decimal) -> ShortText {
    var text = ShortText()
    guard let parts = DecimalParts(decimal) else {
      text.append("N")
      text.append("a")
      text.append("N")
      return text
    }
    if parts.isNegative { text.append("-") }
    if parts.digits == 0 || parts.exponent >= 0 {
      append(parts.digits, to: &text)
      text.append(zeros: Int(parts.exponent))
      return text
    }
    // The point stands so many digits from the right.
    let fractionCount = -Int(parts.exponent)
    let digitCount = DecimalParts.digitCount(parts.digits)
    if digitCount <= fractionCount {
      text.append("0")
      text.append(".")
      text.append(zeros: fractionCount - digitCount)
      append(parts.digits, to: &text)
      return text
    }
    append(parts.digits, to: &text)
    text.append("0")
    for place in stride(from: text.count - 1, to: text.count - 1 - fractionCount, by: -1) {
      text[place] = text[place - 1]
    }
    text[text.count - 1 - fractionCount] = UInt8(ascii: ".")
    return text
  }

  private static func append(_ digits: UInt128, to text: inout ShortText) {
    if let short = UInt64(exactly: digits) { return text.append(short) }
    // 10³⁸ is the square of 10¹⁹, so that three steps are enough for 39 digits.
    let (high, low) = digits.quotientAndRemainder(dividingBy: tenToThe19)
    append(high, to: &text)
    text.append(UInt64(low), width: 19)
  }

  private static let tenToThe19: UInt128 = 10_000_000_000_000_000_000

  /// The decimal that a text says exactly: a number as JSON writes it, or `NaN`.
  ///
  /// Up to 38 digits are read, zeros at either end not counted, and those of 39 digits that fit in
  /// 128 bits, because a `Decimal` can hold them and every decimal must come back.
  ///
  /// - Complexity: O(*n*)
  package static func decimal(_ text: String) throws(TextError) -> Decimal {
    try decimal(text.utf8Span.span)
  }

  /// The decimal that the UTF-8 bytes of a text say exactly.
  package static func decimal(_ text: Span<UInt8>) throws(TextError) -> Decimal {
    if let special = NumberText.special(text), special.isNaN { return .nan }
    let reading = try NumberReading(text)
    guard reading.digitCount > 0 else { return Decimal() }
    guard var digits = digits(of: reading, in: text) else {
      throw TextError(
        .precision, sentence: "a decimal has up to 38 digits, this one has \(reading.digitCount).",
        in: text,
        at: reading.significant.lowerBound)
    }
    guard reading.exponent >= -128 else {
      throw TextError(
        .precision, sentence: "a decimal has up to 128 digits after the point, this one has more.",
        in: text,
        at: reading.significant.lowerBound)
    }
    var exponent = reading.exponent
    while exponent > 127 {
      let (tenfold, overflowed) = digits.multipliedReportingOverflow(by: 10)
      guard !overflowed else {
        throw TextError(
          .range,
          sentence: "decimals reach up to 340282366920938463463374607431768211455e127; "
            + "this is further from 0.",
          in: text, at: 0)
      }
      digits = tenfold
      exponent -= 1
    }
    return DecimalParts(
      isNegative: reading.isNegative, digits: digits, exponent: Int8(exponent)
    ).decimal
  }

  /// The significant digits as a number, or nil if they do not fit in 128 bits.
  private static func digits(of reading: NumberReading, in text: Span<UInt8>) -> UInt128? {
    guard reading.digitCount <= 39 else { return nil }
    var chunk: UInt64 = 0
    var chunkCount = 0
    var whole: UInt128 = 0
    var taken = 0
    for place in reading.significant {
      let digit = text[place] &- 48
      guard digit < 10 else { continue }
      chunk = chunk * 10 + UInt64(digit)
      chunkCount += 1
      taken += 1
      if chunkCount == 19 || taken == reading.digitCount {
        if whole == 0 {
          whole = UInt128(chunk)
        } else {
          let (scaled, overflowed) = whole.multipliedReportingOverflow(
            by: DecimalParts.powersOfTen[chunkCount])
          let (sum, carried) = scaled.addingReportingOverflow(UInt128(chunk))
          if overflowed || carried { return nil }
          whole = sum
        }
        (chunk, chunkCount) = (0, 0)
      }
    }
    return whole
  }
}
