import Daybook
import DaybookEssentials
import DaybookJournal
@_spi(Tools) import DaybookResults
import DaybookStore

/// The transactions that set the values of an entity's records, as of a transaction of the journal.
///
/// A list does not contain these transactions, because a record can get its values before it enters
/// the list. A replay of all records of the entity contains them. A value that is read through
/// references changes when one of the references, or the attribute of the last record, changes.
struct ValueOrigins {
  private let columns: ListColumns
  private let replay: ListReplay<DynamicRecord>
  private var next: ListReplay<DynamicRecord>.Step?
  private var sequences: [RecordIdentifier: [UInt64]] = [:]

  /// Creates the origins as of the start of the journal.
  init(_ columns: ListColumns, in store: Store) throws {
    self.columns = columns
    var request = DynamicRequest(entity: columns.entity.name)
    request.contentPaths = columns.paths
    replay = try store.replay(request)
    next = try replay.next()
  }

  /// Reads the next transactions, up to and including the one with a number.
  mutating func advance(through sequence: SequenceNumber) throws {
    while let step = next, let number = step.transaction.sequence, number <= sequence {
      try record(step.difference, in: number.rawValue)
      next = try replay.next()
    }
  }

  private mutating func record(_ difference: RecordDifference, in sequence: UInt64) throws {
    for row in difference.deleted { sequences[row.id] = nil }
    for row in difference.inserted { sequences[row.id] = columns.names.map { _ in sequence } }
    for change in difference.moved + difference.updated {
      let old = try cells(of: difference.before, at: change.indexPath)
      let new = try cells(of: difference.after, at: change.newIndexPath)
      for column in new.indices where new[column] != old[column] {
        sequences[change.id]?[column] = sequence
      }
    }
  }

  private func cells(of objects: ListObjects, at path: IndexPath) throws -> [String?] {
    let index = objects.index(at: path)
    return RecordedRows.cells(try columns.rows(of: objects, in: index..<index + 1)[0])
  }

  /// Returns the transaction that set the value of each column, for a record that exists.
  func sequences(of id: RecordIdentifier) -> [UInt64] {
    guard let known = sequences[id] else {
      preconditionFailure("the record \(id) of a list does not exist")
    }
    return known
  }
}
