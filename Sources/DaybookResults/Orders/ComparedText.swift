import DaybookStore

/// A text as the bytes by which a comparator compares it.
///
/// Texts in rows have any spelling. Most are ASCII, which is in normal form C as it is, and they take
/// one pass of eight bytes at a time; only what is not in normal form is copied on the way.
enum ComparedText {
  /// Appends what is compared of the text in these bytes, as ``EscapedBytes`` writes it.
  static func append(
    _ text: RawSpan, _ comparator: TextComparator, mask: UInt64, to buffer: inout RowBuffer
  ) {
    if comparator != .natural,
      appendASCII(text, isFolded: comparator != .plain, mask: mask, to: &buffer)
    {
      return
    }
    switch comparator {
    case .plain:
      withNormalBytes(text) { EscapedBytes.append($0, mask: mask, to: &buffer) }
    case .caseInsensitive:
      let folded = CaseFolding.bytes(of: RowText.text(text), dropsMarks: false)
      EscapedBytes.append(folded.span.bytes, mask: mask, to: &buffer)
    case .caseAndDiacriticInsensitive:
      let folded = CaseFolding.bytes(of: RowText.text(text), dropsMarks: true)
      EscapedBytes.append(folded.span.bytes, mask: mask, to: &buffer)
    case .natural:
      let numbered = withNormalBytes(text) { NaturalText.bytes(of: $0) }
      EscapedBytes.append(numbered.span.bytes, mask: mask, to: &buffer)
    }
  }

  /// Appends a text that is ASCII, in lower case if it is folded; appends nothing if it is not ASCII.
  @inline(__always)
  private static func appendASCII(
    _ text: RawSpan, isFolded: Bool, mask: UInt64, to buffer: inout RowBuffer
  ) -> Bool {
    let start = buffer.count
    buffer.reserve(text.byteCount + 2)
    var offset = 0
    while offset < text.byteCount {
      let count = min(8, text.byteCount - offset)
      var word = text.word(at: offset, byteCount: count)
      guard word & 0x8080_8080_8080_8080 == 0 else {
        buffer.removeLast(through: start)
        return false
      }
      if isFolded { word = word.lowercasedASCII }
      if word.hasZeroByte(count) {
        EscapedBytes.append(escaping: word, byteCount: count, mask: mask, to: &buffer)
      } else {
        buffer.append(word ^ mask, byteCount: count)
      }
      offset += count
    }
    buffer.append(UInt16(truncatingIfNeeded: mask))
    return true
  }

  /// Hands out the UTF-8 of a text in normal form C; what is no UTF-8 is replaced.
  static func withNormalBytes<Result>(_ text: RawSpan, _ body: (RawSpan) -> Result) -> Result {
    if isNormal(text) { return body(text) }
    return body(NormalizedText.bytes(of: RowText.text(text)).span.bytes)
  }

  private static func isNormal(_ text: RawSpan) -> Bool {
    text.withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: UInt8.self) { bytes in
        do {
          return NormalizedText.isNormal(try UTF8Span(validating: bytes.span))
        } catch {
          return false
        }
      }
    }
  }
}

extension UInt64 {
  /// Eight ASCII bytes in lower case.
  @inline(__always)
  fileprivate var lowercasedASCII: UInt64 {
    // Added to a byte below 128, these reach its highest bit from `A` on, and from behind `Z` on.
    let fromA = self &+ 0x3F3F_3F3F_3F3F_3F3F
    let behindZ = self &+ 0x2525_2525_2525_2525
    return self | (fromA & ~behindZ & 0x8080_8080_8080_8080) >> 2
  }
}
