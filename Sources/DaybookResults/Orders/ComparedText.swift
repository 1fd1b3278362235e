import DaybookStore

/// A text as the bytes by which a comparator compares it.
///
/// Texts in rows have any spelling. Most are ASCII, which is in normal form C as it is, and they take
/// one pass of eight bytes at a time; only what is not in normal form is copied on the way.
enum ComparedText {
  /// Appends what is compared of the text in these bytes, as ``EscapedBytes`` writes it.
  static func append(
    _ text: RawSpan, comparator: TextComparator, mask: UInt64, to buffer: inout RowBuffer
  ) {
    if comparator != .natural,
      appendASCII(text, isFolded: comparator != .plain, mask: mask, to: &buffer)
    {
      return
    }
    switch comparator {
    case .plain:
      withNormalBytes(of: text) { EscapedBytes.append($0, mask: mask, to: &buffer) }
    case .caseInsensitive:
      let folded = CaseFolding.bytes(of: RowText.text(text), dropsMarks: false)
      EscapedBytes.append(folded.span.bytes, mask: mask, to: &buffer)
    case .caseAndDiacriticInsensitive:
      let folded = CaseFolding.bytes(of: RowText.text(text), dropsMarks: true)
      EscapedBytes.append(folded.span.bytes, mask: mask, to: &buffer)
    case .natural:
      let numbered = withNormalBytes(of: text) { NaturalText.bytes(of: $0) }
      EscapedBytes.append(numbered.span.bytes, mask: mask, to: &buffer)
    }
  }

  /// Appends a text that is ASCII and has no byte 0, in lower case if it is folded; appends nothing if
  /// it is another.
  @inline(__always)
  private static func appendASCII(
    _ text: RawSpan, isFolded: Bool, mask: UInt64, to buffer: inout RowBuffer
  ) -> Bool {
    let start = buffer.count
    var offset = 0
    repeat {
      // To append costs more than all else, so it is done by 64 bytes at once. What is behind the last
      // of them is the end.
      var piece = InlineArray<9, UInt64>(repeating: mask)
      let byteCount = min(64, text.byteCount - offset)
      for place in 0..<(byteCount + 7) / 8 {
        let count = min(8, byteCount - 8 * place)
        var word = text.word(at: offset + 8 * place, byteCount: count)
        guard word & 0x8080_8080_8080_8080 == 0, !word.hasZeroByte(count) else {
          buffer.removeLast(through: start)
          return false
        }
        if isFolded { word = word.lowercasedASCII }
        piece[place] = (word ^ mask).littleEndian
      }
      offset += byteCount
      buffer.append(
        piece.span.bytes.extracting(0..<byteCount + (offset == text.byteCount ? 2 : 0)))
    } while offset < text.byteCount
    return true
  }

  /// Hands out the UTF-8 of a text in normal form C; what is no UTF-8 is replaced.
  static func withNormalBytes<Result>(of text: RawSpan, body: (RawSpan) -> Result) -> Result {
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

/// How the texts of a sort key are compared.
///
/// ```swift
/// .ascending(\Bank.name, comparator: .caseInsensitive)
/// ```
///
/// Texts are the same in every spelling that Unicode calls canonically equivalent, and no comparator
/// asks for the language of a process. Texts that a comparator does not tell apart are a tie, which
/// the next sort key decides, or else the order of creation.
///
/// | comparator                    | in order                          | a tie                    |
/// | ----------------------------- | --------------------------------- | ------------------------ |
/// | `plain`                       | `Z` `a` `a10` `a9` `É` `é`        |                          |
/// | `caseInsensitive`             | `a` `a10` `a9` `Z` `é`            | `é` `É`, `ss` `ß`        |
/// | `caseAndDiacriticInsensitive` | `a` `a10` `a9` `é` `Z`            | `e` `E` `é` `É`          |
/// | `natural`                     | `Z` `a` `a9` `a10` `É` `é`        | `a9` `a09`               |
public enum TextComparator: Hashable, Sendable, CaseIterable {
  /// By the bytes of UTF-8 in normal form C, which is the order of their scalars.
  case plain
  /// As `plain`, of texts without the difference between upper and lower case: by full case folding,
  /// so that `ß` is `ss`.
  case caseInsensitive
  /// As `caseInsensitive`, without accents: nonspacing marks do not count.
  case caseAndDiacriticInsensitive
  /// As `plain`, but where two texts have ASCII digits, the numbers that they write are compared, and
  /// zeros before those do not count.
  case natural
}

/// Texts whose numbers are compared by value: each run of ASCII digits becomes bytes that are in order
/// as the numbers are.
///
/// ```
/// 30 to 38     how many digits there are, zeros before them not counted, none for 0
/// 39 FF … 01   nine, and as many more as the bytes behind the first say: 254 for each FF, and one
///              less than the byte that is none
/// 30 to 39     each digit
/// ```
///
/// A run begins with the byte of a digit, so that beside other characters it stands where digits do.
enum NaturalText {
  /// The bytes by which UTF-8 in normal form C is compared.
  static func bytes(of text: RawSpan) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.byteCount + 8)
    var offset = 0
    while let byte = text.number(at: offset, as: UInt8.self) {
      guard isDigit(byte) else {
        bytes.append(byte)
        offset += 1
        continue
      }
      var start = offset
      while text.number(at: start, as: UInt8.self) == 0x30 { start += 1 }
      offset = start
      while let digit = text.number(at: offset, as: UInt8.self), isDigit(digit) { offset += 1 }
      append(digitCount: offset - start, to: &bytes)
      for place in start..<offset { bytes.append(text.number(at: place, as: UInt8.self) ?? 0) }
    }
    return bytes
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func append(digitCount: Int, to bytes: inout [UInt8]) {
    guard digitCount > 8 else { return bytes.append(0x30 + UInt8(digitCount)) }
    bytes.append(0x39)
    var rest = digitCount - 9
    while rest >= 254 {
      bytes.append(0xFF)
      rest -= 254
    }
    bytes.append(UInt8(rest + 1))
  }
}
