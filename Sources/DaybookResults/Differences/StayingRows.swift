import DaybookStore

/// Which rows can stay where they are, so that as few as possible have to move.
enum StayingRows {
  /// The places in a list of old ranks, which is in the order of new ranks, that are a longest
  /// ascending subsequence; among the longest, the one whose places come first.
  ///
  /// - Complexity: O(*n* log *n*)
  static func longestAscending(_ ranks: [Int]) -> [Int] {
    guard !ranks.isEmpty else { return [] }
    // For each place how long the longest ascending run is that begins with it, found from the end:
    // `heads[n]` is the greatest rank with which a run of n + 1 begins.
    var lengths = [Int](repeating: 0, count: ranks.count)
    var heads: [Int] = []
    for place in ranks.indices.reversed() {
      // The heads descend: longer runs begin lower.
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

  /// The same, but of places that each count as much as they weigh: those that together weigh the
  /// most; among the heaviest, the ones whose places come first.
  ///
  /// - Parameter weights: How much each place weighs; none weighs nothing.
  /// - Complexity: O(*n* log *n*)
  static func heaviestAscending(_ ranks: [Int], weights: [Int]) -> [Int] {
    precondition(ranks.count == weights.count, "\(ranks.count) ranks of \(weights.count) weights")
    var heights = [Int](repeating: 0, count: ranks.count)
    let descending = ranks.indices.sorted { ranks[$0] > ranks[$1] }
    for (height, place) in descending.enumerated() { heights[place] = height + 1 }
    // For each place what the heaviest ascending run weighs that begins with it, found from the end.
    var totals = weights
    var heaviest = HeaviestBelow(count: ranks.count)
    for place in ranks.indices.reversed() {
      precondition(weights[place] > 0, "place \(place) weighs \(weights[place])")
      totals[place] += heaviest.weight(below: heights[place])
      heaviest.note(totals[place], at: heights[place])
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

/// The greatest weight that was noted below a height.
private struct HeaviestBelow {
  /// A Fenwick tree: each place has the greatest of as many heights as its lowest bit says.
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

  mutating func note(_ weight: Int, at height: Int) {
    var place = height
    while place < places.count {
      places[place] = max(places[place], weight)
      place += place & -place
    }
  }
}

/// What a moment shows, row by row, for whoever looks at all of it.
///
/// Rows are counted over all sections that are shown, and these from the first that is.
struct ShownRows {
  /// The slot of each row.
  private(set) var slots: [UInt32] = []
  /// The section of each row.
  private(set) var sections: [Int] = []
  /// Where each section begins.
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
      sections.count == slots.count, "\(slots.count) rows, and \(sections.count) in sections")
  }

  /// The path and the slot of a row.
  subscript(row: Int) -> EditScript.Row {
    let section = sections[row]
    return EditScript.Row(
      path: RowPath(section: section, row: row - starts[section]), slot: slots[row])
  }
}
