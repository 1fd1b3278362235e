import DaybookStore

/// The algorithms that select the rows that stay in position, so that as few rows as possible are
/// reported as moved.
enum StayingRows {
  /// Returns the positions of a longest ascending subsequence of some old ranks. The old ranks are
  /// in the order of the new ranks. For the ranks 3, 1, 2 the result is the positions 1 and 2,
  /// counted from 0: these two rows stay, and the row at position 0 moves. Of several longest
  /// subsequences, the function returns the one with the earliest positions.
  ///
  /// - Complexity: O(*n* log *n*)
  static func longestAscending(_ ranks: [Int]) -> [Int] {
    guard !ranks.isEmpty else { return [] }
    // `lengths[i]` is the length of the longest ascending subsequence that starts at position i.
    // The loop computes it from the end. `heads[n]` is the greatest first rank of all ascending
    // subsequences of n + 1 elements that the loop has found.
    var lengths = [Int](repeating: 0, count: ranks.count)
    var heads: [Int] = []
    for place in ranks.indices.reversed() {
      // The heads are in descending order, because a longer subsequence starts at a lower rank. So
      // a binary search finds the longest subsequence that the rank can precede.
      var low = 0
      var length = heads.count
      while length > 0 {
        let half = length >> 1
        if heads[low + half] > ranks[place] {
          low += half + 1
          length -= half + 1
        } else {
          length = half
        }
      }
      if low == heads.count { heads.append(ranks[place]) } else { heads[low] = ranks[place] }
      lengths[place] = low + 1
    }
    var staying: [Int] = []
    var wanted = heads.count
    for place in ranks.indices where wanted > 0 && lengths[place] == wanted {
      if let last = staying.last, ranks[place] <= ranks[last] { continue }
      staying.append(place)
      wanted -= 1
    }
    return staying
  }

  /// Returns the positions of the ascending subsequence of ranks with the greatest sum of weights.
  /// Of several such subsequences, the function returns the one with the earliest positions.
  ///
  /// - Parameter weights: The weight of each position; all are positive.
  /// - Complexity: O(*n* log *n*)
  static func heaviestAscending(_ ranks: [Int], weights: [Int]) -> [Int] {
    precondition(ranks.count == weights.count, "\(ranks.count) ranks for \(weights.count) weights")
    var heights = [Int](repeating: 0, count: ranks.count)
    let descending = ranks.indices.sorted { ranks[$0] > ranks[$1] }
    for (height, place) in descending.enumerated() { heights[place] = height + 1 }
    // The weight of the heaviest ascending subsequence that starts at each position, computed from
    // the end.
    var totals = weights
    var heaviest = HeaviestBelow(count: ranks.count)
    for place in ranks.indices.reversed() {
      precondition(weights[place] > 0, "the weight at \(place) is \(weights[place])")
      totals[place] += heaviest.weight(below: heights[place])
      heaviest.record(totals[place], at: heights[place])
    }
    var staying: [Int] = []
    var wanted = totals.max() ?? 0
    for place in ranks.indices where wanted > 0 && totals[place] == wanted {
      if let last = staying.last, ranks[place] <= ranks[last] { continue }
      staying.append(place)
      wanted -= weights[place]
    }
    return staying
  }
}

/// A table of weights by height, which finds the greatest weight that was recorded below a height.
/// Heights number the ranks from the greatest rank, which has height 1, to the smallest. So the
/// heights below a height are those of greater ranks.
private struct HeaviestBelow {
  /// A Fenwick tree of maxima: node i covers the i & -i heights that end at i.
  private var places: [Int]

  init(count: Int) { places = [Int](repeating: 0, count: count + 1) }

  func weight(below height: Int) -> Int {
    var weight = 0
    var place = height - 1
    while place > 0 {
      weight = max(weight, places[place])
      place &= place - 1
    }
    return weight
  }

  mutating func record(_ weight: Int, at height: Int) {
    var place = height
    while place < places.count {
      places[place] = max(places[place], weight)
      place += place & -place
    }
  }
}

/// All rows that a snapshot shows, in arrays, for algorithms that visit every row.
///
/// Rows are numbered across all shown sections. Sections are numbered from the first shown section.
struct ShownRows {
  /// The slot of each row.
  private(set) var slots: [UInt32] = []
  /// The section of each row.
  private(set) var sections: [Int] = []
  /// The number of the first row of each section.
  private(set) var starts: [Int] = []

  /// - Complexity: O(rows, and log *n* for each section)
  init(_ snapshot: ResultSnapshot) {
    slots = snapshot.order.values(snapshot.visible, in: snapshot.space)
    sections.reserveCapacity(slots.count)
    for (section, place) in snapshot.visibleSections.enumerated() {
      starts.append(sections.count)
      for _ in snapshot.visibleRanks(ofSection: place) { sections.append(section) }
    }
    precondition(
      sections.count == slots.count, "\(slots.count) rows, but \(sections.count) in sections")
  }

  /// The path and the slot of the row with a number.
  subscript(row: Int) -> EditScript.Row {
    let section = sections[row]
    return EditScript.Row(
      path: RowPath(section: section, row: row - starts[section]), slot: slots[row])
  }
}
