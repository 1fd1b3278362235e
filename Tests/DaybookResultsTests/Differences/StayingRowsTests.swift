import DaybookSimulation
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `The choice of rows that do not move` {
  /// Returns the heaviest ascending subsequence, and of several the one with the lowest positions,
  /// by trying all.
  private func best(_ ranks: [Int], _ weights: [Int]) -> [Int] {
    var best: [Int] = []
    for choice in 0..<1 << ranks.count {
      let places = ranks.indices.filter { choice >> $0 & 1 == 1 }
      guard zip(places, places.dropFirst()).allSatisfy({ ranks[$0] < ranks[$1] }) else { continue }
      func weight(_ places: [Int]) -> Int { places.reduce(0) { $0 + weights[$1] } }
      if weight(places) > weight(best)
        || weight(places) == weight(best) && places.lexicographicallyPrecedes(best)
      {
        best = places
      }
    }
    return best
  }

  // Rule 19.
  @Test func `the heaviest ordered rows stay, and ties keep the earliest`() {
    for seed in 0..<UInt64(FaultRow.count(3000, full: 100_000)) {
      var random = RandomFilters(seed: seed)
      var ranks = Array(0..<random.number(9))
      for place in ranks.indices.dropFirst() { ranks.swapAt(place, random.number(place + 1)) }
      let weights = ranks.map { _ in 1 + random.number(3) }
      let ones = ranks.map { _ in 1 }
      #expect(
        StayingRows.heaviestAscending(ranks, weights: weights) == best(ranks, weights),
        "seed \(seed)")
      #expect(
        StayingRows.heaviestAscending(ranks, weights: ones)
          == StayingRows.longestAscending(ranks), "seed \(seed)")
      #expect(StayingRows.longestAscending(ranks) == best(ranks, ones), "seed \(seed)")
    }
  }
}
