import DaybookStore

/// The conversion of a string to the bytes that a comparator compares. A sort key of strings
/// appends these bytes to the key of each row.
///
/// Strings in rows are not normalized. Most strings are ASCII, and so already in normal form C. The
/// bytes of an ASCII string are appended in one pass, eight bytes at a time. Other strings are
/// copied only if the comparator or the normalization requires a copy.
enum ComparedText {
  /// Appends the compared form of a string to a key, in the format of ``EscapedBytes``.
  static func append(
    _ string: RawSpan, comparator: TextComparator, mask: UInt64, to buffer: inout RowBuffer
  ) {
    if comparator != .natural,
      appendASCII(string, isFolded: comparator != .plain, mask: mask, to: &buffer)
    {
      return
    }
    switch comparator {
    case .plain:
      withNormalBytes(of: string) { EscapedBytes.append($0, mask: mask, to: &buffer) }
    case .caseInsensitive:
      let folded = CaseFolding.bytes(of: RowText.text(string), dropsMarks: false)
      EscapedBytes.append(folded.span.bytes, mask: mask, to: &buffer)
    case .caseAndDiacriticInsensitive:
      let folded = CaseFolding.bytes(of: RowText.text(string), dropsMarks: true)
      EscapedBytes.append(folded.span.bytes, mask: mask, to: &buffer)
    case .natural:
      let numbered = withNormalBytes(of: string) { NaturalText.bytes(of: $0) }
      EscapedBytes.append(numbered.span.bytes, mask: mask, to: &buffer)
    }
  }

  /// Appends a string if it is ASCII without a byte 0, in lower case if `isFolded`. Otherwise
  /// appends nothing and returns false.
  @inline(__always)
  private static func appendASCII(
    _ string: RawSpan, isFolded: Bool, mask: UInt64, to buffer: inout RowBuffer
  ) -> Bool {
    let start = buffer.count
    var offset = 0
    repeat {
      // Each append to the buffer is expensive, so one append adds up to 64 bytes. All words start
      // as the mask. So the two bytes after the last byte of the string are the masked terminator.
      var piece = InlineArray<9, UInt64>(repeating: mask)
      let byteCount = min(64, string.byteCount - offset)
      for index in 0..<(byteCount + 7) / 8 {
        let count = min(8, byteCount - 8 * index)
        var word = string.word(at: offset + 8 * index, byteCount: count)
        guard word & 0x8080_8080_8080_8080 == 0, !word.hasZeroByte(count) else {
          buffer.removeLast(through: start)
          return false
        }
        if isFolded { word = word.lowercasedASCII }
        piece[index] = (word ^ mask).littleEndian
      }
      offset += byteCount
      buffer.append(
        piece.span.bytes.extracting(0..<byteCount + (offset == string.byteCount ? 2 : 0)))
    } while offset < string.byteCount
    return true
  }

  /// Calls a closure with the UTF-8 bytes of a string in normal form C. Invalid UTF-8 is replaced.
  static func withNormalBytes<Result>(of string: RawSpan, body: (RawSpan) -> Result) -> Result {
    if isNormal(string) { return body(string) }
    return body(NormalizedText.bytes(of: RowText.text(string)).span.bytes)
  }

  /// Returns whether a string is valid UTF-8 in normal form C.
  private static func isNormal(_ string: RawSpan) -> Bool {
    string.withUnsafeBytes { bytes in
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
  /// The eight ASCII bytes in lower case.
  @inline(__always)
  fileprivate var lowercasedASCII: UInt64 {
    // All bytes are below 128. The first sum sets the highest bit of every byte from `A` on. The
    // second sum sets the highest bit of every byte after `Z`. A byte with only the first of these
    // bits is a capital letter, and bit 0x20 makes it lower case.
    let fromA = self &+ 0x3F3F_3F3F_3F3F_3F3F
    let aboveZ = self &+ 0x2525_2525_2525_2525
    return self | (fromA & ~aboveZ & 0x8080_8080_8080_8080) >> 2
  }
}

/// The rule that compares the strings of a sort key.
///
/// ```swift
/// .ascending(\Bank.name, comparator: .caseInsensitive)
/// ```
///
/// Canonically equivalent strings are equal for every comparator, and no comparator depends on the
/// locale of the process. Strings that a comparator does not distinguish are a tie. The next sort
/// key resolves the tie, or finally the order of creation.
///
/// | comparator                    | order                             | ties                     |
/// | ----------------------------- | --------------------------------- | ------------------------ |
/// | `plain`                       | `Z` `a` `a10` `a9` `É` `é`        |                          |
/// | `caseInsensitive`             | `a` `a10` `a9` `Z` `é`            | `é` `É`, `ss` `ß`        |
/// | `caseAndDiacriticInsensitive` | `a` `a10` `a9` `é` `Z`            | `e` `E` `é` `É`          |
/// | `natural`                     | `Z` `a` `a9` `a10` `É` `é`        | `a9` `a09`               |
public enum TextComparator: Hashable, Sendable, CaseIterable {
  /// Compares the bytes of UTF-8 in normal form C, which is the order of the Unicode scalars.
  case plain
  /// Compares like `plain`, but ignores case. Full case folding is used, so `ß` equals `ss`.
  case caseInsensitive
  /// Compares like `caseInsensitive`, but also ignores accents, which are nonspacing marks.
  case caseAndDiacriticInsensitive
  /// Compares like `plain`, but compares runs of ASCII digits as numbers, without leading zeros.
  case natural
}

/// The conversion of strings for the natural comparator, which compares numbers in strings by
/// value. Each run of ASCII digits becomes bytes that have the order of the numbers.
///
/// ```
/// 30 to 38     the number of digits, 0 to 8, without leading zeros
/// 39 FF … n    9 digits, plus 254 for each FF, plus n - 1; n is 01 to FE
/// 30 to 39     each digit
/// ```
///
/// For example, `a10` becomes `a210`: the number of digits, 2, and the digits 10. `a9` becomes
/// `a19`, which is smaller. An encoded run starts with a digit, so it has the position of a digit
/// among other characters.
enum NaturalText {
  /// Returns the bytes to compare for a string in UTF-8 and normal form C.
  static func bytes(of string: RawSpan) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(string.byteCount + 8)
    var offset = 0
    while let byte = string.number(at: offset, as: UInt8.self) {
      guard isDigit(byte) else {
        bytes.append(byte)
        offset += 1
        continue
      }
      var start = offset
      while string.number(at: start, as: UInt8.self) == 0x30 { start += 1 }
      offset = start
      while let digit = string.number(at: offset, as: UInt8.self), isDigit(digit) { offset += 1 }
      append(digitCount: offset - start, to: &bytes)
      for digitOffset in start..<offset {
        bytes.append(string.number(at: digitOffset, as: UInt8.self) ?? 0)
      }
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
