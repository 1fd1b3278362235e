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

extension Proposal {
  /// The records that would have the same values of a unique list as another, in the state as it
  /// would be.
  ///
  /// - Complexity: O(*k* log *n*) in the proposal's changes of entities that have such lists
  func repeated(on now: borrowing StateReader) -> [ValidationProblem] {
    let entities = entitiesWithUniqueLists(now.catalog)
    guard !entities.isEmpty else { return [] }
    let changed = Set(changes.map { EntityKey($0.entity, id: $0.id) })
    var problems: [ValidationProblem] = []
    var seen: [UniqueValues: RecordIdentifier] = [:]
    for change in changes where change.kind != .delete && entities.contains(change.entity) {
      let row = rows.bytes.span.bytes.extracting(change.row)
      let entity = now.catalog.newest(change.entity).entity
      for (list, names) in entity.unique.enumerated() {
        guard let values = values(of: names, in: row, entity: change.entity, catalog: now.catalog)
        else { continue }
        let key = UniqueValues(entity: change.entity, list: list, values: values)
        var other = seen.updateValue(change.id, forKey: key)
        if other == nil {
          // Those that are changed here too are among the ones seen, if they have these values still.
          for slot in now.slots(withSameValuesAs: row, of: change.entity, list: list) {
            let id = now.identifier(ofSlot: slot, in: change.entity)
            if changed.contains(EntityKey(change.entity, id: id)) { continue }
            other = id
            break
          }
        }
        guard let other else { continue }
        problems.append(
          ValidationProblem(
            entity: entity.name, id: change.id, kind: .notUnique(attributes: names, other: other)))
      }
    }
    return problems
  }

  /// The entities of which something changes that must be unique.
  private func entitiesWithUniqueLists(_ catalog: Catalog) -> Set<Int> {
    var entities: Set<Int> = []
    var last = -1
    // As a rule many of one stand together.
    for index in changes.indices where changes[index].entity != last {
      last = changes[index].entity
      if !catalog.newest(last).entity.unique.isEmpty { entities.insert(last) }
    }
    return entities
  }

  private struct UniqueValues: Hashable {
    var entity: Int
    var list: Int
    var values: [AttributeValue]
  }

  /// The values of a unique list in a row of the newest layout; nil if it has none for one of them.
  private func values(
    of names: [String], in row: RawSpan, entity: Int, catalog: Catalog
  ) -> [AttributeValue]? {
    let layout = catalog.newest(entity)
    var values: [AttributeValue] = []
    for name in names {
      guard let index = layout.entity.index(of: name), let range = layout.range(of: index, in: row),
        let value = AttributeValue(
          layout.entity.attributes[index].type, bytes: row.extracting(range))
      else { return nil }
      values.append(value)
    }
    return values
  }
}
