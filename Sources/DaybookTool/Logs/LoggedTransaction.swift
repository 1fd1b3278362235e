import DaybookJournal
import DaybookStore

/// A transaction as a log tells of it, with those of its changes that were asked for.
struct LoggedTransaction {
  var sequence: SequenceNumber
  var time: JournalTime
  var metadata: TransactionMetadata
  /// Whether it is the state that the journal begins with, told as inserts.
  var isBase: Bool
  var changes: [LoggedChange] = []
}

/// What was done to one record, with the values as the newest schema has them.
struct LoggedChange {
  var kind: RecordChange.Kind
  var entity: EntityDefinition
  var id: RecordIdentifier
  /// Nil before an insert.
  var old: [AttributeValue]?
  /// Nil after a delete.
  var new: [AttributeValue]?
  /// The creation number of an insert, where that is not the next one.
  var created: UInt64?

  /// Nil for an update that left each attribute of the newest schema as it was: a text journal has no
  /// line for it either.
  init?(_ change: RecordChange, _ entity: EntityDefinition, created: UInt64?) {
    kind = change.kind
    self.entity = entity
    let (before, after) = (change.old, change.new)
    guard let id = (after ?? before)?.id else { return nil }
    self.id = id
    (old, new) = (before?.values, after?.values)
    self.created = created
    if kind == .update, changedPlaces.isEmpty { return nil }
  }

  /// The attributes that it gave a value or another value, or that a deleted record had, by their places.
  var changedPlaces: [Int] {
    entity.attributes.indices.filter { index in
      (old?[index] ?? .null) != (new?[index] ?? .null)
    }
  }
}
