import DaybookJournal

/// A text to import: a text journal, or a table in CSV or JSON, compressed with gzip or not.
@_spi(Tools) public struct ImportText {
  /// The formats of texts.
  public enum Format: Hashable, Sendable {
    /// A text journal: JSON Lines with a transaction on each line.
    case journal
    /// A JSON array of objects.
    case json
    /// Values that are separated by a delimiter, with a line of names.
    case csv
  }

  /// The name of the text in error messages.
  public let path: String
  /// The format of the text.
  public let format: Format
  /// The delimiter of CSV; nil for other formats.
  public let delimiter: CSVDelimiter?
  private let opened: OpenText
  private let progress: ReadingProgress?

  /// Opens a text, and detects its format by the extension of its name, or by its first byte that
  /// is not a space.
  ///
  /// - Parameters:
  ///   - source: The text.
  ///   - delimiter: The delimiter of CSV; nil to detect it by the first line.
  ///   - progress: The progress to report during each pass over a table; nil to report none.
  public init(
    _ source: TextSource, delimiter: CSVDelimiter? = nil, progress: ReadingProgress? = nil
  ) throws(TextJournalError) {
    path = source.path
    self.progress = progress
    do { opened = try source.open() } catch { throw TextJournalError(error, path: source.path) }
    let name = path.hasSuffix(".gz") ? path.dropLast(3) : path[...]
    if name.hasSuffix(".csv") || name.hasSuffix(".tsv") {
      format = .csv
    } else if name.hasSuffix(".jsonl") {
      format = .journal
    } else {
      var bytes = try TextBytes(opened.pieces(), path: path)
      switch try bytes.peekPastSpaces() {
      case UInt8(ascii: "["): format = .json
      case UInt8(ascii: "{"), nil: format = .journal
      default: format = .csv
      }
    }
    guard format == .csv else {
      self.delimiter = nil
      return
    }
    if let delimiter {
      self.delimiter = delimiter
    } else {
      self.delimiter = try CSVDelimiter(of: opened.pieces(), path: path)
    }
  }

  /// Returns the decompressed bytes, from the first one on.
  func pieces() -> TextPieces { opened.pieces(progress: progress) }

  /// Creates a journal from a text journal, as ``TextJournal/import(_:to:options:)`` does.
  public func importJournal(
    to path: String, options: JournalOptions = JournalOptions()
  ) throws(TextJournalError) -> TextImportReport {
    try TextJournal.import(named: self.path, to: path, options: options) { phase in
      opened.lines(phase, progress: options.progress)
    }
  }
}
