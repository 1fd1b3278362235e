import DaybookStore

/// A word of 64 bits in a key where there may be none: behind a byte that says that there is one.
///
/// ```
/// 0   u8   1 before the middle, 2 in it, 3 behind it
/// 1        in the middle how far it is from the beginning of that, in 7 bytes; else the word, in 8; big-endian
/// ```
///
/// Trees know the first eight bytes of each key. Of words in the middle, which is 2⁵⁶ wide, that is all of it, so that no row has to be
/// read to tell one number from those beside it.
struct MarkedWord: Hashable, Sendable {
  /// The word with which the middle begins: that of the numbers from -2⁵⁵ on, or from 0 if there are none below.
  private let start: UInt64

  /// - Parameter isSigned: Whether the word of zero is 2⁶³, and those of numbers below are less; else it is 0.
  init(isSigned: Bool) { start = isSigned ? 1 << 63 - 1 << 55 : 0 }

  private static let middle: UInt64 = 2

  /// - Parameter mask: What every byte is changed by.
  @inline(__always)
  func append(_ word: UInt64, mask: UInt64 = 0, to key: inout RowBuffer) {
    let place = word &- start
    if word >= start, place < 1 << 56 {
      return key.append(((MarkedWord.middle << 56 | place) ^ mask).bigEndian)
    }
    key.append((word < start ? 1 : 3) ^ UInt8(truncatingIfNeeded: mask))
    key.append((word ^ mask).bigEndian)
  }

  /// The word of some bytes.
  func word(of bytes: RawSpan) -> UInt64 {
    let word = bytes.extracting(1..<bytes.byteCount).bigEndianWord
    return bytes.number(at: 0, as: UInt8.self) == UInt8(MarkedWord.middle) ? start + word : word
  }

  /// How many bytes a word has behind its first one.
  static func byteCount(behind first: UInt8) -> Int { first == UInt8(middle) ? 7 : 8 }
}

extension RawSpan {
  /// All of up to eight bytes, the highest first.
  var bigEndianWord: UInt64 {
    (0..<byteCount).reduce(0) { $0 << 8 | UInt64(number(at: $1, as: UInt8.self) ?? 0) }
  }
}
