import DaybookStore

/// The rows of a result that changes of records may touch: the changed rows themselves, and the
/// rows that lead to changed records.
///
/// A row *leads* to a record through the steps of a path that the plan reads. A change of that
/// record matters if the record was created or deleted, or if the next attribute of the path
/// changed. The search goes from the end of the path to its start:
///
/// - Along a reference: an index of references finds the records that refer to the record. For
///   example, a list of games reads the path `club.country.name`. If the name of a country changes,
///   the index finds the clubs that refer to the country, and then the games that refer to these
///   clubs. If a club changes its country, the club itself is among the changed records, and the
///   index finds its games.
/// - Along an inverse: the reference of the record leads to the record with the inverse. For
///   example, a list of projects reads `issues.title`. If the title of an issue changes, the issue
///   refers to the project. If an issue changes its project, both projects are touched.
///
/// - Complexity: O(*k* log *n*) in the changes that matter and the rows that lead to them
struct TouchedRows {
  private let changed: ChangedRecords
  private var found: Set<UInt32> = []
  private(set) var rows: [TouchedRow]

  init(_ changed: ChangedRecords, plan: ResultPlan) {
    self.changed = changed
    rows = changed.rows(of: plan.entity)
    guard !plan.foreignReads.isEmpty else { return }
    found = Set(rows.compactMap { $0.new?.slot })
    // The target of a path can be a record of the result's own entity. Such a record may lead to
    // other rows, so all changed records are examined, not only the rows found so far.
    for read in plan.foreignReads { follow(read) }
  }

  /// Returns the record in a slot of the state after the change, with its locations in both states.
  private func touched(_ entity: Int, slot: UInt32) -> TouchedRow {
    let identifier = IdentifierBytes(changed.after.reader.identifier(ofSlot: slot, in: entity))
    return TouchedRow(
      old: changed.before.reader.position(of: identifier, in: entity),
      new: changed.after.reader.position(of: identifier, in: entity))
  }

  /// Finds the rows that lead to changed records through a path.
  private mutating func follow(_ read: PathRead) {
    let links = read.links
    guard let first = links.first else { return }
    // The slots, in the state after the change, of the records that lead to changed records.
    var reached: Set<UInt32> = []
    for level in links.indices.reversed() {
      let step = links[level]
      let next = level + 1 < links.count ? links[level + 1].ownAttribute : read.lastAttribute
      reached =
        step.isInverse
        ? targets(of: step, from: reached, next: next)
        : referrers(of: step, to: reached, next: next)
    }
    for slot in reached where found.insert(slot).inserted {
      rows.append(touched(first.entity, slot: slot))
    }
  }

  /// Returns the slots of the records from which a reference leads to the records in some slots, or
  /// to a changed record that matters.
  ///
  /// - Parameter next: The attribute that the path reads of the records that the step leads to.
  private func referrers(
    of step: PathStep, to slots: Set<UInt32>, next: Int?
  ) -> Set<UInt32> {
    var found: Set<UInt32> = []
    func find(_ target: RecordIdentifier) {
      changed.after.reader.forEachReferrer(of: EntityKey(step.target, id: target)) {
        entity, attribute, slot in
        if entity == step.entity, attribute == step.attribute { found.insert(slot) }
      }
    }
    for slot in slots { find(changed.after.reader.identifier(ofSlot: slot, in: step.target)) }
    for row in changed.rows(of: step.target)
    where !(row.new.map { slots.contains($0.slot) } ?? false)
      && matters(row, of: step.target, attributes: [next])
    { find(changed.id(of: row, step.target)) }
    return found
  }

