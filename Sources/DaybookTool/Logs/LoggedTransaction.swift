import DaybookJournal
@_spi(Tools) import DaybookStore

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
///
/// The values are read when they are printed, as many records can have one large value.
struct LoggedChange {
  private let change: RecordChange
  private let before: RowValues?
  private let after: RowValues?
  private let known: SameValues
  let id: RecordIdentifier
  /// The creation number of an insert, where that is not the next one.
  let created: UInt64?

  /// Nil for an update that left each attribute of the newest schema as it was: a text journal has no
  /// line for it either.
  ///
  /// - Parameter known: Remembers which large values are the same, for all changes of a journal.
  init?(_ change: RecordChange, created: UInt64?, known: SameValues = SameValues()) {
    self.change = change
    self.known = known
    (before, after) = (change.valuesBefore, change.valuesAfter)
    guard let id = (after ?? before)?.id else { return nil }
    self.id = id
    self.created = created
    if kind == .update, changedPlaces.isEmpty { return nil }
  }

  var kind: RecordChange.Kind { change.kind }

  var entity: EntityDefinition { change.definition }

  /// The attributes that it gave a value or another value, or that a deleted record had, by their places.
  var changedPlaces: [Int] {
    entity.attributes.indices.filter { index in
      guard let before, let after else { return (before ?? after)?.isNull(index) == false }
      return !after.isSame(index, as: before, known: known)
    }
  }

  /// Returns the value of an attribute before; nil if there was no record.
  func oldValue(of attribute: Int) -> AttributeValue? { before?.value(attribute) }

  /// Returns the value of an attribute after; nil if there is no record.
  func newValue(of attribute: Int) -> AttributeValue? { after?.value(attribute) }
}
