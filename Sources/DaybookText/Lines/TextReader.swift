import DaybookJournal
import DaybookStore

/// A parser of one line of a text journal. Its errors contain the position in the line.
struct TextReader {
  let path: String
  let line: Int
  private let bytes: ByteView
  private var reader: JSONReader
  private let columns: ColumnCounter

  /// Creates a parser of a line, or of a JSON value that starts at a column of a line and may
  /// contain line ends.
  init(_ line: LineReader.Line, path: String, column: Int = 1) {
    self.path = path
    self.line = line.number
    bytes = line.bytes
    reader = JSONReader(line.bytes)
    columns = ColumnCounter(line.bytes, start: TextPosition(line: line.number, column: column))
  }

  /// The byte offset of the last key or value.
  var offset: Int { reader.tokenOffset }

  // MARK: Steps

  private mutating func step<Result>(
    _ body: (inout JSONReader) throws(JSONError) -> Result
  ) throws(TextJournalError) -> Result {
    do { return try body(&reader) } catch { throw self.error(error) }
  }

  mutating func beginObject() throws(TextJournalError) {
    try step { (reader) throws(JSONError) in try reader.beginObject() }
  }

  mutating func beginArray() throws(TextJournalError) {
    try step { (reader) throws(JSONError) in try reader.beginArray() }
  }

  mutating func nextElement() throws(TextJournalError) -> Bool {
    try step { (reader) throws(JSONError) in try reader.nextElement() }
  }

  /// Returns the next key of an object, or nil at its end. Throws if the object has the same key
  /// twice.
  mutating func nextKey(_ keys: inout JSONKeys) throws(TextJournalError) -> String? {
    do {
      guard let key = try reader.nextKey() else { return nil }
      try keys.record(key, of: reader)
      return key
    } catch { throw self.error(error) }
  }

  mutating func readString() throws(TextJournalError) -> String {
    try step { (reader) throws(JSONError) in try reader.readString() }
  }

  mutating func readBool() throws(TextJournalError) -> Bool {
    try step { (reader) throws(JSONError) in try reader.readBool() }
  }

  mutating func readInteger() throws(TextJournalError) -> Int64 {
    try step { (reader) throws(JSONError) in try reader.readInteger() }
  }

  mutating func readNumber() throws(TextJournalError) -> JSONNumber {
    try step { (reader) throws(JSONError) in try reader.readNumber() }
  }

  /// Reads an object, and returns all its members.
  mutating func readMembers() throws(TextJournalError) -> [JSONValue.Member] {
    let kind = try step { (reader) throws(JSONError) in try reader.peek() }
    guard kind == .object else {
      try beginObject()
      return []
    }
    guard
      case .object(let members) = try step({ (reader) throws(JSONError) in
        try reader.readValue()
      })
    else { return [] }
    return members
  }

  mutating func peek() throws(TextJournalError) -> JSONKind {
    try step { (reader) throws(JSONError) in try reader.peek() }
  }

  mutating func skipValue() throws(TextJournalError) {
    try step { (reader) throws(JSONError) in try reader.skipValue() }
  }

  mutating func finish() throws(TextJournalError) {
    try step { (reader) throws(JSONError) in try reader.finish() }
  }

  /// Reads the next value, of any kind.
  ///
  /// - Complexity: O(*n*)
  mutating func readValue() throws(TextJournalError) -> TextValue {
    let token = try step { (reader) throws(JSONError) in try reader.next() }
    let start = offset
    switch token {
    case .string: return TextValue(content: .string(reader.text), offset: start)
    case .number:
      if case .integer(let integer) = reader.numberValue, integer != 0 {
        return TextValue(content: .integer(integer), offset: start)
      }
      return TextValue(content: .number(reader.number), offset: start)
    case .bool(let bool): return TextValue(content: .bool(bool), offset: start)
    case .null: return TextValue(content: .null, offset: start)
    case .arrayStart:
      var elements: [TextValue] = []
      while try nextElement() { elements.append(try readValue()) }
      return TextValue(content: .array(elements), offset: start)
    case .objectStart:
      var keys = JSONKeys()
      while try nextKey(&keys) != nil { try skipValue() }
      return TextValue(content: .object, offset: start)
    case .key, .objectEnd, .arrayEnd, .end:
      throw error(reader.mismatch(.value, found: token))
    }
  }

  // MARK: Errors

  func error(_ error: JSONError) -> TextJournalError {
    let position = columns.position(ofScalar: error.column)
    return TextJournalError(
      .json, path: path, line: position.line, column: position.column, sentence: error.sentence)
  }

  /// Returns an error at a byte offset of the line.
  func error(
    _ reason: TextJournalError.Reason, at offset: Int, sentence: String
  ) -> TextJournalError {
    let position = position(at: offset)
    return TextJournalError(
      reason, path: path, line: position.line, column: position.column, sentence: sentence)
  }

  /// Returns an error for a value, with the name of the value's attribute or key.
  func error(
    _ reason: TextJournalError.Reason, defect: TextDefect, of name: String
  ) -> TextJournalError {
    var position = position(at: defect.offset)
    // If the string contains no escape, each of its Unicode scalars is one column of the line. The
    // quotation mark before the string is one column too.
    if let scalarOffset = defect.scalarOffset,
      !hasEscape(at: defect.offset + 1, scalarCount: scalarOffset)
    {
      position.column += 1 + scalarOffset
    }
    return TextJournalError(
      reason, path: path, line: position.line, column: position.column,
      sentence: "\(name): \(defect.sentence)")
  }

  /// Throws if the schema exceeds a limit.
  func check(
    _ limit: SchemaLimit, of entity: String, count: Int, at offset: Int
  ) throws(TextJournalError) {
    guard count > limit.maximum else { return }
    throw error(.tooLarge, at: offset, sentence: "\(SchemaExcess(limit, of: entity, count: count))")
  }

  func position(at offset: Int) -> TextPosition { columns.position(at: offset) }

  private func hasEscape(at start: Int, scalarCount: Int) -> Bool {
    var left = scalarCount
    var index = start
    while left >= 0, index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\") { return true }
      if bytes[index] & 0xC0 != 0x80 { left -= 1 }
      index += 1
    }
    return false
  }
}

/// A counter of the columns of a line, which continues from the last requested position.
///
/// Positions that are requested in ascending order need only one pass over the line in total.
private final class ColumnCounter {
  private let bytes: ByteView
  private let start: TextPosition
  private var offset = 0
  private var position: TextPosition

  init(_ bytes: ByteView, start: TextPosition) {
    self.bytes = bytes
    self.start = start
    position = start
  }

  /// Returns the position of the scalar at an offset, with the column counted in Unicode scalars.
  func position(at target: Int) -> TextPosition {
    if target < offset { (offset, position) = (0, start) }
    let end = min(target, bytes.count)
    while offset < end {
      position.pass(bytes[offset])
      offset += 1
    }
    return position
  }

  /// Returns the position of a scalar, by its number in the bytes, starting at 1.
  func position(ofScalar number: Int) -> TextPosition {
    var offset = 0
    var left = number - 1
    while left > 0, offset < bytes.count {
      offset += 1
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80 { offset += 1 }
      left -= 1
    }
    var position = position(at: offset)
    position.column += left
    return position
  }
}

extension TextPosition {
  /// Moves the position past a byte of UTF-8.
  mutating func pass(_ byte: UInt8) {
    if byte == UInt8(ascii: "\n") {
      line += 1
      column = 1
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }
}