  /// Returns the slots of the records whose inverse contains the records in some slots, or contains
  /// or contained a changed record that matters.
  ///
  /// - Parameter next: The attribute that the path reads of the records of the inverse.
  private func targets(
    of step: PathStep, from slots: Set<UInt32>, next: Int?
  ) -> Set<UInt32> {
    var found: Set<UInt32> = []
    func find(from row: RowLocation, in state: FrozenState) {
      step.forEachReferredIdentifier(of: row, in: state) { target in
        let slot = changed.after.reader.slot(of: IdentifierBytes(target), in: step.entity)
        if let slot { found.insert(slot) }
      }
    }
    for slot in slots {
      find(
        from: changed.after.reader.row(inSlot: slot, of: step.target).location, in: changed.after)
    }
    for row in changed.rows(of: step.target)
    where matters(row, of: step.target, attributes: [step.attribute, next]) {
      for (record, state) in [(row.old, changed.before), (row.new, changed.after)] {
        if let record { find(from: record.location, in: state) }
      }
    }
    return found
  }

  /// Returns whether a record was created or deleted, or whether one of some attributes of the
  /// record changed. If no attribute is given, only creation and deletion matter.
  private func matters(_ row: TouchedRow, of entity: Int, attributes: [Int?]) -> Bool {
    guard let old = row.old, let new = row.new else { return true }
    let attributes = attributes.compactMap(\.self)
    if attributes.isEmpty { return false }
    let (before, after) = (changed.before, changed.after)
    return before.memory.withBytes(at: old.location) { old in
      after.memory.withBytes(at: new.location) { new in
        let layout = after.catalog.newest(entity)
        // A row may contain only the locations of its large values. Comparing these values would
        // require reading them, so such a record always counts as changed.
        if Layout.hasStoredValues(old) || Layout.hasStoredValues(new) { return true }
        guard Layout.number(of: old) == layout.number, Layout.number(of: new) == layout.number
        else {
          return true
        }
        return attributes.contains { !layout.isEqual($0, in: old, and: new) }
      }
    }
  }
}

/// A record that may have different values in the next state, or may reach different values through
/// its references. The record has a location in each state that contains it.
package struct TouchedRow: Hashable, Sendable {
  package var old: RecordPosition?
  package var new: RecordPosition?
  /// The attributes of the record's own row that changed; all attributes if the record was created
  /// or deleted, or if the changed attributes are not known.
  package var changed: AttributeBits

  package init(old: RecordPosition?, new: RecordPosition?, changed: AttributeBits = .all) {
    self.old = old
    self.new = new
    self.changed = changed
  }

  /// Returns whether a record that both states contain has different values: its own values, or
  /// values that the plan reads through references.
  func isContentChanged(_ plan: ResultPlan, from before: FrozenState, to after: FrozenState) -> Bool
  {
    guard let old, let new else { return false }
    if changed != .all { return true }
    if !TouchedRow.haveSameValues(
      plan.entity, at: old.location, in: before, and: new.location, in: after)
    {
      return true
    }
    var (one, other) = (RowBuffer(), RowBuffer())
    return plan.foreignReads.contains { read in
      one.removeAll()
      other.removeAll()
      read.append(of: old.location, in: before, to: &one)
      read.append(of: new.location, in: after, to: &other)
      return one.bytes != other.bytes
    }
  }

  /// Returns whether the rows at two locations contain equal values of the record.
  private static func haveSameValues(
    _ entity: Int, at old: RowLocation, in before: FrozenState, and new: RowLocation,
    in after: FrozenState
  ) -> Bool {
    // A row in the file, or a saved row in memory, is never overwritten. So equal locations mean
    // equal values.
    if old == new, old.region == .file || old.region == .memory { return true }
    return before.memory.withCompleteRow(at: old, layouts: before.catalog.layouts) { old in
      after.memory.withCompleteRow(at: new, layouts: after.catalog.layouts) { new in
        let layout = after.catalog.newest(entity)
        if Layout.number(of: old) == layout.number, Layout.number(of: new) == layout.number {
          return layout.haveEqualValues(old, and: new)
        }
        return DynamicRecord(old, of: entity, in: after.catalog)
          == DynamicRecord(new, of: entity, in: after.catalog)
      }
    }
  }
}
