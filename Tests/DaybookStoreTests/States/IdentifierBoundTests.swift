import DaybookSimulation
import Testing

@testable import DaybookStore

@Suite struct `Bounds of identifiers` {
  @Test(arguments: [IdentifierKind.int, .uint])
  func `a bound precedes exactly ascending identifiers beyond all included ones`(
    _ kind: IdentifierKind
  ) {
    for seed in 0..<UInt64(500) {
      var random = SplitMix64(seed: seed)
      func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
      // Numbers around zero and at both ends.
      let edges: [UInt64] = [0, .max, 1 << 63, 1 << 63 - 1]
      func word() -> UInt64 { edges[below(4)] &+ UInt64(below(20)) &- 10 }
      func isLess(_ one: UInt64, _ other: UInt64) -> Bool {
        kind == .int ? Int64(bitPattern: one) < Int64(bitPattern: other) : one < other
      }
      let greatest = kind == .int ? UInt64(Int64.max) : .max
      var bound = IdentifierBound(kind)
      var known: Set<UInt64> = []
      for _ in 0..<20 {
        let words = (0..<1 + below(4)).map { _ in word() }
        let some = below(2) == 0 ? words : words.sorted(by: isLess)
        let isRising = zip(some, some.dropFirst()).allSatisfy { isLess($0, $1) }
        let isBeyond = some.allSatisfy { word in known.allSatisfy { isLess($0, word) } }
        // After the two greatest numbers, the bound reports nothing.
        let isKnown = known.isDisjoint(with: [greatest, greatest - 1])
        #expect(
          bound.isBefore(some) == (isRising && isBeyond && isKnown),
          "seed \(seed): \(some) behind \(known)")
        if below(2) == 0 {
          bound.include(some)
          known.formUnion(some)
        } else {
          bound.include(some[0])
          known.insert(some[0])
        }
        // The bound survives the encoding of a checkpoint.
        bound = IdentifierBound(kind, rawValue: bound.rawValue)
      }
    }
  }

  @Test func `a bound precedes neither other kinds of identifiers nor an empty list`() {
    for kind in [IdentifierKind.uuid, .string] {
      var bound = IdentifierBound(kind)
      #expect(!bound.isBefore([1]))
      bound.include(1)
      #expect(!bound.isBefore([2]))
    }
    #expect(!IdentifierBound(.int).isBefore([]))
  }
}
