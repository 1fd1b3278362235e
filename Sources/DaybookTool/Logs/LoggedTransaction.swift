import DaybookJournal
@_spi(Tools) import DaybookStore

/// A transaction in a log, with only those of its changes that were requested.
struct LoggedTransaction {
  var sequence: SequenceNumber
  var time: JournalTime
  var metadata: TransactionMetadata
  /// A Boolean value that indicates whether this is the base: the oldest state of the journal, as
  /// inserts.
  var isBase: Bool
  var changes: [LoggedChange] = []
}

/// The change of one record, with its values in the newest schema.
///
/// Values are read when they are printed, because many records can have one large value.
struct LoggedChange {
  private let change: RecordChange
  private let before: RowValues?
  private let after: RowValues?
  private let known: SameValues
  let id: RecordIdentifier
  /// The creation number of an insert, where it is not the next one.
  let created: UInt64?

  /// Creates a logged change, or nil for an update that changed no attribute of the newest schema.
  /// A text journal has no line for such an update either.
  ///
  /// - Parameters:
  ///   - change: The change in the journal.
  ///   - created: The creation number to print.
  ///   - known: A cache of the comparisons of large values, shared by all changes of a journal.
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

  /// The indices of the attributes that an insert or a deleted record has, or whose values an
  /// update changed.
  var changedPlaces: [Int] {
    entity.attributes.indices.filter { index in
      guard let before, let after else { return (before ?? after)?.isNull(index) == false }
      return !after.isSame(index, as: before, known: known)
    }
  }

  /// Returns the value of an attribute before the change, or nil if the record did not exist.
  func oldValue(of attribute: Int) -> AttributeValue? { before?.value(attribute) }

  /// Returns the value of an attribute after the change, or nil if the record does not exist.
  func newValue(of attribute: Int) -> AttributeValue? { after?.value(attribute) }
}
