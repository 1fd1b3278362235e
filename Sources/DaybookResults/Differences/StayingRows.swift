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
    for index in ranks.indices.reversed() {
      // The heads are in descending order, because a longer subsequence starts at a lower rank. So
      // a binary search finds the longest subsequence that the rank can precede.
      var low = 0
      var length = heads.count
      while length > 0 {
        let half = length >> 1
        if heads[low + half] > ranks[index] {
          low += half + 1
          length -= half + 1
        } else {
          length = half
        }
      }
      if low == heads.count { heads.append(ranks[index]) } else { heads[low] = ranks[index] }
      lengths[index] = low + 1
    }
    var staying: [Int] = []
    var remaining = heads.count
    for index in ranks.indices where remaining > 0 && lengths[index] == remaining {
      if let last = staying.last, ranks[index] <= ranks[last] { continue }
      staying.append(index)
      remaining -= 1
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
    for (height, index) in descending.enumerated() { heights[index] = height + 1 }
    // The weight of the heaviest ascending subsequence that starts at each position, computed from
    // the end.
    var totals = weights
    var heaviest = HeaviestBelow(count: ranks.count)
    for index in ranks.indices.reversed() {
      precondition(weights[index] > 0, "the weight at \(index) is \(weights[index])")
      totals[index] += heaviest.weight(below: heights[index])
      heaviest.record(totals[index], at: heights[index])
    }
    var staying: [Int] = []
    var remaining = totals.max() ?? 0
    for index in ranks.indices where remaining > 0 && totals[index] == remaining {
      if let last = staying.last, ranks[index] <= ranks[last] { continue }
      staying.append(index)
      remaining -= weights[index]
    }
    return staying
  }
}

/// A table of weights by height, which finds the greatest weight that was recorded below a height.
/// Heights number the ranks from the greatest rank, which has height 1, to the smallest. So the
/// heights below a height are those of greater ranks.
private struct HeaviestBelow {
  /// A Fenwick tree of maxima: node i covers the i & -i heights that end at i.
  private var nodes: [Int]

  init(count: Int) { nodes = [Int](repeating: 0, count: count + 1) }

  func weight(below height: Int) -> Int {
    var weight = 0
    var index = height - 1
    while index > 0 {
      weight = max(weight, nodes[index])
      index &= index - 1
    }
    return weight
  }

  mutating func record(_ weight: Int, at height: Int) {
    var index = height
    while index < nodes.count {
      nodes[index] = max(nodes[index], weight)
      index += index & -index
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
    for (section, index) in snapshot.visibleSections.enumerated() {
      starts.append(sections.count)
      for _ in snapshot.visibleRanks(ofSection: index) { sections.append(section) }
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
