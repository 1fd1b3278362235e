import DaybookStore

/// One sort key: makes bytes of a value, and the bytes are in order as the values are.
///
/// Bytes are compared unsigned, one after the other. The bytes of no value begin with those of
/// another, so parts stand one behind the other in a key, and the first in which two keys differ
/// decides.
///
/// | type                       | bytes                                                          |
/// | -------------------------- | -------------------------------------------------------------- |
/// | bool                       | 1 or 0                                                         |
/// | unsigned integers          | big-endian                                                     |
/// | signed integers            | big-endian, with the sign inverted                             |
/// | float, double, date        | big-endian, with the sign inverted; all inverted if negative;  |
/// |                            | -0.0 as 0.0; what is not a number all ones                     |
/// | decimal                    | as in `PackedDecimal.orderKey`                                 |
/// | uuid                       | its 16 bytes                                                   |
/// | data                       | its bytes, as ``EscapedBytes`` writes them                     |
/// | string, url                | what the comparator makes of it, as `EscapedBytes` writes it   |
/// | references and identifiers | those of the identifier                                        |
///
/// Where there may be no value, a byte 1 comes before each, and a byte 0 stands for none: no value is
/// the smallest. Integers of 64 bits are then as `MarkedWord` writes them. Where there always is one, a
/// row that has none all the same is as one whose bytes are zeros, and none is before it. All bytes are
/// inverted if the order is descending.
package struct OrderKeyPart: Hashable, Sendable {
  /// The type of the values; that of the identifiers, if they are references.
  package let type: ScalarType
  package let comparator: TextComparator
  package let isDescending: Bool
  /// Whether there may be no value.
  package let isOptional: Bool
  /// How many bytes a value has in a row, 0 if that depends on it.
  private let width: Int
  /// How integers of 64 bits stand in keys, if there may be none.
  let markedWord: MarkedWord?

  /// - Throws: ``OrderProblem`` if the values are arrays, or no texts and compared as such.
  package init(
    _ end: ValuePath.End, comparator: TextComparator = .plain, isDescending: Bool = false,
    isOptional: Bool
  ) throws(OrderProblem) {
    guard let type = end.scalarType else { throw OrderProblem(.several, typeName: end.typeName) }
    guard comparator == .plain || type == .string else {
      throw OrderProblem(.notText(comparator), typeName: end.typeName)
    }
    self.init(
      type, comparator: comparator, isDescending: isDescending, isOptional: isOptional)
  }

  init(
    _ type: ScalarType, comparator: TextComparator = .plain, isDescending: Bool = false,
    isOptional: Bool
  ) {
    self.type = type
    self.comparator = comparator
    self.isDescending = isDescending
    self.isOptional = isOptional
    width = type.byteCount ?? 0
    markedWord =
      switch type {
      case .int64, .uint64: isOptional ? MarkedWord(isSigned: type == .int64) : nil
      default: nil
      }
  }

  /// What every byte is changed by.
  private var mask: UInt64 { isDescending ? .max : 0 }

  /// Appends the part of a key for the bytes of a value, as rows hold them; nil if there is none.
  ///
  /// Bytes that are not of the width of the type are none.
  package func append(_ value: borrowing RawSpan?, to buffer: inout RowBuffer) {
    guard let value = copy value, width == 0 || value.byteCount == width else {
      return appendNil(to: &buffer)
    }
    if let markedWord {
      return markedWord.append(OrderWord.word(of: type, bytes: value), mask: mask, to: &buffer)
    }
    if isOptional { buffer.append(0x01 ^ UInt8(truncatingIfNeeded: mask)) }
    switch type {
    case .string, .url: ComparedText.append(value, comparator: comparator, mask: mask, to: &buffer)
    case .data: EscapedBytes.append(value, mask: mask, to: &buffer)
    case .decimal: appendDecimal(value, to: &buffer)
    case .uuid:
      buffer.append(value.word(at: 0) ^ mask)
      buffer.append(value.word(at: 8) ^ mask)
    default:
      let word = OrderWord.word(of: type, bytes: value) ^ mask
      buffer.append(word << UInt64(64 - 8 * width), firstBytes: width)
    }
  }

  private func appendNil(to buffer: inout RowBuffer) {
    if isOptional { return buffer.append(UInt8(truncatingIfNeeded: mask)) }
    // The end of no bytes is two bytes.
    for _ in 0..<(width == 0 ? 2 : width) { buffer.append(UInt8(truncatingIfNeeded: mask)) }
  }

  private func appendDecimal(_ value: RawSpan, to buffer: inout RowBuffer) {
    let packed = PackedDecimal(
      low: value.word(at: 0), high: value.word(at: 8),
      tail: value.number(at: 16, as: UInt32.self) ?? 0)
    let key = packed.orderKey
    buffer.append(key.span.bytes.word(at: 0) ^ mask)
    buffer.append(key.span.bytes.word(at: 8) ^ mask)
    buffer.append(key.span.bytes.word(at: 16, byteCount: 4) ^ mask, byteCount: 4)
  }

  /// Where the part ends that begins at an offset of a key.
  package func end(in key: RawSpan, from start: Int) -> Int {
    end(in: key, from: start, mask: UInt8(truncatingIfNeeded: mask))
  }

  /// Where the part ends whose bytes were changed by another mask than its own.
  func end(in key: RawSpan, from start: Int, mask: UInt8) -> Int {
    var start = start
    if isOptional {
      let marker = key.number(at: start, as: UInt8.self)
      start += 1
      if marker == mask { return start }
      if markedWord != nil { return start + MarkedWord.byteCount(behind: (marker ?? 0) ^ mask) }
    }
    return width == 0 ? EscapedBytes.end(in: key, from: start, mask: mask) : start + width
  }
}

/// Why rows cannot be put in an order.
package struct OrderProblem: Error, Hashable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// The value is not one, but several.
    case several
    /// What is to be compared as a text is none.
    case notText(TextComparator)
  }

  package let reason: Reason
  /// How the text journal calls the type of the value.
  package let typeName: String

  package init(_ reason: Reason, typeName: String) {
    self.reason = reason
    self.typeName = typeName
  }

  /// A sentence, to be put behind what it is about.
  package var description: String {
    switch reason {
    case .several: "rows are sorted by one value each, and a value of type \(typeName) is several."
    case .notText(let comparator):
      "strings are compared \(comparator.adverb), and a value of type \(typeName) is none."
    }
  }
}

extension TextComparator {
  fileprivate var adverb: String {
    switch self {
    case .plain: "as they are"
    case .caseInsensitive: "without case"
    case .caseAndDiacriticInsensitive: "without case and accents"
    case .natural: "with their numbers by value"
    }
  }
}
