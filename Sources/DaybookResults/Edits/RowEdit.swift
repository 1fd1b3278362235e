import DaybookStore

/// The effect of a change on one row of the order.
struct RowEdit {
  /// The rank before; nil if the row was not in the order.
  var old: Int?
  /// The rank after; nil if the row is not in the order.
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
  /// or both. It is false only for a row that kept its key.
  var isPlaced: Bool { oldSlot == nil || newSlot == nil || isKeyChanged }
}

/// The edits of a change, with the ranks that it removed rows from and inserted rows at.
struct PlacedRows {
  var edits: [RowEdit]
  /// The ranks before of the removed rows.
  let removed: EditedRanks
  /// The ranks after of the inserted rows; empty until all edits contain them.
  private(set) var added = EditedRanks([])

  /// Creates the edits of a change that has not been performed yet.
  init(_ edits: [RowEdit]) {
    self.edits = edits
    removed = EditedRanks(edits.compactMap { $0.isPlaced ? $0.old : nil })
  }

  /// Creates the edits of a change that has been performed, so that all edits contain their new
  /// ranks.
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

/// The old and the new key of one row. Their memory is reused for one row after another.
struct RowKeys {
  var old = RowKey()
  var new = RowKey()
}

extension OrderSearch {
  /// Returns the edit that leads from a row in this state to the row in the next state, with the
  /// rank before; nil if the row is in neither order.
  ///
  /// - Parameters:
  ///   - keys: Receives the row's keys: the old key if the row was in the order, and the new key if
  ///     the row
  ///     will get a new position.
  ///   - sections: A cache of the ranks of sections in this order.
  func edit(
    _ row: TouchedRow, next: FrozenState, keys: inout RowKeys, sections: inout KnownSections
  ) -> RowEdit? {
    #if DAYBOOK_CHECKS
      checkReads(of: row, next: next)
    #endif
    // Attributes that the change leaves alone are read from the new row. It was written last, so it
    // is probably in a processor cache.
    let (old, new): (RecordPlace?, RecordPlace?)
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
    /// Traps if a row's inclusion or key changed although the change does not name an attribute
    /// that the plan reads for it.
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

/// Some ranks of an order, with conversions between ranks and positions among the other rows, which
/// are called *fixed*.
struct EditedRanks {
  /// In ascending order.
  let ranks: [Int]

  init(_ ranks: [Int]) { self.ranks = ranks.sorted() }

  /// Returns the number of fixed rows before a rank.
  ///
  /// - Complexity: O(log *ranks*)
  func fixedCount(before rank: Int) -> Int {
    rank - partition { ranks[$0] < rank }
  }

  /// Returns the rank of the fixed row that has a given number of fixed rows before it.
  ///
  /// - Complexity: O(log *ranks*)
  func rank(ofFixed count: Int) -> Int {
    count + partition { ranks[$0] - $0 <= count }
  }

  /// Returns the number of ranks that satisfy a condition. The ranks that satisfy it must be the
  /// first ones.
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
