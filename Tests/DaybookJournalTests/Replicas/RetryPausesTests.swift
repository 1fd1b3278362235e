import DaybookSimulation
import Testing

@testable import DaybookJournal

@Suite struct `Pauses between attempts` {
  @Test func `a pause is between half of its limit and the limit, which doubles`() {
    // A random number of 0 gives the shortest pause.
    var shortest = RetryPauses(from: 100, to: 1000)
    #expect((0..<6).map { _ in shortest.next(0) } == [50, 100, 200, 400, 500, 500])
    var random = SplitMix64(seed: 1)
    var seen: Set<Int64> = []
    var pauses = RetryPauses(from: 100, to: 1000)
    for limit: Int64 in [100, 200, 400, 800] + Array(repeating: 1000, count: 2000) {
      let pause = pauses.next(random.next())
      #expect(pause >= limit / 2 && pause <= limit)
      if limit == 1000 { seen.insert(pause) }
    }
    // The pauses of many clients are spread over the whole range.
    #expect(seen.min() == 500 && seen.max() == 1000 && seen.count > 450)
  }

  @Test func `a success starts again with the first pause`() {
    var pauses = RetryPauses(from: 1, to: 3)
    #expect([UInt64.max, .max, .max].map { pauses.next($0) } == [1, 2, 3])
    pauses.reset()
    #expect(pauses.next(1) == 1)
  }

  @Test func `the limit of a pause does not overflow`() {
    var pauses = RetryPauses(from: .max, to: .max)
    for _ in 0..<3 { #expect(pauses.next(0) == .max - .max / 2) }
  }
}
