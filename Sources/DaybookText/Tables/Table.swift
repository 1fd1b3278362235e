import DaybookJournal
import DaybookStore

/// A table as the records of an entity.
@_spi(Tools) public struct Table {
  /// The meaning of a column.
  enum Role: Hashable {
    case identifier
    /// The index of the attribute in the entity.
    case attribute(Int)
  }

  let input: ImportText
  /// The names of the columns.
  public let columns: [String]
  /// The entity, with an attribute for each column except that of the identifiers. It can have
  /// further attributes.
  public let entity: EntityDefinition
  let roles: [Role]
  /// The number of rows.
  public let rowCount: Int

  /// The indices of the attributes that have a column.
  var attributes: [Int] {
    roles.compactMap { if case .attribute(let index) = $0 { index } else { nil } }
  }

  /// Returns a reader of the rows as records.
  func records() throws(TextJournalError) -> Records { try Records(self) }

  /// Reads all rows. Throws an error if a value does not have the type of its column. Also throws
  /// an error if a row has no identifier, or the same identifier as an earlier row.
  func check() throws(TextJournalError) {
    var records = try records()
    var lines: [RecordIdentifier: Int] = [:]
    lines.reserveCapacity(rowCount)
    while let record = try records.next() {
      guard let earlier = lines.updateValue(record.position.line, forKey: record.id) else {
        continue
      }
      throw error(
        .alreadyExists, at: record.position,
        sentence: "the identifier \(quoted(record.id)) is also in line \(earlier).")
    }
  }

  /// Throws an error for a new record whose identifier is an empty text. The usual reason is an
  /// additional row without values.
  func refuseEmptyIdentifier(of record: Record) throws(TextJournalError) {
    guard record.id == .string("") else { return }
    throw error(
      .identifier, at: record.position,
      sentence: "the identifier is an empty text. Give the row an identifier, or remove the row.")
  }

  private func quoted(_ id: RecordIdentifier) -> String {
    if case .string(let string) = id { return TextReader.quoted(string) }
    return "\(id)"
  }

  func error(
    _ reason: TextJournalError.Reason, at position: TextPosition, sentence: String
  ) -> TextJournalError {
    TextJournalError(
      reason, path: input.path, line: position.line, column: position.column, sentence: sentence)
  }

  /// A row as a record.
  struct Record {
    var position: TextPosition
    var id: RecordIdentifier
    /// The value of each attribute of the entity; null for attributes without a column.
    var values: [AttributeValue]
  }

  /// A reader of the rows of a table as records.
  struct Records {
    private let table: Table
    private let required: [Int]
    private var rows: TableRows
    private var rowCount = 0

    init(_ table: Table) throws(TextJournalError) {
      self.table = table
      let attributes = table.entity.attributes
      required = table.attributes.filter { attributes[$0].isRequired }
      rows = try TableRows(table.input)
    }

    /// Returns the next record; nil after the last row.
    mutating func next() throws(TextJournalError) -> Record? {
      guard let row = try rows.next() else { return nil }
      rowCount += 1
      let entity = table.entity
      var id = table.roles.contains(.identifier) ? nil : RecordIdentifier.int(Int64(rowCount))
      var values = [AttributeValue](repeating: .null, count: entity.attributes.count)
      for cell in row.cells {
        guard cell.column < table.roles.count else {
          throw table.error(
            .changed, at: row.position, sentence: "the table changed during the import.")
        }
        switch table.roles[cell.column] {
        case .identifier: id = try identifier(of: cell, in: row)
        case .attribute(let index): values[index] = try value(of: cell, as: index, in: row)
        }
      }
      guard let id else {
        throw table.error(.identifier, at: row.position, sentence: "the row has no identifier.")
      }
      if let missing = required.first(where: { values[$0].isNull }) {
        throw table.error(
          .required, at: row.position,
          sentence: "the row has no \(entity.attributes[missing].name), which is required.")
      }
      return Record(position: row.position, id: id, values: values)
    }

    private func value(
      of cell: TableCell, as index: Int, in row: TableRow
    ) throws(TextJournalError) -> AttributeValue {
      let attribute = table.entity.attributes[index]
      let name = "\(table.entity.name).\(attribute.name)"
      switch cell.content {
      case nil: return .null
      case .text(let contents):
        do { return try TypedText.value(contents, as: attribute.type) } catch {
          throw table.error(.value, at: cell.position, sentence: "\(name): \(error.sentence)")
        }
      case .json(let value):
        do { return try AttributeValue(value, as: attribute.type) } catch {
          throw defect(error, of: name, in: row)
        }
      }
    }

    /// Returns the identifier of a cell; nil if the cell has no value.
    private func identifier(
      of cell: TableCell, in row: TableRow
    ) throws(TextJournalError) -> RecordIdentifier? {
      let kind = table.entity.identifierKind
      switch cell.content {
      case nil: return nil
      case .text(let contents):
        do { return try TypedText.identifier(contents, as: kind) } catch {
          throw table.error(
            .identifier, at: cell.position, sentence: "the identifier: \(error.sentence)")
        }
      case .json(let value):
        do { return try RecordIdentifier(value, as: kind) } catch {
          throw defect(error, of: "the identifier", in: row)
        }
      }
    }

    private func defect(_ defect: TextDefect, of name: String, in row: TableRow) -> TextJournalError
    {
      guard let reader = row.reader else {
        preconditionFailure("a value of CSV is not JSON: \(defect.sentence)")
      }
      return reader.error(.value, defect: defect, of: name)
    }
  }
}
