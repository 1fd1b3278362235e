import DaybookStore

/// The records that may differ between two states, with their locations in both states. The
/// locations are found once, for all projections that process the change.
package struct ChangedRecords: Sendable {
  package let before: FrozenState
  package let after: FrozenState
  /// The locations of the records in the two states, by the index of their entity in the catalog.
  private var rows: [[TouchedRow]] = []

  /// - Parameter keys: The records, of any entity, that may have different values. Each record
  ///   occurs once. All other records must be equal in both states.
  /// - Complexity: O(*k* log *n*)
  package init(_ keys: [EntityKey], from before: FrozenState, to after: FrozenState) {
    self.init(from: before, to: after)
    for key in keys { add(find(IdentifierBytes(key.id), of: key.entity), of: key.entity) }
  }

  /// Finds all records of some entities that differ between two states of one store.
  ///
  /// - Complexity: O(pages that the two states do not share)
  package init(of entities: some Sequence<Int>, from before: FrozenState, to after: FrozenState) {
    self.init(from: before, to: after)
    for entity in entities { addDifferences(of: entity) }
  }

  /// - Parameter transaction: The transaction between the two states. If the store applied it to
  ///   exactly the first of these states, its changes contain the locations of the records.
  /// - Complexity: O(*k*) if the changes contain the locations; otherwise O(*k* log *n*)
  package init(_ transaction: StoreTransaction, from before: FrozenState, to after: FrozenState) {
    let changes = transaction.rowChanges
    guard before.space === after.space, changes.allSatisfy({ $0.slot != .max }) else {
      self.init(transaction.changedKeys, from: before, to: after)
      return
    }
    self.init(from: before, to: after)
    // Usually all changes are of one entity.
    if let first = changes.first {
      rows = Array(repeating: [], count: first.entity + 1)
      rows[first.entity].reserveCapacity(changes.count)
    }
    for change in changes {
      let row = TouchedRow(
        old: change.old == .none ? nil : RecordPosition(change.slot, at: change.old),
        new: change.new == .none ? nil : RecordPosition(change.slot, at: change.new),
        changed: change.changed)
      #if DAYBOOK_CHECKS
        let found = find(IdentifierBytes(id(of: row, change.entity)), of: change.entity)
        precondition(
          found.old == row.old && found.new == row.new, "expected \(row), found \(found)")
      #endif
      add(row, of: change.entity)
    }
  }

  private init(from before: FrozenState, to after: FrozenState) {
    self.before = before
    self.after = after
  }

  /// Adds the records of an entity that differ between the two states, by comparing slots.
  ///
  /// A slot may contain a different record in the second state, and a record may have a different
  /// slot. So the records of changed slots are matched by their identifiers.
  private mutating func addDifferences(of entity: Int) {
    var gone: [RecordIdentifier: RecordPosition] = [:]
    var come: [(id: RecordIdentifier, row: RecordPosition)] = []
    func record(_ slot: UInt32, old: RowLocation, new: RowLocation) {
      let oldRow = old == .none ? nil : RecordPosition(slot, at: old)
      let newRow = new == .none ? nil : RecordPosition(slot, at: new)
      let oldID = oldRow.map { _ in before.reader.identifier(ofSlot: slot, in: entity) }
      let newID = newRow.map { _ in after.reader.identifier(ofSlot: slot, in: entity) }
      if oldID == newID { return add(TouchedRow(old: oldRow, new: newRow), of: entity) }
      if let oldID { gone[oldID] = oldRow }
      if let newID, let newRow { come.append((newID, newRow)) }
    }
    after.forEachDifference(in: entity, from: before) { slot, new, old in
      record(slot, old: old, new: new)
    }
    for (id, row) in come {
      add(TouchedRow(old: gone.removeValue(forKey: id), new: row), of: entity)
    }
    for row in gone.values.sorted(by: { $0.slot < $1.slot }) {
      add(TouchedRow(old: row, new: nil), of: entity)
    }
  }

  private func find(_ key: IdentifierBytes, of entity: Int) -> TouchedRow {
    TouchedRow(
      old: before.reader.position(of: key, in: entity),
      new: after.reader.position(of: key, in: entity))
  }

  private mutating func add(_ row: TouchedRow, of entity: Int) {
    guard row.old != nil || row.new != nil else { return }
    while rows.count <= entity { rows.append([]) }
    rows[entity].append(row)
  }

  /// Returns the locations of the records of an entity, in the states before and after.
  func rows(of entity: Int) -> [TouchedRow] { entity < rows.count ? rows[entity] : [] }

  func id(of row: TouchedRow, _ entity: Int) -> RecordIdentifier {
    if let new = row.new { return after.reader.identifier(ofSlot: new.slot, in: entity) }
    guard let old = row.old else { preconditionFailure("the record is in neither state") }
    return before.reader.identifier(ofSlot: old.slot, in: entity)
  }
}

extension ResultPlan {
  /// Returns whether changes may touch rows of the result. If not, a projection has nothing to do.
  ///
  /// The result is always true if the plan reads records through references. The result is also
  /// always true if the filter evaluates Swift predicates, because the projection would evaluate
  /// them a second time.
  func isTouched(by changes: ChangedRecords) -> Bool {
    if !foreignReads.isEmpty || evaluations != nil { return true }
    for row in changes.rows(of: entity) {
      if row.changed.meets(reads.filter), let old = row.old,
        includes(old.location, in: changes.before)
      {
        return true
      }
      if let new = row.new, includes(new.location, in: changes.after) { return true }
    }
    return false
  }
}

/// The rows that a projection will insert into its trees, with the keys that determine their
/// positions.
struct Arrivals {
  /// A row to insert. The value contains only numbers, so that sorting the rows copies no key.
  /// `key` is the index of the row's key.
  struct Row: BitwiseCopyable {
    let sectionPrefix: UInt64
    let ownPrefix: UInt64
    let slot: UInt32
    /// The index of the row's edit among all edits.
    let edit: Int
    fileprivate let key: Int
  }

  private var rows: [Row] = []
  private var keys: [RowKey] = []

  mutating func add(_ key: RowKey, slot: UInt32, edit: Int) {
    rows.append(
      Row(
        sectionPrefix: key.sectionPrefix, ownPrefix: key.ownPrefix, slot: slot, edit: edit,
        key: keys.count))
    keys.append(key)
  }

  func key(_ row: Row) -> RowKey { keys[row.key] }

  /// The rows, in the order of their keys.
  ///
  /// - Complexity: O(*n* log *n*)
  var sorted: [Row] { rows.sorted { isRow($0, before: $1) } }

  /// Returns whether the first row precedes the second row. Usually the first eight bytes of the
  /// keys decide.
  private func isRow(_ one: Row, before other: Row) -> Bool {
    if one.sectionPrefix != other.sectionPrefix { return one.sectionPrefix < other.sectionPrefix }
    let section = keys[one.key].comparedSection(to: keys[other.key])
    if section != 0 { return section < 0 }
    if one.ownPrefix != other.ownPrefix { return one.ownPrefix < other.ownPrefix }
    return keys[one.key].comparedOwn(to: keys[other.key]) < 0
  }
}
