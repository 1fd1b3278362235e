import DaybookStore

/// Records that may differ between two states, each found in both once, for all results that ask.
package struct ChangedRecords: Sendable {
  package let before: FrozenState
  package let after: FrozenState
  /// Where they are, by their entity's place in the catalog.
  private var rows: [[TouchedRow]] = []

  /// - Parameter keys: The records, of any entity, that may have other values; each once. All others
  ///   are in both states as they were.
  /// - Complexity: O(*k* log *n*)
  package init(_ keys: [EntityKey], from before: FrozenState, to after: FrozenState) {
    self.init(from: before, to: after)
    for key in keys { add(find(IdentifierBytes(key.id), of: key.entity), of: key.entity) }
  }

  /// All records of some entities that are other ones in two states of one store.
  ///
  /// - Complexity: O(pages that the two do not share)
  package init(of entities: some Sequence<Int>, from before: FrozenState, to after: FrozenState) {
    self.init(from: before, to: after)
    for entity in entities { addDifferences(of: entity) }
  }

  /// - Parameter transaction: What leads from one state to the other. Where it was folded between the
  ///   two it knows where its records are.
  /// - Complexity: O(*k*) if it knows, else O(*k* log *n*)
  package init(_ transaction: StoreTransaction, from before: FrozenState, to after: FrozenState) {
    let changes = transaction.rowChanges
    guard before.space === after.space, changes.allSatisfy({ $0.slot != .max }) else {
      self.init(transaction.changedKeys, from: before, to: after)
      return
    }
    self.init(from: before, to: after)
    // As a rule they are all of one entity.
    if let first = changes.first {
      rows = Array(repeating: [], count: first.entity + 1)
      rows[first.entity].reserveCapacity(changes.count)
    }
    for change in changes {
      let row = TouchedRow(
        old: change.old == .none ? nil : RecordPlace(change.slot, at: change.old),
        new: change.new == .none ? nil : RecordPlace(change.slot, at: change.new),
        changed: change.changed)
      #if DAYBOOK_CHECKS
        let found = find(IdentifierBytes(id(of: row, change.entity)), of: change.entity)
        precondition(
          found.old == row.old && found.new == row.new, "\(row) is told of, and there is \(found)")
      #endif
      add(row, of: change.entity)
    }
  }

  private init(from before: FrozenState, to after: FrozenState) {
    self.before = before
    self.after = after
  }

  /// Adds the records of an entity that are others in the two states, by the slots that are.
  ///
  /// A slot may have become another record's, and a record may have gone from one slot to another.
  private mutating func addDifferences(of entity: Int) {
    var gone: [RecordIdentifier: RecordPlace] = [:]
    var come: [(id: RecordIdentifier, place: RecordPlace)] = []
    func note(_ slot: UInt32, old: RowLocation, new: RowLocation) {
      let oldPlace = old == .none ? nil : RecordPlace(slot, at: old)
      let newPlace = new == .none ? nil : RecordPlace(slot, at: new)
      let oldID = oldPlace.map { _ in before.reader.identifier(ofSlot: slot, in: entity) }
      let newID = newPlace.map { _ in after.reader.identifier(ofSlot: slot, in: entity) }
      if oldID == newID { return add(TouchedRow(old: oldPlace, new: newPlace), of: entity) }
      if let oldID { gone[oldID] = oldPlace }
      if let newID, let newPlace { come.append((newID, newPlace)) }
    }
    after.forEachDifference(in: entity, from: before) { slot, new, old in
      note(slot, old: old, new: new)
    }
    for (id, place) in come {
      add(TouchedRow(old: gone.removeValue(forKey: id), new: place), of: entity)
    }
    for place in gone.values.sorted(by: { $0.slot < $1.slot }) {
      add(TouchedRow(old: place, new: nil), of: entity)
    }
  }

  private func find(_ key: IdentifierBytes, of entity: Int) -> TouchedRow {
    TouchedRow(
      old: before.reader.place(of: key, in: entity), new: after.reader.place(of: key, in: entity))
  }

  private mutating func add(_ row: TouchedRow, of entity: Int) {
    guard row.old != nil || row.new != nil else { return }
    while rows.count <= entity { rows.append([]) }
    rows[entity].append(row)
  }

  /// Where those of an entity are that are there before or after.
  func rows(of entity: Int) -> [TouchedRow] { entity < rows.count ? rows[entity] : [] }

  /// What one of an entity is called.
  func id(of row: TouchedRow, _ entity: Int) -> RecordIdentifier {
    if let new = row.new { return after.reader.identifier(ofSlot: new.slot, in: entity) }
    guard let old = row.old else { preconditionFailure("a record that is in neither state") }
    return before.reader.identifier(ofSlot: old.slot, in: entity)
  }
}

extension ResultPlan {
  /// Whether changes may touch rows of the result: always, if other records than its own matter, or if
  /// it would be dear to ask twice.
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

/// Rows that get a place, with the keys that say where.
struct Arrivals {
  /// One of them: numbers only, so that to sort them costs no more than to compare them.
  struct Row: BitwiseCopyable {
    let sectionPrefix: UInt64
    let ownPrefix: UInt64
    let slot: UInt32
    /// Its edit, by its place among all.
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

  /// The key of one of them.
  func key(_ row: Row) -> RowKey { keys[row.key] }

  /// All of them, in the order of their keys.
  ///
  /// - Complexity: O(*n* log *n*)
  var sorted: [Row] { rows.sorted { isRow($0, before: $1) } }

  /// Whether one comes before another. As a rule the beginnings of the keys tell.
  private func isRow(_ one: Row, before other: Row) -> Bool {
    if one.sectionPrefix != other.sectionPrefix { return one.sectionPrefix < other.sectionPrefix }
    let section = keys[one.key].comparedSection(to: keys[other.key])
    if section != 0 { return section < 0 }
    if one.ownPrefix != other.ownPrefix { return one.ownPrefix < other.ownPrefix }
    return keys[one.key].comparedOwn(to: keys[other.key]) < 0
  }
}
