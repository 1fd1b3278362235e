import DaybookJournal
import DaybookPlatform
import DaybookStore

extension TextJournal {
  /// Writes the complete contents of a journal as text: a header, and one line for each
  /// transaction.
  ///
  /// - Parameters:
  ///   - journal: The journal. The export contains the transactions that the reader returns. For a
  ///     damaged journal, these are the transactions of the intact part.
  ///   - output: A closure that receives the next bytes of the text with each call.
  /// - Throws: ``TextJournalError``: with `journal` or `payload` if the journal cannot be read,
  ///   with `disk` if the output throws. The output has then received the lines before the problem.
  /// - Complexity: O(*n*) in the size of the journal, which is read twice. The export needs memory
  ///   for the largest value, and a few dozen bytes for each live record and each change of a
  ///   transaction.
  public static func export(
    _ journal: JournalReader, to output: (RawSpan) throws(DiskError) -> Void
  ) throws(TextJournalError) {
    try export(
      JournalContents(
        file: journal.file, header: journal.header, last: journal.head.sequence,
        path: journal.path), to: output)
  }

  /// Writes the contents of a store as text, up to the last durable transaction.
  ///
  /// ```swift
  /// try TextJournal.export(store) { (lines) throws(DiskError) in
  ///   lines.withUnsafeBytes { text.append(contentsOf: $0) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - output: A closure that receives the next bytes of the text with each call.
  /// - Throws: ``TextJournalError``: with `journal` or `payload` if the journal cannot be read,
  ///   with `disk` if the output throws.
  /// - Complexity: O(*n*) in the size of the journal, which is read twice
  public static func export(
    _ store: Store, to output: (RawSpan) throws(DiskError) -> Void
  ) throws(TextJournalError) {
    switch store.log {
    case .file(let journal):
      let (file, header, end) = journal.durableFile
      try export(
        JournalContents(file: file, header: header, last: end.sequence, path: journal.path),
        to: output)
    case .reading(let journal): try export(journal, to: output)
    case .following(let journal):
      let reader: JournalReader
      do throws(JournalError) { reader = try journal.reader() } catch {
        throw TextJournalError(error, path: store.path)
      }
      try export(reader, to: output)
    case .memory(let journal):
      try export(JournalContents(memory: journal, path: store.path), to: output)
    }
  }

  /// Writes the transactions after a given one as lines that can be appended to a store, for
  /// example those that a shared log has lost.
  ///
  /// The first line is a header, which declares the entities. So the lines can be appended to a
  /// store that lacks an attribute. The other lines have no numbers and no times. The metadata of
  /// each line contains the number and the time of its transaction with the key `lost`.
  ///
  /// - Parameters:
  ///   - journal: The journal, for example the file that a repair has kept.
  ///   - last: The last transaction that is not written.
  ///   - output: A closure that receives the next bytes of the text with each call.
  /// - Returns: The number of lines after the header.
  /// - Throws: ``TextJournalError``: with `journal` or `payload` if the journal cannot be read,
  ///   with `disk` if the output throws.
  /// - Complexity: O(*n*) in the size of the journal, which is read twice
  @discardableResult
  public static func exportLost(
    _ journal: JournalReader, after last: SequenceNumber,
    to output: (RawSpan) throws(DiskError) -> Void
  ) throws(TextJournalError) -> Int {
    let contents = JournalContents(
      file: journal.file, header: journal.header, last: journal.head.sequence, path: journal.path)
    return try export(contents, as: .appendable(after: last), to: output)
  }

  /// Writes the transactions after a given one, like ``exportLost(_:after:to:)``, from a store that
  /// has its journal open for writing.
  @_spi(Tools) public static func exportLost(
    _ store: Store, after last: SequenceNumber, to output: (RawSpan) throws(DiskError) -> Void
  ) throws(TextJournalError) -> Int {
    guard case .file(let journal) = store.log else {
      preconditionFailure("\(store.path) is not open for writing")
    }
    let contents = JournalContents(
      file: journal.file, header: journal.header, last: journal.head.sequence, path: journal.path)
    return try export(contents, as: .appendable(after: last), to: output)
  }

  /// Writes the complete contents of a journal as text to an open descriptor.
  package static func export(
    _ journal: JournalReader, toDescriptor descriptor: Int32, path: String = "-"
  ) throws(TextJournalError) {
    try export(journal) { (bytes) throws(DiskError) in
      try FileDescriptor(descriptor, path: path).writeAll(bytes)
    }
  }

  @discardableResult
  private static func export(
    _ contents: JournalContents, as form: ExportedLines.Form = .journal,
    to output: (RawSpan) throws(DiskError) -> Void
  ) throws(TextJournalError) -> Int {
    var survey = SchemaSurvey()
    try contents.forEach { (payload) throws(TextJournalError) in
      if let defect = survey.add(payload.bytes) {
        throw contents.error(defect, in: payload.sequence)
      }
    }
    var lines = ExportedLines(survey, of: contents, as: form)
    lines.writeHeader()
    try contents.forEach { (payload) throws(TextJournalError) in
      let defect = try translating { () throws(DiskError) in
        let defect = try lines.write(payload, to: output)
        let limit = defect == nil ? ExportedLines.pieceByteCount : 0
        try lines.flush(ifAbove: limit, to: output)
        return defect
      }
      if let defect { throw contents.error(defect, in: payload.sequence) }
    }
    try translating { () throws(DiskError) in
      try lines.endBase(to: output)
      try lines.flush(ifAbove: 0, to: output)
    }
    return lines.count
  }

  private static func translating<Result>(
    _ body: () throws(DiskError) -> Result
  ) throws(TextJournalError) -> Result {
    do throws(DiskError) { return try body() } catch {
      throw TextJournalError(error, path: error.path)
    }
  }
}
