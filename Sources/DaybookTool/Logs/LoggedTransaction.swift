import DaybookJournal
@_spi(Tools) import DaybookStore

/// A transaction in a log, with its requested changes.
struct LoggedTransaction {
  var sequence: SequenceNumber
  var time: JournalTime
  var metadata: TransactionMetadata
  /// A Boolean value that indicates whether this is the base of the journal: its oldest state, as
  /// inserts of all records.
  var isBase: Bool
  var changes: [LoggedChange] = []
}

/// The change of one record, with its values in the newest schema.
///
/// The values are read only when they are printed. Many records can refer to the same large value,
/// so a transaction with all its values could need very much memory.
struct LoggedChange {
  private let change: RecordChange
  private let before: RowValues?
  private let after: RowValues?
  private let known: SameValues
  let id: RecordIdentifier
  /// The creation number of an insert; nil if it is the number after the creation number before it,
  /// because a text journal omits such numbers.
  let created: UInt64?

  /// Creates a logged change. Returns nil for an update that changed no attribute of the newest
  /// schema, because a text journal does not contain such an update either.
  ///
  /// - Parameters:
  ///   - change: The change in the journal.
  ///   - created: The creation number to print; nil to print none.
  ///   - known: A cache of the results of comparing large values, which all changes of a log share.
  init?(_ change: RecordChange, created: UInt64?, known: SameValues = SameValues()) {
    self.change = change
    self.known = known
    (before, after) = (change.valuesBefore, change.valuesAfter)
    guard let id = (after ?? before)?.id else { return nil }
    self.id = id
    self.created = created
    if kind == .update, changedIndexes.isEmpty { return nil }
  }

  var kind: RecordChange.Kind { change.kind }

  var entity: EntityDefinition { change.definition }

  /// The indices of the attributes whose values an update changed. For an insert or a deletion, the
  /// indices of the attributes for which the record has a value.
  var changedIndexes: [Int] {
    entity.attributes.indices.filter { index in
      guard let before, let after else { return (before ?? after)?.isNull(index) == false }
      return !after.isSame(index, as: before, known: known)
    }
  }

  /// Returns the value of an attribute before the change; nil if the record did not exist.
  func oldValue(of attribute: Int) -> AttributeValue? { before?.value(attribute) }

  /// Returns the value of an attribute after the change; nil if the record does not exist.
  func newValue(of attribute: Int) -> AttributeValue? { after?.value(attribute) }
}
