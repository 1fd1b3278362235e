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
  private let plan: ResultPlan
  private let before: FrozenState
  private let after: FrozenState
  private var found: Set<UInt32> = []
  private(set) var rows: [TouchedRow] = []

  /// - Parameter changed: The records that may be others in the state after; each once.
  init(_ changed: [EntityKey], _ plan: ResultPlan, _ before: FrozenState, _ after: FrozenState) {
    self.plan = plan
    self.before = before
    self.after = after
    for key in changed where key.entity == plan.entity {
      let row = touched(key)
      guard row.old != nil || row.new != nil else { continue }
      if let slot = row.new?.slot { found.insert(slot) }
      rows.append(row)
    }
    // A record of the same entity may be the end of a path as well.
    for read in plan.foreignReads { follow(read, back: changed) }
  }

  private func touched(_ key: EntityKey) -> TouchedRow {
    let identifier = IdentifierBytes(key.id)
    return TouchedRow(
      old: TouchedRow.Place(identifier, key.entity, before),
      new: TouchedRow.Place(identifier, key.entity, after))
  }

  /// Finds the rows that lead to changed records by a path.
  private mutating func follow(_ read: PathRead, back changed: [EntityKey]) {
    let links = read.links
    var reached: Set<EntityKey> = []
    for level in links.indices.reversed() {
      let step = links[level]
      let next = level + 1 < links.count ? links[level + 1].attribute : read.lastAttribute
      var targets = reached
      for key in changed
      where key.entity == step.target && !targets.contains(key) && matters(key, next) {
        targets.insert(key)
      }
      reached = []
      for target in targets {
        after.forEachReferrer(of: target.entity, target.id) { entity, attribute, slot in
          guard entity == step.entity, attribute == step.attribute else { return }
          if level > 0 {
            reached.insert(EntityKey(entity, after.identifier(entity, slot)))
          } else if found.insert(slot).inserted {
            rows.append(
              touched(EntityKey(entity, after.identifier(entity, slot))))
          }
        }
      }
    }
  }

  /// Whether a record comes, goes, or has another value of an attribute; with no attribute, whether it
  /// comes or goes.
  private func matters(_ key: EntityKey, _ attribute: Int?) -> Bool {
    let row = touched(key)
    guard let old = row.old, let new = row.new else { return row.old != nil || row.new != nil }
    guard let attribute else { return false }
    return before.memory.withBytes(at: old.location) { old in
      after.memory.withBytes(at: new.location) { new in
        let layout = after.catalog.newest(key.entity)
        // Where only places of values stand, these would have to be looked at.
        if Layout.hasStoredValues(old) || Layout.hasStoredValues(new) { return true }
        guard Layout.number(of: old) == layout.number, Layout.number(of: new) == layout.number
        else {
          return true
        }
        return !layout.isEqual(attribute, in: old, new)
      }
    }
  }
}
