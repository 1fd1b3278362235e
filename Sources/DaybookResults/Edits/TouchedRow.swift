import DaybookStore

/// A record that may be another one in the next state, or lead to other values.
package struct TouchedRow: Hashable, Sendable {
  package var old: RecordPlace?
  package var new: RecordPlace?
  /// What of its own row is another; all of it if it comes or goes, or if that is not known.
  package var changed: AttributeBits

  package init(old: RecordPlace?, new: RecordPlace?, changed: AttributeBits = .all) {
    self.old = old
    self.new = new
    self.changed = changed
  }

  /// Whether a record that is there before and after has other values: its own, or those that the
  /// plan reads through references.
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

  private static func haveSameValues(
    _ entity: Int, at old: RowLocation, in before: FrozenState, and new: RowLocation,
    in after: FrozenState
  ) -> Bool {
    // What is on the disk, or saved in memory, is never written again.
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
