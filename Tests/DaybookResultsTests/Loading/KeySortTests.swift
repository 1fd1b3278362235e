import DaybookStore
@testable import DaybookSimulation
import TestSupport
import Testing

@testable import DaybookResults

@Suite struct `Sorting entries by keys of any length` {
  private func arena(_ keys: [[UInt8]]) -> KeyArena {
    var arena = KeyArena()
    for key in keys { arena.append(key.span.bytes) }
    return arena
  }

  /// Compares the order of keys, and the runs of equal keys, with a simple model.
  private func hold(
    _ keys: [[UInt8]], _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var entries = keys.indices.map { RankEntry(7, value: UInt32($0)) }
    var room = entries
    var sort = KeySort(arena(keys))
    var span = entries.mutableSpan
    var scratch = room.mutableSpan
    sort.sort(&span, in: span.indices, scratch: &scratch)
    let expected = keys.indices.sorted { one, other in
      let order = compareBytes(keys[one], keys[other])
      return order != 0 ? order < 0 : one < other
    }
    #expect(entries.map { Int($0.value) } == expected, "\(what)", sourceLocation: sourceLocation)
    var runs: [Range<Int>] = []
    var start = 0
    while start < expected.count {
      let end = (start..<expected.count).first { keys[expected[$0]] != keys[expected[start]] }
      let run = start..<(end ?? expected.count)
      if run.count > 1 { runs.append(run) }
      start = run.upperBound
    }
    #expect(
      sort.equal.sorted { $0.lowerBound < $1.lowerBound } == runs, "\(what)",
      sourceLocation: sourceLocation)
  }

  @Test(arguments: 0..<UInt64(FaultRow.count(400, full: 4000)))
  func `keys sort by their bytes, and a prefix sorts first`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    // Few different bytes, with zeros: many keys share a prefix, and end with an ambiguous byte.
    let letters: [UInt8] = seed % 2 == 0 ? [0, 1] : [0, 0, 0, 97, 255]
    let shared = [UInt8](repeating: letters[generator.below(2)], count: generator.below(30))
    let longest = 1 + generator.below(25)
    let keys = (0..<generator.below(2000)).map { _ -> [UInt8] in
      let end = (0..<generator.below(longest)).map { _ in letters[generator.below(letters.count)] }
      return generator.below(4) == 0 ? end : shared + end
    }
    hold(keys, "seed \(seed)")
  }

  @Test func `keys that are prefixes of each other sort by length`() {
    for byte in [0, 1, 255] as [UInt8] {
      let keys = (0..<500).map { [UInt8](repeating: byte, count: $0) }
      hold(keys, "ascending")
      hold(keys.reversed(), "descending")
    }
  }

  @Test func `thousands of keys with long shared prefixes are sorted`() {
    var generator = SplitMix64(seed: 5)
    for sharedCount in FaultRow.some([7, 8, 9, 63, 64, 65, 500]) {
      let shared = (0..<sharedCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      let keys = (0..<2000).map { _ in
        shared + withUnsafeBytes(of: generator.next() % 1500) { Array($0) }
      }
      hold(keys, "\(sharedCount) bytes")
    }
  }

  @Test func `many equal keys form one run`() {
    for count in [2, 3, 33, 5000] {
      for key in [[], [0], [1, 2, 3], [UInt8](repeating: 9, count: 8), Array(0..<17)] {
        hold([[UInt8]](repeating: key, count: count), "\(count) times \(key)")
      }
    }
  }

  @Test func `the arena returns the words and shared bytes of its keys`() {
    var generator = SplitMix64(seed: 2)
    let keys = (0..<60).map { _ in
      (0..<generator.below(20)).map { _ in UInt8(generator.below(2)) }
    }
    let arena = arena(keys)
    #expect(arena.count == keys.count)
    for (index, key) in keys.enumerated() {
      #expect(arena.byteCount(index) == key.count)
      #expect(key.span.bytes.orderWord == RowKey.prefix(key[...]))
      for offset in 0..<25 {
        let word = RowKey.prefix(key.dropFirst(offset))
        #expect(arena.word(index, at: offset) == word, "\(key) at \(offset)")
      }
      for (otherIndex, other) in keys.enumerated() {
        for offset in 0...min(key.count, other.count) {
          let shared = zip(key, other).dropFirst(offset).prefix { $0 == $1 }.count
          for limit in [0, 3, 8, .max] {
            #expect(
              arena.sharedByteCount(of: index, and: otherIndex, from: offset, upTo: limit)
                == min(limit, shared), "\(key) and \(other) from \(offset)")
          }
        }
      }
    }
  }
}
