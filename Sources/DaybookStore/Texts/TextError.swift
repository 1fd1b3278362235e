/// An error of parsing a value, such as a date or a number, from a string.
public struct TextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reasons of errors, for programs to switch on.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// The string does not have the form of the expected type of value.
    case form
    /// The value, or a part of it, is outside the range of its type.
    case range
    /// The value has more digits than its type can store.
    case precision
  }

  /// The reason, for programs to switch on.
  public let reason: Reason

  /// A sentence about the error, for example "expected '-' after the year, found '/'."
  public let sentence: String

  /// The number of Unicode scalars before the position of the error.
  public let scalarOffset: Int

  /// Creates an error at a byte offset of a string.
  ///
  /// - Complexity: O(*n*) for a byte offset of *n*
  init(_ reason: Reason, sentence: String, in string: Span<UInt8>, at offset: Int) {
    self.reason = reason
    self.sentence = sentence
    var scalarOffset = 0
    for index in 0..<min(offset, string.count) where string[index] & 0xC0 != 0x80 {
      scalarOffset += 1
    }
    self.scalarOffset = scalarOffset
  }

  /// Creates an error that states the expected text and the found scalar at a byte offset of a
  /// string.
  static func expected(_ expected: String, in string: Span<UInt8>, at offset: Int) -> TextError {
    TextError(
      .form, sentence: "expected \(expected), found \(found(in: string, at: offset)).", in: string,
      at: offset)
  }

  /// Returns the scalar at a byte offset, as error messages contain it.
  private static func found(in string: Span<UInt8>, at offset: Int) -> String {
    guard offset < string.count else { return "the end" }
    let byte = string[offset]
    if byte > 0x20, byte < 0x7F { return "'\(Character(Unicode.Scalar(byte)))'" }
    let bytes = (offset..<min(offset + 4, string.count)).map { string[$0] }
    let scalar = String(decoding: bytes, as: UTF8.self).unicodeScalars.first ?? "\u{FFFD}"
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// The error as a sentence.
  public var description: String { sentence }
}
