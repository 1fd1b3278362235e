/// A cursor over the words of a folded string.
///
/// A *word* is a longest run of letters, numbers and marks: scalars whose general category in
/// Unicode starts with `L`, `N` or `M`. Every other scalar separates words: spaces, punctuation,
/// symbols, and controls such as U+200C. So `don't` is the two words `don` and `t`, and `日本語` is
/// one word.
struct WordCutter {
  /// The number of bytes before the end of the last word.
  private var offset = 0

  /// Returns the range of the next word's bytes; nil after the last word.
  ///
  /// - Parameter bytes: The UTF-8 bytes of the string, the same for every call. Bytes that are not
  ///   UTF-8 separate words.
  mutating func next(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
    while offset < bytes.count {
      let (isWord, count) = WordCutter.scalar(in: bytes, at: offset)
      if isWord { break }
      offset += count
    }
    let start = offset
    while offset < bytes.count {
      let (isWord, count) = WordCutter.scalar(in: bytes, at: offset)
      if !isWord { break }
      offset += count
    }
    return start < offset ? start..<offset : nil
  }

  /// Returns whether the scalar at a byte offset is part of a word, and its number of bytes.
  @inline(__always)
  private static func scalar(
    in bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> (isWord: Bool, byteCount: Int) {
    let first = bytes[offset]
    if first < 0x80 {
      return (first &- 0x30 < 10 || (first | 0x20) &- 0x61 < 26, 1)
    }
    return otherScalar(in: bytes, at: offset)
  }

  /// Returns the same for a scalar that is not ASCII.
  private static func otherScalar(
    in bytes: UnsafeRawBufferPointer, at offset: Int
  ) -> (isWord: Bool, byteCount: Int) {
    let first = bytes[offset]
    let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC2, offset + count <= bytes.count else { return (false, 1) }
    var value = UInt32(first) & (0x7F >> UInt32(count))
    for byte in bytes[offset + 1..<offset + count] {
      guard byte & 0xC0 == 0x80 else { return (false, 1) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard let scalar = Unicode.Scalar(value) else { return (false, 1) }
    return (isWord(scalar), count)
  }

  /// Returns whether a scalar is part of a word.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
      true
    default: false
    }
  }
}
