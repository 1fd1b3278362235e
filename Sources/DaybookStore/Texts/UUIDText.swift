import DaybookEssentials

/// The conversion between UUIDs and strings. The strings that this type creates have 32 upper-case
/// hexadecimal digits, in groups separated by hyphens, like `UUID.uuidString`.
package enum UUIDText {
  private static let characterCount = 36

  /// Returns the string of a UUID.
  package static func text(of uuid: UUID) -> String {
    characters(of: uuid).string
  }

  /// Appends the string of a UUID to bytes.
  package static func append(_ uuid: UUID, to output: inout [UInt8]) {
    characters(of: uuid).append(to: &output)
  }

  private static func characters(of uuid: UUID) -> ShortText {
    var result = ShortText()
    let bytes = uuid.uuid
    let first = digits(of: (bytes.0, bytes.1, bytes.2, bytes.3))
    let second = digits(of: (bytes.4, bytes.5, bytes.6, bytes.7))
    let third = digits(of: (bytes.8, bytes.9, bytes.10, bytes.11))
    let fourth = digits(of: (bytes.12, bytes.13, bytes.14, bytes.15))
    let hyphen = UInt64(UInt8(ascii: "-"))
    let half: UInt64 = 0xFFFF_FFFF
    // The string has 36 characters. Each call appends eight of them: first the digits before the
    // first hyphen, then digits and hyphens. The last call appends four bytes too many.
    result.append(eight: first)
    result.append(eight: hyphen | (second & half) << 8 | hyphen << 40 | (second >> 32) << 48)
    result.append(eight: second >> 48 | hyphen << 16 | (third & half) << 24 | hyphen << 56)
    result.append(eight: third >> 32 | fourth << 32)
    result.append(eight: fourth >> 32)
    result.removeLast(4)
    return result
  }

  /// Returns four bytes as eight digits in an integer. The first digit is the lowest byte.
  @inline(__always)
  private static func digits(of bytes: (UInt8, UInt8, UInt8, UInt8)) -> UInt64 {
    let bytes =
      UInt64(bytes.0) | UInt64(bytes.1) << 16 | UInt64(bytes.2) << 32 | UInt64(bytes.3) << 48
    let values = bytes >> 4 & 0x000F_000F_000F_000F | (bytes & 0x000F_000F_000F_000F) << 8
    // Each byte of `values` contains a number from 0 to 15. Adding 6 sets bit 4 for numbers from 10
    // on, which need letters. The letters follow the digits in ASCII after a gap of 7.
    let letters = (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return values &+ 0x3030_3030_3030_3030 &+ letters &* 7
  }

  /// Returns the UUID of a string. The four hyphens are required, and the digits may be in upper or
  /// lower case.
  package static func uuid(_ string: String) throws(TextError) -> UUID {
    try uuid(string.utf8Span.span)
  }

  /// Returns the UUID of the UTF-8 bytes of a string.
  package static func uuid(_ string: Span<UInt8>) throws(TextError) -> UUID {
    guard string.count == characterCount else { throw problem(string) }
    var isAmiss: UInt64 = 0
    func word(_ word: UInt64, appending indexes: Range<Int>) -> UInt64 {
      var word = word
      for index in indexes {
        let value = value(string[index])
        isAmiss |= value
        word = word << 4 | value & 15
      }
      return word
    }
    let high = word(word(word(0, appending: 0..<8), appending: 9..<13), appending: 14..<18)
    let low = word(word(0, appending: 19..<23), appending: 24..<36)
    let hyphens = string[8] == string[13] && string[18] == string[23] && string[8] == string[18]
    guard isAmiss < 16, hyphens, string[8] == UInt8(ascii: "-") else { throw problem(string) }
    func byte(of word: UInt64, at index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
    }
    return UUID(
      uuid: (
        byte(of: high, at: 0), byte(of: high, at: 1), byte(of: high, at: 2), byte(of: high, at: 3),
        byte(of: high, at: 4), byte(of: high, at: 5), byte(of: high, at: 6), byte(of: high, at: 7),
        byte(of: low, at: 0), byte(of: low, at: 1), byte(of: low, at: 2), byte(of: low, at: 3),
        byte(of: low, at: 4), byte(of: low, at: 5), byte(of: low, at: 6), byte(of: low, at: 7)
      ))
  }

  /// Returns the error for a string that is not a UUID.
  private static func problem(_ string: Span<UInt8>) -> TextError {
    for index in 0..<min(characterCount, string.count) {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard string[index] == UInt8(ascii: "-") else {
          return .expected("'-' in a UUID", in: string, at: index)
        }
      } else if value(string[index]) > 15 {
        return .expected("a digit of a UUID, 0 to 9 or A to F", in: string, at: index)
      }
    }
    return string.count < characterCount
      ? .expected("36 characters of a UUID", in: string, at: string.count)
      : .expected("the end of the UUID", in: string, at: characterCount)
  }

  /// Returns the value of a hexadecimal digit; 16 for all other bytes.
  @inline(__always)
  private static func value(_ byte: UInt8) -> UInt64 {
    let digit = byte &- 48
    let letter = (byte | 0x20) &- 97
    return digit < 10 ? UInt64(digit) : letter < 6 ? UInt64(letter &+ 10) : 16
  }
}
