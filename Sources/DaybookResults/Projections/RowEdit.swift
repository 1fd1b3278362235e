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
