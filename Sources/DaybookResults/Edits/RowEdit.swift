import DaybookStore

/// What a fold did to one row of the order.
struct RowEdit {
  /// Its rank before; nil if it was not in the order.
  var old: Int?
  /// Its rank after; nil if it is not in the order.
  var new: Int?
  var oldSlot: UInt32?
  var newSlot: UInt32?
  /// Whether its key is another one: that of its section, its own, or its creation number.
  var isKeyChanged = false
  var isSectionChanged = false
  /// Whether anything of it that can be seen is another.
  var isContentChanged = false

  /// Whether it was taken out, put in, or both: everything but a row that kept its key.
  var isPlaced: Bool { oldSlot == nil || newSlot == nil || isKeyChanged }
}

/// What a fold did to rows, and which ranks it took rows from and put rows to.
struct PlacedRows {
  var edits: [RowEdit]
  /// The ranks before of those that were taken out.
  let removed: EditedRanks
  /// The ranks after of those that were put in; none until all edits say where these are.
  private(set) var added = EditedRanks([])

  /// What is to be done.
  init(_ edits: [RowEdit]) {
    self.edits = edits
    removed = EditedRanks(edits.compactMap { $0.isPlaced ? $0.old : nil })
  }

  /// What was done, where all edits say where their rows are then.
  init(done edits: [RowEdit]) {
    self.init(edits)
    noteAdded()
  }

  private mutating func noteAdded() {
    added = EditedRanks(edits.compactMap { $0.isPlaced ? $0.new : nil })
  }

  /// Finds the new ranks of rows that kept their keys, from those of all others.
  mutating func settle() {
    noteAdded()
    for index in edits.indices where !edits[index].isPlaced {
      guard let old = edits[index].old else { continue }
      edits[index].new = added.rank(ofFixed: removed.fixedCount(before: old))
    }
  }
}

/// Two keys of one row, whose memory is used for one row after another.
struct RowKeys {
  var old = RowKey()
  var new = RowKey()
}

extension OrderSearch {
  /// What becomes of a row in the next state, with its rank before; nil if it is in neither order.
  ///
  /// - Parameters:
  ///   - keys: Gets its keys, that before if it was in the order, and that after if it will have another place.
  ///   - sections: Where sections were found before.
  func edit(
    _ row: TouchedRow, next: FrozenState, keys: inout RowKeys, sections: inout KnownSections
  ) -> RowEdit? {
    #if DAYBOOK_CHECKS
      checkReads(of: row, next: next)
    #endif
    // What a change leaves as it was is asked of the row after it, which was written last and is at hand.
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
    /// Traps if a row that a change does not touch, as it says, is another to the plan all the same.
    private func checkReads(of row: TouchedRow, next: FrozenState) {
      let (changed, reads) = (row.changed, plan.reads)
      guard let before = row.old?.location, let location = row.new?.location else { return }
      precondition(
        changed.meets(reads.filter)
          || plan.includes(before, in: state) == plan.includes(location, in: next),
        "a row comes or goes by what the filter does not read")
      var (old, new) = (RowKey(), RowKey())
      old.set(to: before, of: plan, in: state)
      new.set(to: location, of: plan, in: next)
      precondition(
        changed.meets(reads.section) || new.isSameSection(as: old),
        "a row has another section by what that is not made of")
      precondition(
        changed.meets(reads.section) || changed.meets(reads.order) || new == old,
        "a row has another key by what that is not made of")
    }
  }
#endif

/// Some ranks of an order, and those of the rows between them, counted without them.
struct EditedRanks {
  /// In ascending order.
  let ranks: [Int]

  init(_ ranks: [Int]) { self.ranks = ranks.sorted() }

  /// How many rows there are before a rank, without those of the ranks.
  ///
  /// - Complexity: O(log *ranks*)
  func fixedCount(before rank: Int) -> Int {
    rank - partition { ranks[$0] < rank }
  }

  /// The rank of the row before which there are so many, without those of the ranks.
  ///
  /// - Complexity: O(log *ranks*)
  func rank(ofFixed count: Int) -> Int {
    count + partition { ranks[$0] - $0 <= count }
  }

  /// For how many of the ranks something is true, which is so for the first ones only.
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
