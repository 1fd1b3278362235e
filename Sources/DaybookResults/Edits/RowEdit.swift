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

extension RowEdit {
  /// Finds the new ranks of rows that kept their keys, from those of all others.
  static func settle(_ edits: inout [RowEdit]) {
    let removed = EditedRanks(edits.compactMap { $0.isPlaced ? $0.old : nil })
    let added = EditedRanks(edits.compactMap { $0.isPlaced ? $0.new : nil })
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
  ///   - keys: Gets its keys, that before if it was in the order, and that after if it will be.
  ///   - sections: Where sections were found before.
  func edit(
    _ row: TouchedRow, _ next: FrozenState, _ keys: inout RowKeys, _ sections: inout KnownSections
  ) -> RowEdit? {
    let old = row.old.flatMap { plan.includes($0.location, state) ? $0 : nil }
    let new = row.new.flatMap { plan.includes($0.location, next) ? $0 : nil }
    guard old != nil || new != nil else { return nil }
    if let old { keys.old.set(plan, old.location, state) }
    if let new { keys.new.set(plan, new.location, next) }
    var edit = RowEdit()
    if let old {
      let ranks = sections.ranks(of: keys.old, by: self)
      edit.old = rank(of: keys.old, slot: old.slot, in: ranks)
      edit.oldSlot = old.slot
    }
    edit.newSlot = new?.slot
    if old != nil, new != nil {
      edit.isKeyChanged = keys.old != keys.new
      edit.isSectionChanged = !keys.old.isSameSection(as: keys.new)
      edit.isContentChanged = row.isContentChanged(plan, state, next)
    }
    return edit
  }
}

/// Some ranks of an order, and those of the rows between them, counted without them.
struct EditedRanks {
  private let ranks: [Int]

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
