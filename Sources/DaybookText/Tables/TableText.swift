import DaybookJournal
@_spi(Tools) import DaybookStore

/// A table as a text journal with one transaction, which inserts all rows.
///
/// Each line is created when it is read. So the import of text journals also imports tables, and
/// writes the journal, its layouts and its name in the same way.
private final class TableText {
  private var records: Table.Records
  private let table: Table
  private var writer = JSONWriter()
  private var piece: ArraySlice<UInt8> = []
  private var isDone = false
  /// The error in the table. It is stored, because a source can throw only disk errors.
  private(set) var problem: TextJournalError?

  init(_ table: Table, metadata: TransactionMetadata, time: JournalTime) throws(TextJournalError) {
    self.table = table
    records = try table.records()
    writer.writeHeader([table.entity], base: .zero)
    writer.endLine()
    writer.beginObject()
    writer.key("tx")
    writer.write(1)
    writer.key("time")
    writer.write(JournalTimeText.text(of: time))
    if !metadata.isEmpty {
      writer.key("meta")
      writer.write(text: Array(metadata.text.utf8).span.bytes)
    }
    writer.key("changes")
    writer.beginArray()
  }

  func read(into memory: UnsafeMutableRawBufferPointer) throws(DiskError) -> Int {
    while piece.isEmpty, !isDone {
      do throws(TextJournalError) { try writeRow() } catch {
        problem = error
        throw DiskError(.read, path: table.input.path, code: 0)
      }
      piece = writer.takePiece()[...]
    }
    let count = min(memory.count, piece.count)
    memory.copyBytes(from: piece.prefix(count))
    piece = piece.dropFirst(count)
    return count
  }

  /// Writes the change of the next row, or the end of the line.
  private func writeRow() throws(TextJournalError) {
    guard let record = try records.next() else {
      writer.endArray()
      writer.endObject()
      writer.endLine()
      isDone = true
      return
    }
    try table.refuseEmptyIdentifier(of: record)
    writer.beginObject()
    writer.key("op")
    writer.write("insert")
    writer.key("entity")
    writer.write(table.entity.name)
    writer.key("id")
    writer.write(record.id)
    writer.key("set")
    writer.beginObject()
    for (attribute, value) in zip(table.entity.attributes, record.values) where !value.isNull {
      writer.key(attribute.name)
      writer.write(value)
    }
    writer.endObject()
    writer.endObject()
  }
}

extension Table {
  /// The limit for the line with all rows, in bytes. The limit of a transaction is lower.
  private static let lineByteCountMax = 1 << 32

  /// Creates a journal with one transaction, which inserts all rows.
  ///
  /// - Parameters:
  ///   - path: The path of the new journal. No file may have this path.
  ///   - metadata: The metadata of the transaction.
  ///   - options: The options of the new journal.
  /// - Throws: ``TextJournalError``. Then no journal is created.
  /// - Complexity: O(*n*). The import needs memory for all rows.
  public func importJournal(
    to path: String, metadata: TransactionMetadata, options: JournalOptions = JournalOptions()
  ) throws(TextJournalError) -> TextImportReport {
    let time = options.clock.now
    let tables = (
      try TableText(self, metadata: metadata, time: time),
      try TableText(self, metadata: metadata, time: time)
    )
    do throws(TextJournalError) {
      return try TextJournal.import(named: input.path, to: path, options: options) { phase in
        let made = phase == .checking ? tables.0 : tables.1
        return LineReader(lengthMax: Table.lineByteCountMax) { (memory) throws(DiskError) in
          try made.read(into: memory)
        }
      }
    } catch {
      throw tables.0.problem ?? tables.1.problem ?? error
    }
  }
}
