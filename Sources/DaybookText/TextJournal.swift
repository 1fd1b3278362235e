import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore

/// The text form of a journal: JSON Lines, with one transaction in each line.
///
/// ```
/// {"daybook":1,"entities":{"Food":{"id":"string","attributes":{"type":"string!"}}}}
/// {"tx":1,"time":"2015-10-27T12:10:26Z","changes":[{"op":"delete","entity":"Food","id":"f1"}]}
/// ```
///
/// An import of an exported text creates a journal with equal contents: the same transactions,
/// times, metadata, changes, values and creation numbers.
public enum TextJournal {
  /// Creates a journal from a text.
  ///
  /// The import reads the text twice. The first pass checks the syntax, and infers the entities
  /// that no header declares. The second pass writes the journal. The journal gets its name only at
  /// the end, so an import that fails leaves no journal.
  ///
  /// ```swift
  /// let report = try TextJournal.import(.file("banks.jsonl"), to: "banks.daybook")
  /// print(report.transactionCount)
  /// ```
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - path: The path of the new journal. No file may have this path.
  ///   - options: The options of the new journal. With the durability `none`, nothing is synced.
  /// - Returns: The number of imported transactions, the number of changes, and the entities.
  /// - Throws: ``TextJournalError`` if the text is not valid, or if the journal cannot be created.
  ///   Then no journal is created.
  /// - Complexity: O(*n*) in the size of the text. The import needs memory for the longest line,
  ///   and a few dozen bytes for each live record.
  public static func `import`(
    _ text: TextSource, to path: String, options: JournalOptions = JournalOptions()
  ) throws(TextJournalError) -> TextImportReport {
    let opened: OpenText
    do { opened = try text.open() } catch { throw TextJournalError(error, path: text.path) }
    return try `import`(named: text.path, to: path, options: options) { phase in
      opened.lines(phase, progress: options.progress)
    }
  }

  /// Creates a journal whose bytes depend only on the lines of the text. So two imports of the same
  /// text create equal journals, and a publication of one continues with the other.
  @_spi(Tools) public static func importEqually(
    _ text: TextSource, to path: String, options: JournalOptions = JournalOptions()
  ) throws(TextJournalError) -> TextImportReport {
    let opened: OpenText
    do { opened = try text.open() } catch { throw TextJournalError(error, path: text.path) }
    let digest = try TextDigest(opened.lines(), path: text.path)
    var options = options
    options.random = digest.numbers()
    options.clock = digest
    return try `import`(named: text.path, to: path, options: options) { phase in
      opened.lines(phase, progress: options.progress)
    }
  }

  /// Creates a journal from the lines of a text journal.
  ///
  /// - Parameters:
  ///   - name: The name of the text in error messages.
  ///   - path: The path of the new journal.
  ///   - options: The options of the new journal.
  ///   - lines: A closure that returns the lines from the first one on. It is called twice.
  static func `import`(
    named name: String, to path: String, options: JournalOptions,
    lines: (ReadingProgress.Phase) -> LineReader
  ) throws(TextJournalError) -> TextImportReport {
    let maker: JournalFileMaker
    do { maker = try JournalFileMaker(at: path, options) } catch {
      throw TextJournalError(error, path: name)
    }
    var check = TextCheck(path: name)
    var problem: TextJournalError?
    do { try check.run(lines(.checking)) } catch { problem = error }
    // The second pass may find a problem in an earlier line than the first pass. So it runs up to
    // the problem of the first pass, and the earlier problem is reported.
    if let problem, problem.line < 2 { throw problem }
    let definitions: [EntityDefinition]
    do { definitions = try check.schema.definitions(path: name) } catch {
      throw problem ?? error
    }
    var making = try TextMaking(
      check.schema, definitions: definitions, path: name, maker: maker)
    try making.run(lines(.reading), through: problem.map { $0.line - 1 })
    if let problem { throw problem }
    try making.finish()
    return making.report
  }
}

extension TextJournal {
  /// Returns the reason why the header of a text cannot declare some entities, or nil if it can
  /// declare all of them.
  public static func headerProblem(
    of entities: [EntityDefinition], base: SequenceNumber
  ) -> String? {
    var writer = JSONWriter()
    writer.writeHeader(entities, base: base)
    var schema = TextSchema()
    do throws(TextJournalError) {
      let line = LineReader.Line(number: 1, bytes: ByteView(writer.bytes))
      try schema.readHeader(line, path: "the schema")
      let read = try schema.definitions(path: "the schema")
      if let different = zip(entities, read).first(where: { $0 != $1 })?.0 {
        return "the header of a text journal cannot express the schema of \(different.name)."
      }
      return nil
    } catch { return error.sentence }
  }
}
