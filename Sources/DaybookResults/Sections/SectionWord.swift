import DaybookStore

/// A number in the key of a section: of an integer, a period or a range.
///
/// ```
/// 0   u8   1 before the middle, 2 in it, 3 behind it
/// 1        in the middle how far it is from the beginning of that, in 7 bytes; else the word, in 8; big-endian
/// ```
///
/// A tree of sections knows the first eight bytes of each key. Of numbers in the middle, which is 2⁵⁶ wide, that is all of it, so that
/// no row has to be read to tell a section from those beside it.
struct SectionWord: Hashable, Sendable {
  /// The word with which the middle begins: that of the numbers from -2⁵⁵ on, or from 0 if there are none below.
  private let start: UInt64

  /// - Parameter isSigned: Whether the word of zero is 2⁶³, and those of numbers below are less; else it is 0.
  init(isSigned: Bool) { start = isSigned ? 1 << 63 - 1 << 55 : 0 }

  private static let middle: UInt64 = 2

  func append(_ word: UInt64, to key: inout RowBuffer) {
    let place = word &- start
    guard word >= start, place < 1 << 56 else {
      key.append(word < start ? 1 : 3 as UInt8)
      return key.append(word.bigEndian)
    }
    key.append((SectionWord.middle << 56 | place).bigEndian)
  }

  /// The word of some bytes.
  func word(of bytes: RawSpan) -> UInt64 {
    let word = bytes.extracting(1..<bytes.byteCount).bigEndianWord
    return bytes.number(at: 0, as: UInt8.self) == UInt8(SectionWord.middle) ? start + word : word
  }

  /// How many bytes a word has behind its first one.
  static func byteCount(behind first: UInt8) -> Int { first == UInt8(middle) ? 7 : 8 }
}
