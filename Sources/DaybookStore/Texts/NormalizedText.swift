@_spi(_Unicode) import Swift

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
    if text.isKnownASCII { return true }
    var text = text
    return text.checkForNFC(quickCheck: true) || text.checkForNFC(quickCheck: false)
  }

  /// The text in normal form C; itself if it is.
  package static func text(of text: String) -> String {
    if isNormal(text) { return text }
    var normal = ""
    normal.unicodeScalars.append(contentsOf: text._nfc)
    return normal
  }

  /// The UTF-8 bytes of the text in normal form C.
  package static func bytes(of text: String) -> [UInt8] {
    Array(NormalizedText.text(of: text).utf8)
  }

  /// Whether two texts are the same in normal form C.
  package static func areEqual(_ one: String, _ other: String) -> Bool {
    if areSameBytes(one.utf8Span.span, other.utf8Span.span) { return true }
    if isNormal(one), isNormal(other) { return false }
    return areSameBytes(text(of: one).utf8Span.span, text(of: other).utf8Span.span)
  }

  /// Whether one text is before the other by their bytes in normal form C.
  package static func isOrdered(_ one: String, before other: String) -> Bool {
    let (one, other) = (text(of: one), text(of: other))
    return isOrdered(one.utf8Span.span, before: other.utf8Span.span)
  }

  private static func areSameBytes(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
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
