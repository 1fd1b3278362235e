import DaybookStore

/// The encoding of one sort key: it converts a value to bytes that have the order of the values. A
/// plan has one part for each sort key, and encodes all rows with it.
///
/// Bytes are compared as unsigned numbers, from the first to the last. The bytes of one value are
/// never a prefix of the bytes of a different value. So the parts of several sort keys can be
/// concatenated to one key, and the first part that differs decides.
///
/// | type                       | bytes                                                          |
/// | -------------------------- | -------------------------------------------------------------- |
/// | bool                       | 1 or 0                                                         |
/// | unsigned integers          | big-endian                                                     |
/// | signed integers            | big-endian, with the sign inverted                             |
/// | float, double, date        | big-endian, with the sign inverted; all inverted if negative;  |
/// |                            | -0.0 as 0.0; NaN as all ones                                   |
/// | decimal                    | as in `PackedDecimal.orderKey`                                 |
/// | uuid                       | its 16 bytes                                                   |
/// | data                       | its bytes, as ``EscapedBytes`` writes them                     |
/// | string, url                | the comparator's form of it, as `EscapedBytes` writes it       |
/// | references and identifiers | the bytes of the identifier                                    |
///
/// If the value is optional, a byte 1 precedes each value, and a single byte 0 represents nil. So
/// nil is smaller than every value. Optional integers of 64 bits are written as ``MarkedWord``
/// instead. If a row has no value although the value is required, bytes that are all 0 represent
/// it, so no value sorts before it. If the order is descending, all bytes are inverted.
package struct OrderKeyPart: Hashable, Sendable {
  /// The type of the values; for references, the type of the identifiers.
  package let type: ScalarType
  package let comparator: TextComparator
  package let isDescending: Bool
  /// A Boolean value that indicates whether the value may be missing.
  package let isOptional: Bool
  /// The number of bytes of a value in a row; 0 if the number varies.
  private let width: Int
  /// The encoding of optional integers of 64 bits; nil for all other values.
  let markedWord: MarkedWord?

  /// Creates the part of a key for the values at the end of a path.
  ///
  /// - Throws: ``OrderProblem`` if the path ends at several values, or if the comparator requires
  ///   strings and the values are not strings.
  package init(
    _ end: ValuePath.End, comparator: TextComparator = .plain, isDescending: Bool = false,
    isOptional: Bool
  ) throws(OrderProblem) {
    guard let type = end.scalarType else { throw OrderProblem(.several, typeName: end.typeName) }
    guard comparator == .plain || type == .string else {
      throw OrderProblem(.notString(comparator), typeName: end.typeName)
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

  /// The mask that every byte is combined with by exclusive or.
  private var mask: UInt64 { isDescending ? .max : 0 }

  /// Appends the part of a key for a value.
  ///
  /// If the number of bytes is wrong for the type, the value is treated as missing.
  ///
  /// - Parameter value: The bytes of the value as a row contains them; nil for a missing value.
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
    // An empty byte string is the two bytes of its terminator.
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

  /// Returns the end of the part that starts at an offset of a key.
  package func end(in key: RawSpan, from start: Int) -> Int {
    end(in: key, from: start, mask: UInt8(truncatingIfNeeded: mask))
  }

  /// Returns the end of the part that starts at an offset of a key from outside; nil if the key has
  /// no such part there.
  func end(inUnchecked key: [UInt8], from start: Int) -> Int? {
    // Two terminators follow, so that the search for one ends in any bytes.
    let mask = UInt8(truncatingIfNeeded: mask)
    let end = end(in: (key + [mask, mask, mask, mask]).span.bytes, from: start, mask: mask)
    return end <= key.count ? end : nil
  }

  /// Returns the end of the part that starts at an offset of a key, for bytes that were combined
  /// with the given mask.
  func end(in key: RawSpan, from start: Int, mask: UInt8) -> Int {
    var start = start
    if isOptional {
      let marker = key.number(at: start, as: UInt8.self)
      start += 1
      if marker == mask { return start }
      if markedWord != nil { return start + MarkedWord.byteCount(after: (marker ?? 0) ^ mask) }
    }
    return width == 0 ? EscapedBytes.end(in: key, from: start, mask: mask) : start + width
  }
}

/// The reason that rows cannot be sorted by a value.
package struct OrderProblem: Error, Hashable, CustomStringConvertible {
  /// The reasons.
  package enum Reason: Hashable, Sendable {
    /// The path ends at several values.
    case several
    /// The comparator compares strings, and the value is not a string.
    case notString(TextComparator)
    /// The rows are ranked by words, and the value is not a string.
    case noWords
  }

  package let reason: Reason
  /// The name of the value's type in a text journal.
  package let typeName: String

  package init(_ reason: Reason, typeName: String) {
    self.reason = reason
    self.typeName = typeName
  }

  /// The problem as text, for a message that begins with the path of the sort key and a colon.
  package var description: String {
    switch reason {
    case .several: "a sort key needs a single value; the type \(typeName) has several."
    case .notString(let comparator):
      "the \(comparator.name) comparator needs strings; the type is \(typeName)."
    case .noWords: "a search for words needs strings; the type is \(typeName)."
    }
  }
}

extension TextComparator {
  fileprivate var name: String {
    switch self {
    case .plain: "plain"
    case .caseInsensitive: "case-insensitive"
    case .caseAndDiacriticInsensitive: "case- and diacritic-insensitive"
    case .natural: "natural"
    }
  }
}
