/// What one change did to the state: one record's row before and after.
///
/// Applied forwards it makes the change, and backwards it takes it back.
package struct RowChange: Hashable, Sendable {
  package var kind: ChangeKind
  /// The entity's place in the catalog.
  package var entity: Int
  /// The record's slot; `UInt32.max` in a transaction that was read and not folded.
  package var slot: UInt32
  /// The row before; none if this is an insert.
  package var old: RowLocation
  /// The row after; none if this is a delete.
  package var new: RowLocation
  package var creation: UInt64
  /// What of the row is another, where this is an update of which that is known.
  package var changed = AttributeBits.all
}
