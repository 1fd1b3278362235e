import Daybook
import DaybookJournal
@_spi(Tools) import DaybookStore

/// The transactions that set the values of an entity's records, as of a transaction of the journal.
///
/// A list does not contain these transactions, because a record can get its values before it enters
/// the list.
struct ValueOrigins {
  private let entity: String
  /// The attribute of each column; nil for a value of another record.
  private let attributes: [Int?]
  private let last: SequenceNumber
  private var rest: StoredTransactions
  private var next: StoreTransaction?
  private var sequences: [RecordIdentifier: [UInt64]] = [:]
  private let sameValues = SameValues()

  /// Creates the origins as of the start of the journal.
  init(_ columns: ListColumns, in store: Store) throws(StoreError) {
    entity = columns.entity.name
    attributes = columns.names.map { columns.entity.index(of: $0) }
    last = store.snapshot.sequence
    rest = try store.transactions(from: store.base.next)
    next = try store.baseTransaction()
    if next == nil { next = try rest.next() }
  }

  /// Reads the next transactions, up to and including the one with a number.
  mutating func advance(through sequence: SequenceNumber) throws(StoreError) {
    while let transaction = next, let number = transaction.sequence, number <= sequence {
      for change in transaction.changes where change.entity == entity {
        record(change, in: number.rawValue)
      }
      next = number < last ? try rest.next() : nil
    }
  }

  private mutating func record(_ change: RecordChange, in sequence: UInt64) {
    switch change.kind {
    case .insert: sequences[change.id] = attributes.map { _ in sequence }
    case .delete: sequences[change.id] = nil
    case .update:
      let changed = LoggedChange(change, created: nil, known: sameValues)?.changedPlaces ?? []
      for (column, attribute) in attributes.enumerated() {
        if let attribute, changed.contains(attribute) { sequences[change.id]?[column] = sequence }
      }
    }
  }

  /// Returns the transaction that set the value of each column, for a record that exists. It is 0
  /// for a value of another record.
  func sequences(of id: RecordIdentifier) -> [UInt64] {
    guard let known = sequences[id] else { return attributes.map { _ in 0 } }
    return zip(known, attributes).map { $1 == nil ? 0 : $0 }
  }
}
