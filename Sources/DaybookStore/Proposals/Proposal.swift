import DaybookJournal

/// The changes of one save: at most one change for each record, each with the location of the row
/// that it is based on.
///
/// A context, a bulk load or an import creates a proposal. The store merges it with its newest
/// state, checks it, and encodes it as the payload of a transaction. A proposal can be large, so
/// its type prevents implicit copies.
package struct Proposal: ~Copyable, Sendable {
  /// The change of one record.
  package struct Change: Sendable {
    package var kind: ChangeKind
    /// The index of the entity in the catalog.
    package var entity: Int
    package var id: RecordIdentifier
    /// The new row with all its values, in ``rows``; empty for a delete.
    package var row: Range<Int>
    /// The location of the record's row in the store when the change was made; `.none` for an
    /// insert.
    package var base: RowLocation
    /// The attributes that an update changes.
    package var changed: AttributeSet
    /// The creation number of an insert; nil for the next free number.
    package var creation: UInt64?
    /// The cause and the effects of a delete, if it comes from a context and rules apply to it.
    var deletion: Deletion?

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

    /// Creates a delete.
    init(deleting key: EntityKey, base: RowLocation, deletion: Deletion? = nil) {
      self.init(.delete, entity: key.entity, id: key.id, base: base)
      self.deletion = deletion
    }
  }

  package var changes: [Change] = []
  /// The rows of the changes, in one buffer.
  package var rows = RowBuffer()
  /// Large values that several rows may share. A row that uses one contains a ``StoredValue`` with
  /// the transaction number 0. Only a salvage fills this buffer.
  package var storedValues = RowBuffer()
  /// A Boolean value that indicates whether rows may contain references to ``storedValues``.
  package var namesStoredValues = false
  /// The metadata of the transaction.
  package var metadata: TransactionMetadata
  /// A Boolean value that indicates whether the store applies the delete rules, and checks unique
  /// lists and references. Imported and salvaged records are not checked.
  package var isChecked = false
  /// The records that must be unchanged in the store, although the proposal does not change them.
  package var requirements: [Requirement] = []
  /// The policy for conflicts with other writers.
  package var policy = MergePolicy.refuse
  /// The policy for records with the unique values of other records.
  package var uniquePolicy = UniqueConflictPolicy.refuse
  /// The time of the transaction; nil for the current time.
  package var time: JournalTime?
  /// The number of layouts of the context, whose newest layouts define the indexes of changed
  /// attributes; nil if no change names attributes by index.
  var layoutCount: Int?
  /// The generation of the rows that the changes refer to; nil if they refer to none. See
  /// `StoreState.generation`.
  var generation: Int?

  package init(_ metadata: TransactionMetadata = TransactionMetadata()) {
    self.metadata = metadata
  }

  /// Returns a copy with other changes and without requirements.
  func copied(with changes: [Change]) -> Proposal {
    var other = Proposal(metadata)
    other.changes = changes
    other.rows = rows
    other.storedValues = storedValues
    other.namesStoredValues = namesStoredValues
    other.isChecked = isChecked
    other.policy = policy
    other.uniquePolicy = uniquePolicy
    other.time = time
    return other
  }
}

/// A policy that resolves conflicts between a save and the changes of other writers.
///
/// A conflict exists if a second writer has saved a change of the same attribute, after the context
/// has read the record. A conflict also exists if one side has deleted a record that the other side
/// has changed. Changes of different attributes of one record are merged.
public enum MergePolicy: Sendable {
  /// The save throws ``StoreError`` with `conflict`, and nothing is saved.
  case refuse
  /// The values in the store stay, and the context's values in conflict are discarded.
  case storeWins
  /// The values of the context replace those in the store.
  case contextWins
  /// A closure decides for each attribute in conflict. The closure returns true to save the value
  /// of the context, and false to keep the value in the store. If the conflict concerns the whole
  /// record, the attribute is nil.
  case byAttribute(
    @Sendable (_ entity: String, _ id: RecordIdentifier, _ attribute: String?) -> Bool)

  /// Returns whether the value of the context is saved; nil if the save must be refused.
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
  /// Returns a problem for each change after which two records would have the same values of a
  /// unique list.
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
        guard
          let key = UniqueValues(
            ofList: list, in: row, entity: change.entity, catalog: now.catalog)
        else { continue }
        var other = seen.updateValue(change.id, forKey: key)
        if other == nil {
          // A record that this proposal changes too is skipped here. `seen` contains it, if it
          // still has these values.
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

  /// Returns the changed entities that have unique lists.
  private func entitiesWithUniqueLists(_ catalog: Catalog) -> Set<Int> {
    var entities: Set<Int> = []
    var last = -1
    // The loop compares with the last entity first, because many changes of one entity usually
    // follow each other.
    for index in changes.indices where changes[index].entity != last {
      last = changes[index].entity
      if !catalog.newest(last).entity.unique.isEmpty { entities.insert(last) }
    }
    return entities
  }
}
