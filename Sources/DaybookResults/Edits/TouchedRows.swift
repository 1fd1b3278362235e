import DaybookStore

/// The rows of a result that changes of records may touch: the changed rows themselves, and the
/// rows that lead to changed records.
///
/// A row *leads* to a record through the references of a path that the plan reads. A change of that
/// record matters if the record was created or deleted, or if the next attribute of the path
/// changed. An index of references finds the records that refer to such a record.
///
/// For example, a list of games reads the path `club.country.name`. If the name of a country
/// changes, the index finds the clubs that refer to the country, and then the games that refer to
/// these clubs. If a club changes its country, the club itself is among the changed records, and
/// the index finds its games.
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

  /// Returns the record in a slot of the state after the change, with its places in both states.
  private func touched(_ entity: Int, slot: UInt32) -> TouchedRow {
    let identifier = IdentifierBytes(changed.after.reader.identifier(ofSlot: slot, in: entity))
    return TouchedRow(
      old: changed.before.reader.place(of: identifier, in: entity),
      new: changed.after.reader.place(of: identifier, in: entity))
  }

  /// Finds the rows that lead to changed records through a path.
  private mutating func follow(_ read: PathRead) {
    let after = changed.after
    let links = read.links
    var reached: Set<RecordIdentifier> = []
    for level in links.indices.reversed() {
      let step = links[level]
      let next = level + 1 < links.count ? links[level + 1].attribute : read.lastAttribute
      var targets = reached
      for row in changed.rows(of: step.target) where matters(row, of: step.target, attribute: next)
      {
        targets.insert(changed.id(of: row, step.target))
      }
      reached = []
      for target in targets {
        after.reader.forEachReferrer(of: EntityKey(step.target, id: target)) {
          entity, attribute, slot in
          guard entity == step.entity, attribute == step.attribute else { return }
          if level > 0 {
            reached.insert(after.reader.identifier(ofSlot: slot, in: entity))
          } else if found.insert(slot).inserted {
            rows.append(touched(entity, slot: slot))
          }
        }
      }
    }
  }

  /// Returns whether a record was created or deleted, or whether an attribute of the record
  /// changed. If the attribute is nil, only creation and deletion matter.
  private func matters(_ row: TouchedRow, of entity: Int, attribute: Int?) -> Bool {
    guard let old = row.old, let new = row.new else { return true }
    guard let attribute else { return false }
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
        return !layout.isEqual(attribute, in: old, and: new)
      }
    }
  }
}

/// A record that may have different values in the next state, or may reach different values through
/// its references. The record has a place in each state that contains it.
package struct TouchedRow: Hashable, Sendable {
  package var old: RecordPlace?
  package var new: RecordPlace?
  /// The attributes of the record's own row that changed; all attributes if the record was created
  /// or deleted, or if the changed attributes are not known.
  package var changed: AttributeBits

  package init(old: RecordPlace?, new: RecordPlace?, changed: AttributeBits = .all) {
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
    return before.memory.withWholeRow(at: old, layouts: before.catalog.layouts) { old in
      after.memory.withWholeRow(at: new, layouts: after.catalog.layouts) { new in
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
