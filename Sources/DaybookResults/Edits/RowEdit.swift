import DaybookStore

/// The effect of a change on one row of a projection's order.
struct RowEdit {
  /// The rank before the change; nil if the row was not in the order.
  var old: Int?
  /// The rank after the change; nil if the row is not in the order, or if the rank is not known
  /// yet.
  var new: Int?
  var oldSlot: UInt32?
  var newSlot: UInt32?
  /// A Boolean value that indicates whether any part of the row's key changed: the key of its
  /// section, its own key, or its creation number.
  var isKeyChanged = false
  var isSectionChanged = false
  /// A Boolean value that indicates whether any visible value of the row changed.
  var isContentChanged = false

  /// A Boolean value that indicates whether the row was removed from the order, inserted into it,
  /// or both. The value is false only for a row that kept its key.
  var isPlaced: Bool { oldSlot == nil || newSlot == nil || isKeyChanged }
}

/// The edits of a change, with the ranks of the rows that the change removes from the order and
/// inserts into it.
struct PlacedRows {
  var edits: [RowEdit]
  /// The ranks of the removed rows before the change.
  let removed: EditedRanks
  /// The ranks of the inserted rows after the change; empty until all edits contain their new
  /// ranks.
  private(set) var added = EditedRanks([])

  /// Creates the edits of a change that the projection has not applied to its trees yet.
  init(_ edits: [RowEdit]) {
    self.edits = edits
    removed = EditedRanks(edits.compactMap { $0.isPlaced ? $0.old : nil })
  }

  /// Creates the edits of a finished change. All edits already contain their new ranks.
  init(done edits: [RowEdit]) {
    self.init(edits)
    recordAdded()
  }

  private mutating func recordAdded() {
    added = EditedRanks(edits.compactMap { $0.isPlaced ? $0.new : nil })
  }

  /// Computes the new ranks of the rows that kept their keys, from the ranks of all other rows.
  mutating func computeNewRanks() {
    recordAdded()
    for index in edits.indices where !edits[index].isPlaced {
      guard let old = edits[index].old else { continue }
      edits[index].new = added.rank(ofFixed: removed.fixedCount(before: old))
    }
  }
}

/// The old and the new key of one row. The memory of the keys is reused for the next row.
struct RowKeys {
  var old = RowKey()
  var new = RowKey()
}

extension OrderSearch {
  /// Returns the edit of a row between this state and the next state; nil if the row matches the
  /// filter in neither state. The edit contains the row's rank in this state.
  ///
  /// - Parameters:
  ///   - keys: Receives the row's keys. The old key is set if the row is in the order of this
  ///     state. The new key is set if the row may have a new position.
  ///   - sections: A cache of the ranks of sections in this order.
  func edit(
    _ row: TouchedRow, next: FrozenState, keys: inout RowKeys, sections: inout KnownSections
  ) -> RowEdit? {
    #if DAYBOOK_CHECKS
      checkReads(of: row, next: next)
    #endif
    // Attributes that the change did not modify are equal in both rows. Such attributes are read
    // from the new row, which was written last and is probably in a processor cache.
    let (old, new): (RecordPosition?, RecordPosition?)
    if row.changed.meets(plan.reads.filter) {
      old = row.old.flatMap { plan.includes($0.location, in: state) ? $0 : nil }
      new = row.new.flatMap { plan.includes($0.location, in: next) ? $0 : nil }
    } else {
      new = row.new.flatMap { plan.includes($0.location, in: next) ? $0 : nil }
      old = new == nil ? nil : row.old
    }
    guard old != nil || new != nil else { return nil }
    var edit = RowEdit()
    if let old {
      if let new, !row.changed.meets(plan.reads.section), !row.changed.meets(plan.reads.order) {
        keys.old.set(to: new.location, of: plan, in: next)
      } else {
        keys.old.set(to: old.location, of: plan, in: state)
      }
      let ranks = sections.ranks(of: keys.old, by: self)
      edit.old = rank(of: keys.old, slot: old.slot, in: ranks)
      edit.oldSlot = old.slot
    }
    guard let new else { return edit }
    edit.newSlot = new.slot
    guard old != nil else {
      keys.new.set(to: new.location, of: plan, in: next)
      return edit
    }
    edit.isContentChanged = row.isContentChanged(plan, from: state, to: next)
    if row.changed.meets(plan.reads.section) {
      keys.new.set(to: new.location, of: plan, in: next)
      edit.isSectionChanged = !keys.old.isSameSection(as: keys.new)
      edit.isKeyChanged = keys.old != keys.new
    } else if row.changed.meets(plan.reads.order) {
      keys.new.set(to: new.location, of: plan, in: next, inSectionOf: keys.old)
      edit.isKeyChanged = keys.old != keys.new
    }
    return edit
  }
}

#if DAYBOOK_CHECKS
  extension OrderSearch {
    /// Traps if the change added, removed or moved a row although it names no attribute that the
    /// plan reads for that purpose.
    private func checkReads(of row: TouchedRow, next: FrozenState) {
      let (changed, reads) = (row.changed, plan.reads)
      guard let before = row.old?.location, let location = row.new?.location else { return }
      precondition(
        changed.meets(reads.filter)
          || plan.includes(before, in: state) == plan.includes(location, in: next),
        "a change of attributes that the filter does not read added or removed a row")
      var (old, new) = (RowKey(), RowKey())
      old.set(to: before, of: plan, in: state)
      new.set(to: location, of: plan, in: next)
      precondition(
        changed.meets(reads.section) || new.isSameSection(as: old),
        "a change of attributes that the section key does not read moved a row to another section")
      precondition(
        changed.meets(reads.section) || changed.meets(reads.order) || new == old,
        "a change of attributes that the sort keys do not read changed the key of a row")
    }
  }
#endif

/// Some ranks of an order, which a change removes or inserts. The rows at all other ranks are
/// *fixed*. The type converts between the rank of a fixed row and its index among the fixed rows.
///
/// For example, with the ranks 1 and 2, the fixed rows have the ranks 0, 3, 4 and so on. The fixed
/// row with index 1 has rank 3.
struct EditedRanks {
  /// The ranks, in ascending order.
  let ranks: [Int]

  init(_ ranks: [Int]) { self.ranks = ranks.sorted() }

  /// Returns the number of fixed rows before a rank.
  ///
  /// - Complexity: O(log *ranks*)
  func fixedCount(before rank: Int) -> Int {
    rank - partition { ranks[$0] < rank }
  }

  /// Returns the rank of the fixed row with an index, which is the number of fixed rows before it.
  ///
  /// - Complexity: O(log *ranks*)
  func rank(ofFixed count: Int) -> Int {
    count + partition { ranks[$0] - $0 <= count }
  }

  /// Returns the number of ranks that satisfy a condition, by a binary search. All ranks that
  /// satisfy the condition must precede all other ranks.
  private func partition(_ isTrue: (Int) -> Bool) -> Int {
    var low = 0
    var length = ranks.count
    while length > 0 {
      let half = length >> 1
      if isTrue(low + half) {
        low += half + 1
        length -= half + 1
      } else {
        length = half
      }
    }
    return low
  }
}
