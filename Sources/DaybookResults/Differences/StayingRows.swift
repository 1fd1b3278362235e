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
}
