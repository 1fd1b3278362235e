#if canImport(FoundationEssentials)
  @_spi(_Unicode) import Swift
#else
  import Foundation

  extension String {
    // On Apple's systems, the standard library has this property, but packages cannot access it.
    fileprivate var _nfc: UnicodeScalarView { precomposedStringWithCanonicalMapping.unicodeScalars }
  }
#endif

/// Functions that normalize strings to Unicode normalization form C, and that compare normalized
/// strings. In this form, é is always one scalar, and never e with a combining accent.
///
/// Strings are sorted by their UTF-8 bytes in normalization form C, which is also the order of
/// their scalars. The functions do not use the standard library's `<`, because it is not a
/// consistent order for strings in different normalization forms.
package enum NormalizedText {
  /// Returns whether a string is in normalization form C.
  ///
  /// - Complexity: O(*n*), or O(1) if the string is known to be ASCII
  package static func isNormal(_ string: String) -> Bool {
    isNormal(string.utf8Span)
  }

  /// Returns whether UTF-8 is in normalization form C.
  package static func isNormal(_ span: UTF8Span) -> Bool {
    if isQuicklyNormal(span) { return true }
    var span = span
    return span.checkForNFC(quickCheck: false)
  }

  /// Returns whether Unicode's quick check proves that UTF-8 is in normalization form C. The result
  /// is true for most normalized strings, and always false for strings that are not normalized.
  private static func isQuicklyNormal(_ span: UTF8Span) -> Bool {
    if span.isKnownASCII { return true }
    var span = span
    return span.checkForNFC(quickCheck: true)
  }

  /// Returns a string converted to normalization form C. A string that has this form is not
  /// changed.
  package static func text(of string: String) -> String {
    isQuicklyNormal(string.utf8Span) ? string : String(decoding: normalBytes(string), as: UTF8.self)
  }

  /// Returns the UTF-8 bytes of a string in normalization form C.
  package static func bytes(of string: String) -> [UInt8] {
    isQuicklyNormal(string.utf8Span) ? Array(string.utf8) : normalBytes(string)
  }

  private static func normalBytes(_ string: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(string.utf8.count)
    for scalar in string._nfc {
      if scalar.isASCII {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes.append(contentsOf: scalar.utf8)
      }
    }
    return bytes
  }

  /// Returns whether two strings are equal in normalization form C.
  package static func areEqual(_ one: String, and other: String) -> Bool {
    if areSameBytes(one.utf8Span.span, and: other.utf8Span.span) { return true }
    if isQuicklyNormal(one.utf8Span), isQuicklyNormal(other.utf8Span) { return false }
    return bytes(of: one) == bytes(of: other)
  }

  /// Returns whether a string is sorted before a second string by their bytes in normalization form
  /// C.
  package static func isOrdered(_ one: String, before other: String) -> Bool {
    if isQuicklyNormal(one.utf8Span), isQuicklyNormal(other.utf8Span) {
      return isOrdered(one.utf8Span.span, before: other.utf8Span.span)
    }
    return isOrdered(bytes(of: one).span, before: bytes(of: other).span)
  }

  private static func areSameBytes(_ one: Span<UInt8>, and other: Span<UInt8>) -> Bool {
    guard one.count == other.count else { return false }
    for index in 0..<one.count where one[index] != other[index] { return false }
    return true
  }

  private static func isOrdered(_ one: Span<UInt8>, before other: Span<UInt8>) -> Bool {
    for index in 0..<min(one.count, other.count) where one[index] != other[index] {
      return one[index] < other[index]
    }
    return one.count < other.count
  }
}
