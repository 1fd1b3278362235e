import DaybookStore
@testable import DaybookSimulation
import Testing

@testable import DaybookResults

@Suite struct `Section tables` {
  /// Holds the numbers, the counts and the order of keys against an obviously right way.
  private func hold(
    _ keys: [[UInt8]], _ what: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var table = SectionTable(seed: 5)
    var numbers: [[UInt8]: UInt32] = [:]
    var counts: [UInt32] = []
    var wrong: [String] = []
    for key in keys {
      let number = numbers[key] ?? UInt32(counts.count)
      if Int(number) == counts.count {
        numbers[key] = number
        counts.append(0)
      }
      counts[Int(number)] += 1
      let found = table.add(key.span.bytes)
      if found != number { wrong.append("\(key) is \(found), not \(number)") }
    }
    #expect(wrong.isEmpty, "\(what): \(wrong.prefix(3))", sourceLocation: sourceLocation)
    #expect(table.count == counts.count, "\(what)", sourceLocation: sourceLocation)
    #expect(table.rowCounts == counts, "\(what)", sourceLocation: sourceLocation)
    let order = numbers.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    #expect(
      table.inOrder() == order.map { Int($0.value) }, "\(what)", sourceLocation: sourceLocation)
    for (key, number) in order.prefix(1000) {
      #expect(
        table.prefix(Int(number)) == RowKey.prefix(key[...]), "\(what)",
        sourceLocation: sourceLocation)
    }
  }

  @Test func `an empty section table has no sections`() {
    hold([], "none")
  }

  @Test func `empty keys and prefixes of other keys are distinct sections`() {
    let beginnings = (0..<40).map { [UInt8](repeating: 0, count: $0) }
    hold(beginnings + beginnings.reversed() + beginnings, "zeros")
    let texts = ["", "a", "aa", "a\0", "a\0\0", "b", "abcdefgh", "abcdefghi", "abcdefg"]
    hold((texts + texts).map { Array($0.utf8) }, "texts")
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `the section table numbers keys in order of their first occurrence`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let longest = [1, 3, 5, 9, 17, 18, 40][generator.below(7)]
    let letters = 1 + generator.below(4)
    let keys = (0..<generator.below(3000)).map { _ in
      (0..<generator.below(longest + 1)).map { _ in UInt8(generator.below(letters)) }
    }
    hold(keys, "seed \(seed)")
  }

  @Test func `the section table distinguishes keys with equal hashes`() {
    let count = 200_000
    func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    let table = SectionTable(seed: 5)
    let hashes = Set((0..<count).map { table.hash(of: key($0).span.bytes) })
    #expect(hashes.count < count)
    // Near enough to what chance would give, for the table to be quick.
    #expect(hashes.count > count - 50)
    let shared = Dictionary(grouping: 0..<count) { table.hash(of: key($0).span.bytes) }
      .values.filter { $0.count > 1 }.joined()
    hold((Array(shared) + Array(0..<1000)).map(key), "keys with the same hash")
  }

  @Test func `a hash depends on every byte, the length and the table`() {
    for length in 1...40 {
      let zeros = [UInt8](repeating: 0, count: length)
      var keys = (0..<length).map { place in
        var key = zeros
        key[place] = 1
        return key
      }
      keys += [zeros, zeros.dropLast()]
      let table = SectionTable(seed: 5)
      #expect(Set(keys.map { table.hash(of: $0.span.bytes) }).count == keys.count, "\(length)")
      #expect(
        table.hash(of: zeros.span.bytes) != SectionTable(seed: 6).hash(of: zeros.span.bytes))
    }
  }
}
