import DaybookStore

/// Finds the rows of a result that changes of records may touch: those of the records themselves, and
/// those that lead to them.
///
/// A row leads to a record by the references of a path that the plan reads. A change of that record
/// matters if it comes, goes, or changes the attribute that the path goes on with. Then the records
/// that refer to it by the path's reference are found by the index of references, then those that
/// refer to these, up to the rows. Whoever refers to something else than before has changed itself.
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
    // A record of the same entity may be the end of a path as well.
    for read in plan.foreignReads { follow(read) }
  }

  private func touched(_ entity: Int, slot: UInt32) -> TouchedRow {
    let identifier = IdentifierBytes(changed.after.reader.identifier(ofSlot: slot, in: entity))
    return TouchedRow(
      old: changed.before.reader.place(of: identifier, in: entity),
      new: changed.after.reader.place(of: identifier, in: entity))
  }

  /// Finds the rows that lead to changed records by a path.
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

  /// Whether a record comes, goes, or has another value of an attribute; with no attribute, whether it
  /// comes or goes.
  private func matters(_ row: TouchedRow, of entity: Int, attribute: Int?) -> Bool {
    guard let old = row.old, let new = row.new else { return true }
    guard let attribute else { return false }
    let (before, after) = (changed.before, changed.after)
    return before.memory.withBytes(at: old.location) { old in
      after.memory.withBytes(at: new.location) { new in
        let layout = after.catalog.newest(entity)
        // Where only places of values stand, these would have to be looked at.
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
