import FoundationEssentials

/// The text of a UUID: 32 digits to the base 16 in groups, upper case, as `UUID.uuidString` has it.
package enum UUIDText {
  private static let characterCount = 36

  /// The text of a UUID.
  package static func text(of uuid: UUID) -> String {
    shortText(of: uuid).string
  }

  /// Appends the text of a UUID to bytes.
  package static func append(_ uuid: UUID, to output: inout [UInt8]) {
    shortText(of: uuid).append(to: &output)
  }

  private static func shortText(of uuid: UUID) -> ShortText {
    var text = ShortText()
    // A UUID is 16 bytes wherever it exists, and the view does not leave this call.
    withUnsafeBytes(of: uuid.uuid) { bytes in
      for (place, byte) in bytes.enumerated() {
        if place == 4 || place == 6 || place == 8 || place == 10 { text.append("-") }
        text.append(digit(byte >> 4))
        text.append(digit(byte & 15))
      }
    }
    return text
  }

  @inline(__always)
  private static func digit(_ value: UInt8) -> UInt8 {
    value &+ (value < 10 ? 48 : 55)
  }

  /// The UUID that a text says, in either case, with its four hyphens.
  package static func uuid(_ text: String) throws(TextError) -> UUID {
    try uuid(text.utf8Span.span)
  }

  /// The UUID that the UTF-8 bytes of a text say.
  package static func uuid(_ text: Span<UInt8>) throws(TextError) -> UUID {
    var high: UInt64 = 0
    var low: UInt64 = 0
    for place in 0..<characterCount {
      guard place < text.count else {
        throw .expected("36 characters of a UUID", in: text, at: text.count)
      }
      let byte = text[place]
      if place == 8 || place == 13 || place == 18 || place == 23 {
        guard byte == UInt8(ascii: "-") else {
          throw .expected("'-' in a UUID", in: text, at: place)
        }
        continue
      }
      guard let digit = value(byte) else {
        throw .expected("a digit of a UUID, 0 to 9 or A to F", in: text, at: place)
      }
      high = high << 4 | low >> 60
      low = low << 4 | digit
    }
    guard text.count == characterCount else {
      throw .expected("the end of the UUID", in: text, at: characterCount)
    }
    func byte(_ word: UInt64, _ place: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (56 - 8 * place))
    }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
        byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
        byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      ))
  }

  @inline(__always)
  private static func value(_ byte: UInt8) -> UInt64? {
    let digit = byte &- 48
    if digit < 10 { return UInt64(digit) }
    let letter = (byte | 0x20) &- 97
    return letter < 6 ? UInt64(letter &+ 10) : nil
  }
}
