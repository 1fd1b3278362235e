import DaybookStore

/// The character that separates the cells of CSV.
@_spi(Tools) public enum CSVDelimiter: String, CaseIterable, Sendable {
  /// Cells are separated by commas.
  case comma
  /// Cells are separated by semicolons.
  case semicolon
  /// Cells are separated by tabs.
  case tab

  var byte: UInt8 {
    switch self {
    case .comma: UInt8(ascii: ",")
    case .semicolon: UInt8(ascii: ";")
    case .tab: UInt8(ascii: "\t")
    }
  }

  /// Creates the delimiter that occurs most often in the first line of a table, outside of
  /// quotation marks. If several occur equally often, or none occurs, the first case is chosen.
  init(of pieces: TextPieces, path: String) throws(TextJournalError) {
    var bytes = try TextBytes(pieces, path: path)
    var counts: [UInt8: Int] = [:]
    var isQuoted = false
    while let byte = try bytes.next(), isQuoted || byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted { counts[byte, default: 0] += 1 }
      // The first line may be as long as the file.
      try bytes.checkSize(bytes.position.column, from: TextPosition(line: 1, column: 1))
    }
    self = .comma
    for other in CSVDelimiter.allCases
    where counts[other.byte, default: 0] > counts[byte, default: 0] { self = other }
  }
}

/// A parser of values that are separated by commas (RFC 4180) or by a different delimiter.
///
/// A cell in quotation marks may contain delimiters, line ends and doubled quotation marks. A line
/// ends with a line feed, with or without a carriage return before it.
struct CSVReader {
  struct Cell: Equatable {
    var contents: String
    var isQuoted: Bool
    var position: TextPosition

    /// A Boolean value that indicates whether the cell has no value. An empty cell in quotation
    /// marks has one: the empty text.
    var isMissing: Bool { contents.isEmpty && !isQuoted }
  }

  private var bytes: TextBytes
  private let delimiter: CSVDelimiter

  /// The largest number of cells in a line: an identifier, and the values of all attributes that an
  /// entity may have.
  static let cellCountMax = SchemaLimit.attributes.maximum + 1

  init(
    _ pieces: TextPieces, delimiter: CSVDelimiter = .comma, path: String
  ) throws(TextJournalError) {
    bytes = try TextBytes(pieces, path: path)
    self.delimiter = delimiter
  }

  /// Returns the cells of the next line; nil at the end.
  mutating func next() throws(TextJournalError) -> [Cell]? {
    guard try bytes.peek() != nil else { return nil }
    var cells: [Cell] = []
    while true {
      let (cell, isLast) = try cell()
      guard cells.count < CSVReader.cellCountMax else {
        throw error(
          at: cell.position, sentence: "a line has at most \(CSVReader.cellCountMax) cells.")
      }
      cells.append(cell)
      if isLast { return cells }
    }
  }

  func error(at position: TextPosition, sentence: String) -> TextJournalError {
    bytes.error(at: position, sentence: sentence)
  }

  /// Reads a cell and the delimiter or the line end after it.
  private mutating func cell() throws(TextJournalError) -> (Cell, isLast: Bool) {
    let position = bytes.position
    let isQuoted = try bytes.peek() == UInt8(ascii: "\"")
    let (contents, isLast) = try isQuoted ? quoted(from: position) : plain(from: position)
    guard let string = String(validating: contents, as: UTF8.self) else {
      throw error(at: position, sentence: "the text is not UTF-8.")
    }
    return (Cell(contents: string, isQuoted: isQuoted, position: position), isLast)
  }

  private mutating func quoted(
    from position: TextPosition
  ) throws(TextJournalError) -> ([UInt8], isLast: Bool) {
    _ = try bytes.next()
    var contents: [UInt8] = []
    while true {
      guard let byte = try bytes.next() else {
        throw error(at: position, sentence: "the quotation mark is not closed.")
      }
      if byte == UInt8(ascii: "\"") {
        guard try bytes.peek() == byte else { break }
        _ = try bytes.next()
      }
      contents.append(byte)
      try bytes.checkSize(contents.count, from: position)
    }
    let end = bytes.position
    guard let byte = try bytes.peek() else { return (contents, true) }
    guard let isLast = try separator(byte) else {
      throw error(
        at: end,
        sentence: "expected a \(delimiter) or the end of the line after the closing quotation mark."
      )
    }
    return (contents, isLast)
  }

  private mutating func plain(
    from position: TextPosition
  ) throws(TextJournalError) -> ([UInt8], isLast: Bool) {
    var contents: [UInt8] = []
    while let byte = try bytes.peek() {
      if let isLast = try separator(byte) { return (contents, isLast) }
      guard byte != UInt8(ascii: "\""), byte != 0 else {
        throw error(
          at: bytes.position,
          sentence: "a cell with \(byte == 0 ? "a zero byte" : "a quotation mark") must be in "
            + "quotation marks.")
      }
      contents.append(byte)
      _ = try bytes.next()
      try bytes.checkSize(contents.count, from: position)
    }
    return (contents, true)
  }

  /// Reads a delimiter or a line end. Returns whether it ends the line; nil if the byte is neither.
  private mutating func separator(_ byte: UInt8) throws(TextJournalError) -> Bool? {
    switch byte {
    case delimiter.byte:
      _ = try bytes.next()
      return false
    case UInt8(ascii: "\n"):
      _ = try bytes.next()
      return true
    case UInt8(ascii: "\r"):
      let position = bytes.position
      _ = try bytes.next()
      let following = try bytes.peek()
      guard following == UInt8(ascii: "\n") || following == nil else {
        throw error(
          at: position,
          sentence: "a carriage return without a line feed must be in quotation marks.")
      }
      _ = try bytes.next()
      return true
    default: return nil
    }
  }
}
