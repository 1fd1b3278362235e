import DaybookJournal
import DaybookStore

/// The first pass over a text. It checks the syntax, the transaction numbers, the times and the
/// types of values, and collects the schema for the second pass.
///
/// The first pass keeps only the schema and one line in memory.
struct TextCheck {
  let path: String
  private(set) var schema = TextSchema()

  init(path: String) { self.path = path }

  /// Checks all lines, and collects the schema.
  ///
  /// - Complexity: O(*n*)
  mutating func run(_ lines: LineReader) throws(TextJournalError) {
    var lines = TextLines(lines, path: path)
    if let header = try lines.header() { try schema.readHeader(header, path: path) }
    var expected = schema.base?.sequence.rawValue ?? 1
    var hasLine = false
    while let line = try lines.next() {
      hasLine = true
      var reader = TextReader(line, path: path)
      let transaction = try reader.readTransaction { (change, reader) throws(TextJournalError) in
        try schema.apply(change, at: reader)
      }
      guard UInt64(exactly: transaction.sequence) == expected else {
        throw reader.error(
          .sequence, at: transaction.sequenceOffset,
          sentence:
            "expected transaction \(expected), found \(transaction.sequence).")
      }
      expected += 1
    }
    if let base = schema.base, !hasLine {
      throw TextJournalError(
        .base, path: path, line: base.position.line, column: base.position.column,
        sentence:
          "expected the state as of transaction \(base.sequence) in the line after the header, "
          + "found the end of the text.")
    }
  }
}

/// The lines of a text after the header.
struct TextLines {
  private var lines: LineReader
  private let path: String
  private var first: LineReader.Line?

  init(_ lines: LineReader, path: String) {
    self.lines = lines
    self.path = path
  }

  /// Returns the first line if it is a header, and nil otherwise. The caller must call this method
  /// before ``next()``.
  mutating func header() throws(TextJournalError) -> LineReader.Line? {
    guard let line = try next() else { return nil }
    if try TextSchema.isHeader(line, path: path) { return line }
    first = line
    return nil
  }

  mutating func next() throws(TextJournalError) -> LineReader.Line? {
    if let line = first {
      first = nil
      return line
    }
    do { return try lines.next() } catch {
      switch error.reason {
      case .disk(let disk): throw TextJournalError(disk, path: path)
      case .damaged:
        throw TextJournalError(
          .compressed, path: path, line: error.line, column: 1, sentence: error.sentence)
      case .tooLong:
        throw TextJournalError(
          .lineTooLong, path: path, line: error.line, column: 1, sentence: error.sentence)
      }
    }
  }
}
