import DaybookJournal

/// A reader of the bytes of a text, one at a time, with the position of each.
struct TextBytes {
  /// The largest number of bytes of a cell, or of an object of a JSON array. The limit is far below
  /// that of a line, because a small compressed file can expand to a very large cell.
  static let partByteCountMax = 64 << 20

  let path: String
  /// The position of the next byte.
  private(set) var position = TextPosition(line: 1, column: 1)
  private let pieces: TextPieces
  private let buffer = LineBuffer(byteCount: LineReader.pieceByteCount)
  private var offset = 0
  private var filled = 0
  private var isAtEnd = false

  init(_ pieces: TextPieces, path: String) throws(TextJournalError) {
    self.pieces = pieces
    self.path = path
    // A byte order mark is not a part of the text.
    if try peek() == 0xEF, filled >= 3, buffer[1] == 0xBB, buffer[2] == 0xBF { offset = 3 }
  }

  /// Returns the next byte without reading it; nil at the end.
  mutating func peek() throws(TextJournalError) -> UInt8? {
    if offset < filled { return buffer[offset] }
    guard !isAtEnd else { return nil }
    (offset, filled) = (0, 0)
    do { filled = try buffer.fill(0..<buffer.byteCount, from: pieces.source) } catch {
      guard let damage = pieces.damage() else { throw TextJournalError(error, path: path) }
      throw TextJournalError(
        .compressed, path: path, line: position.line, column: position.column, sentence: damage)
    }
    isAtEnd = filled == 0
    return isAtEnd ? nil : buffer[0]
  }

  /// Reads the next byte; nil at the end.
  mutating func next() throws(TextJournalError) -> UInt8? {
    guard let byte = try peek() else { return nil }
    offset += 1
    position.pass(byte)
    return byte
  }

  /// Reads spaces, tabs and line ends, and returns the byte after them without reading it.
  mutating func peekPastSpaces() throws(TextJournalError) -> UInt8? {
    while let byte = try peek() {
      guard byte == 32 || byte == 9 || byte == 10 || byte == 13 else { return byte }
      _ = try next()
    }
    return nil
  }

  func error(
    at position: TextPosition, sentence: String
  ) -> TextJournalError {
    TextJournalError(
      .table, path: path, line: position.line, column: position.column, sentence: sentence)
  }

  /// Throws an error if a part of the text is longer than the limit.
  func checkSize(_ byteCount: Int, from position: TextPosition) throws(TextJournalError) {
    guard byteCount > TextBytes.partByteCountMax else { return }
    throw error(
      at: position, sentence: "a value is longer than \(TextBytes.partByteCountMax >> 20) MiB.")
  }
}
