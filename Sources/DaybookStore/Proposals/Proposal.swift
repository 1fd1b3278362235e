import DaybookJournal

/// What somebody wants to save: at most one change for each record, each with the row that it was
/// made for.
///
/// It goes from hand to hand, from thread to thread, and is never copied.
package struct Proposal: ~Copyable, Sendable {
  package struct Change: Sendable {
    package var kind: ChangeKind
    /// The entity's place in the catalog.
    package var entity: Int
    package var id: RecordIdentifier
    /// The new row with all its values, in ``rows``; empty for a delete.
    package var row: Range<Int>
    /// The row that was there when the change was made; none for an insert.
    package var base: RowLocation
    /// The attributes that an update changes.
    package var changed: AttributeSet
    /// The creation number of an insert; nil for the next one.
    package var creation: UInt64?

    package init(
      _ kind: ChangeKind, entity: Int, id: RecordIdentifier, row: Range<Int> = 0..<0,
      base: RowLocation = .none, changed: AttributeSet = AttributeSet(count: 0),
      creation: UInt64? = nil
    ) {
      self.kind = kind
      self.entity = entity
      self.id = id
      self.row = row
      self.base = base
      self.changed = changed
      self.creation = creation
    }
  }

  package var changes: [Change] = []
  /// The rows, one behind the other.
  package var rows = RowBuffer()
  /// Large values that several rows may share: such a row has the place of the value, and 0 as its transaction.
  package var storedValues = RowBuffer()
  /// A Boolean value that indicates whether rows may have places of large values.
  package var namesStoredValues = false
  package var metadata: TransactionMetadata
  /// A Boolean value that indicates whether unique lists and guarded references are checked. What is imported or
  /// saved from damage comes as it is.
  package var isChecked = false
  /// The records that must be unchanged in the store.
  package var requirements: [Requirement] = []
  /// What decides where others have changed the same.
  package var policy = MergePolicy.refuse
  /// When it happened; nil for now.
  package var time: JournalTime?

  package init(_ metadata: TransactionMetadata = TransactionMetadata()) {
    self.metadata = metadata
  }
}

/// What decides when what is to be saved was meanwhile changed by someone else.
///
/// Only what both have changed is ever in question: different attributes of one record are merged.
public enum MergePolicy: Sendable {
  /// The save throws ``StoreError`` with `conflict`, and nothing is saved.
  case refuse
  /// What is in the store stays.
  case storeWins
  /// What was changed here is saved.
  case contextWins
  /// For each attribute in conflict the closure says whether what was changed here is saved; where
  /// one of the two has deleted the record, it is asked about no attribute.
  case byAttribute(
    @Sendable (_ entity: String, _ id: RecordIdentifier, _ attribute: String?) -> Bool)

  /// Whether what was changed here is saved; nil to refuse.
  func contextWins(_ entity: String, id: RecordIdentifier, attribute: String?) -> Bool? {
    switch self {
    case .refuse: nil
    case .storeWins: false
    case .contextWins: true
    case .byAttribute(let decide): decide(entity, id, attribute)
    }
  }
}
