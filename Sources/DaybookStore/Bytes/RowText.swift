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
    // An ASCII string is in normal form. The comparison with it avoids the normalization of most
    // strings.
    switch (isASCII(one), isASCII(other)) {
    case (true, true): return false
    case (true, false): return isNormalForm(one, of: other)
    case (false, true): return isNormalForm(other, of: one)
    case (false, false): return NormalizedText.areEqual(text(one), and: text(other))
    }
  }

  /// The characters outside of ASCII with an ASCII normal form, in UTF-8: the Greek question mark,
  /// the Greek varia, and the Kelvin sign.
  package static let characterSingletons: [(character: [UInt8], normalForm: UInt8)] = [
    ([0xCD, 0xBE], UInt8(ascii: ";")), ([0xE1, 0xBF, 0xAF], UInt8(ascii: "`")),
    ([0xE2, 0x84, 0xAA], UInt8(ascii: "K")),
  ]

  /// Returns whether an ASCII string is the normal form of a string that is not ASCII.
  private static func isNormalForm(_ ascii: RawSpan, of other: RawSpan) -> Bool {
    func byte(of span: RawSpan, at offset: Int) -> UInt8 {
      span.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
    var offset = 0
    for index in 0..<ascii.byteCount {
      guard offset < other.byteCount else { return false }
      let expected = byte(of: ascii, at: index)
      if byte(of: other, at: offset) == expected {
        offset += 1
        continue
      }
      let singleton = characterSingletons.first { $0.normalForm == expected }?.character
      guard let singleton, other.byteCount - offset >= singleton.count,
        singleton.indices.allSatisfy({ byte(of: other, at: offset + $0) == singleton[$0] })
      else { return false }
      offset += singleton.count
    }
    return offset == other.byteCount
  }

  /// Returns whether the bytes are UTF-8 in normal form C.
  package static func isNormal(_ bytes: RawSpan) -> Bool {
    if isASCII(bytes) { return true }
    return bytes.withUnsafeBytes { buffer in
      let span = Span<UInt8>(_unsafeBytes: buffer)
      guard let string = try? UTF8Span(validating: span) else { return false }
      return NormalizedText.isNormal(string)
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
