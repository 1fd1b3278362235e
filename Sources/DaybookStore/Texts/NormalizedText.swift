#if canImport(FoundationEssentials)
  @_spi(_Unicode) import Swift
#else
  import Foundation

  extension String {
    // The standard library of Apple's systems has it too, but does not let others use it.
    fileprivate var _nfc: UnicodeScalarView { precomposedStringWithCanonicalMapping.unicodeScalars }
  }
#endif

/// Texts as Unicode's normal form C has them, by which they are equal and in order.
///
/// Order is that of the bytes of UTF-8 in normal form C, which is that of its scalars. The standard
/// library's `<` is not used: it is not an order for texts in different normal forms.
package enum NormalizedText {
  /// Whether a text is in normal form C.
  ///
  /// - Complexity: O(*n*), or O(1) where the text is known to be ASCII
  package static func isNormal(_ text: String) -> Bool {
    isNormal(text.utf8Span)
  }

  /// Whether UTF-8 is in normal form C.
  package static func isNormal(_ text: UTF8Span) -> Bool {
    if isQuicklyNormal(text) { return true }
    var text = text
    return text.checkForNFC(quickCheck: false)
  }

  /// Whether UTF-8 is in normal form C and no scalar leaves that open, as with most texts that are.
  private static func isQuicklyNormal(_ text: UTF8Span) -> Bool {
    if text.isKnownASCII { return true }
    var text = text
    return text.checkForNFC(quickCheck: true)
  }

  /// The text in normal form C; itself if it is.
  package static func text(of text: String) -> String {
    isQuicklyNormal(text.utf8Span) ? text : String(decoding: normalBytes(text), as: UTF8.self)
  }

  /// The UTF-8 bytes of the text in normal form C.
  package static func bytes(of text: String) -> [UInt8] {
    isQuicklyNormal(text.utf8Span) ? Array(text.utf8) : normalBytes(text)
  }

  private static func normalBytes(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for scalar in text._nfc {
      if scalar.isASCII {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes.append(contentsOf: scalar.utf8)
      }
    }
    return bytes
  }

  /// Whether two texts are the same in normal form C.
  package static func areEqual(_ one: String, and other: String) -> Bool {
    if areSameBytes(one.utf8Span.span, and: other.utf8Span.span) { return true }
    if isQuicklyNormal(one.utf8Span), isQuicklyNormal(other.utf8Span) { return false }
    return bytes(of: one) == bytes(of: other)
  }

  /// Whether one text is before the other by their bytes in normal form C.
  package static func isOrdered(_ one: String, before other: String) -> Bool {
    if isQuicklyNormal(one.utf8Span), isQuicklyNormal(other.utf8Span) {
      return isOrdered(one.utf8Span.span, before: other.utf8Span.span)
    }
    return isOrdered(bytes(of: one).span, before: bytes(of: other).span)
  }

  private static func areSameBytes(_ one: Span<UInt8>, and other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for place in 0..<one.count where one[place] != other[place] { return false }
    return true
  }

  private static func isOrdered(_ one: Span<UInt8>, before other: Span<UInt8>) -> Bool {
    for place in 0..<min(one.count, other.count) where one[place] != other[place] {
      return one[place] < other[place]
    }
    return one.count < other.count
  }
}
