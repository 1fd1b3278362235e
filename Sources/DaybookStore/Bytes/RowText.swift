import DaybookPlatform

/// Functions for strings in the form that rows contain: UTF-8, which is not normalized.
@usableFromInline
package enum RowText {
  /// Returns the string in UTF-8 bytes. Each invalid sequence becomes U+FFFD, the replacement
  /// character.
  @usableFromInline
  package static func text(_ bytes: RawSpan) -> String {
    bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns whether two strings are equal in Unicode normal form C.
  package static func areEqual(_ one: RawSpan, and other: RawSpan) -> Bool {
    if bytesAreEqual(one, and: other) { return true }
    // If one string is ASCII, strings with different bytes count as different. This shortcut avoids
    // the normalization of most strings. The few other characters with an ASCII normal form, such
    // as U+212A (the Kelvin sign, which becomes K), are therefore not equal to it here.
    guard !isASCII(one), !isASCII(other) else { return false }
    return NormalizedText.areEqual(text(one), and: text(other))
  }

  /// Returns whether the bytes are UTF-8 in normal form C.
  package static func isNormal(_ bytes: RawSpan) -> Bool {
    if isASCII(bytes) { return true }
    return bytes.withUnsafeBytes { buffer in
      let span = Span<UInt8>(_unsafeBytes: buffer)
      guard let text = try? UTF8Span(validating: span) else { return false }
      return NormalizedText.isNormal(text)
    }
  }

  private static func isASCII(_ bytes: RawSpan) -> Bool {
    for offset in 0..<bytes.byteCount
    where bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) >= 0x80 { return false }
    return true
  }
}

/// Returns whether two spans have equal bytes.
@inlinable
package func bytesAreEqual(_ one: RawSpan, and other: RawSpan) -> Bool {
  guard one.byteCount == other.byteCount else { return false }
  return one.withUnsafeBytes { one in
    other.withUnsafeBytes { other in
      guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
      return Memory.compare(start, with: otherStart, byteCount: one.count) == 0
    }
  }
}
