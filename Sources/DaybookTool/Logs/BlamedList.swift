import DaybookJournal
@_spi(Tools) import DaybookStore

/// The transactions that gave the rows of a list their values.
struct BlamedList {
  /// The transactions of one row.
  struct Row {
    /// The transaction that inserted the record.
    var inserted: SequenceNumber
    /// For each column, the last transaction that changed its value.
    var values: [SequenceNumber]
  }

  private(set) var rows: [RecordIdentifier: Row] = [:]

  /// Reads the history from its end, until the transaction of each value is found.
  ///
  /// - Parameters:
  ///   - list: The list. Its columns must be attributes of the entity itself.
  ///   - log: The log of the list's entity, through the moment of the list.
  /// - Complexity: O(*n*) in the size of the history that is read
  init(_ list: ShownList, in log: JournalLog) throws {
    let attributes = list.columnNames.map { list.entity.index(of: $0) }
    var missing: [RecordIdentifier: [SequenceNumber?]] = [:]
    for section in list.objects.sections {
      try list.forEachRow(in: section) { row in
        missing[row.id] = Array(repeating: nil, count: attributes.count)
      }
    }
    guard !missing.isEmpty else { return }
    try log.forEachFromNewest { transaction in
      for change in transaction.changes {
        guard var found = missing[change.id] else { continue }
        let isInsert = change.kind == .insert
        let indexes = isInsert ? [] : Set(change.changedIndexes)
        for (column, attribute) in attributes.enumerated() where found[column] == nil {
          guard let attribute, isInsert || indexes.contains(attribute) else { continue }
          found[column] = transaction.sequence
        }
        missing[change.id] = isInsert ? nil : found
        if isInsert {
          rows[change.id] = Row(
            inserted: transaction.sequence, values: found.map { $0 ?? transaction.sequence })
        }
      }
      return !missing.isEmpty
    }
    precondition(missing.isEmpty, "\(missing.count) records of the list were never inserted")
  }
}
