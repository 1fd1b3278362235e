import DaybookResults
import DaybookSimulation
import DaybookStore
import Testing

@Suite struct `Rank trees` {
  private func contents(_ tree: RankTree, in space: PageSpace) -> [RankEntry] {
    var entries: [RankEntry] = []
    tree.forEach(0..<tree.count, in: space) { entries.append($0) }
    return entries
  }

  /// Everything that can be asked, against a list.
  private func hold(_ tree: RankTree, _ list: [RankEntry], in space: PageSpace) {
    tree.checkInvariants(in: space)
    #expect(tree.count == list.count)
    #expect(contents(tree, in: space) == list)
  }

  @Test func `a rank tree without entries has no pages`() {
    let space = PageSpace()
    let tree = RankTree()
    hold(tree, [], in: space)
    #expect(space.statistics.inUseCount == 0)
    #expect(tree.first(of: 0..<0, notBefore: 1, in: space) { _ in true }.rank == 0)
  }

  @Test(arguments: [0, 1, 73, 74, 84, 85, 3000, 10_000])
  func `a rank tree is built from any number of entries`(_ count: Int) {
    let space = PageSpace()
    let list = (0..<count).map { RankEntry(UInt64($0) * 3, value: UInt32($0 % 7)) }
    let tree = RankTree(count: count, isWeighted: true, in: space) { list[$0] }
    hold(tree, list, in: space)
    var position = 0
    for (rank, entry) in list.enumerated() {
      #expect(tree.entry(at: rank, in: space) == entry)
      if rank % 17 == 0 { #expect(tree.weight(before: rank, in: space) == position) }
      if entry.value > 0, rank % 13 == 0 {
        let found = tree.find(position + Int(entry.value) - 1, in: space)
        #expect(found == (rank, Int(entry.value) - 1))
      }
      position += Int(entry.value)
    }
    #expect(tree.weight == position)
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `an edited rank tree equals a list, and pinned trees do not change`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let space = PageSpace()
    let isWeighted = seed % 2 == 0
    var tree = RankTree(isWeighted: isWeighted)
    var list: [RankEntry] = []
    var kept: [(pin: PagePin, tree: RankTree, list: [RankEntry])] = []
    for step in 0..<3000 {
      func below(_ count: Int) -> Int { Int(generator.next() % UInt64(max(1, count))) }
      // It grows, shrinks, and grows again.
      let grows = step % 1500 < 1000 ? 7 : 2
      let entry = RankEntry(generator.next(), value: UInt32(below(9)))
      switch below(10) {
      case 0 where !list.isEmpty:
        let rank = below(list.count)
        tree.replace(at: rank, with: entry, in: space)
        list[rank] = entry
      case ..<grows,
        _ where list.isEmpty:
        let rank = seed % 3 == 0 ? list.count : below(list.count + 1)
        tree.insert(entry, at: rank, in: space)
        list.insert(entry, at: rank)
      default:
        let rank = below(list.count)
        let removed = tree.remove(at: rank, in: space)
        #expect(removed == list.remove(at: rank))
      }
      if step % 50 == 0 { hold(tree, list, in: space) }
      if step % 300 == 0 { kept.append((space.pin(), tree, list)) }
    }
    #expect(tree.weight == (isWeighted ? list.reduce(0) { $0 + Int($1.value) } : 0))
    for (_, tree, list) in kept { #expect(contents(tree, in: space) == list) }
    tree.removeAll(in: space)
    kept = []
    #expect(space.statistics.inUseCount == 0)
  }

  @Test func `a rank tree finds positions within sorted runs`() {
    let space = PageSpace()
    // Runs of descending lengths, each ascending from zero by twos.
    let runs = [500, 1, 300, 2, 90, 0, 7]
    let list = runs.flatMap { count in (0..<count).map { RankEntry(UInt64($0) * 2, value: 0) } }
    let tree = RankTree(count: list.count, in: space) { list[$0] }
    var start = 0
    for count in runs {
      for number in 0...UInt64(count) {
        for key in [number * 2, number * 2 + 1] {
          let (found, entry) = tree.first(
            of: start..<start + count, notBefore: key, in: space
          ) { _ in false }
          #expect(entry == nil || entry == list[found])
          #expect(found == start + min(count, Int((key + 1) / 2)), "\(key) of \(count)")
        }
      }
      start += count
    }
  }

  @Test(arguments: [1, 9, 85, 700, 6000])
  func `a closure distinguishes entries with equal keys`(count: Int) {
    let space = PageSpace()
    var generator = SplitMix64(seed: UInt64(count))
    // A few keys, including both extremes. Values continue across equal keys.
    let keys: [UInt64] = [0, 1, 2, 1000, .max - 1, .max]
    var list = (0..<count).map { _ in RankEntry(keys[Int(generator.next() % 6)], value: 0) }
    list.sort { $0.key < $1.key }
    for rank in list.indices { list[rank].value = UInt32(rank * 2) }
    let tree = RankTree(count: count, in: space) { list[$0] }
    for _ in 0..<500 {
      let start = Int(generator.next() % UInt64(count))
      let range = start..<start + Int(generator.next() % UInt64(count - start + 1))
      let key = keys[Int(generator.next() % 6)]
      let value = UInt32(generator.next() % UInt64(count * 2 + 1))
      let wanted = range.first {
        list[$0].key > key || list[$0].key == key && list[$0].value >= value
      }
      let (found, entry) = tree.first(of: range, notBefore: key, in: space) { $0 < value }
      #expect(found == wanted ?? range.upperBound, "\(key), \(value) in \(range)")
      #expect(entry == nil || entry == list[found])
    }
  }

  @Test func `an insertion or removal copies at most two pages per level`() {
    let space = PageSpace()
    var tree = RankTree(count: 100_000, in: space) { RankEntry(UInt64($0), value: 0) }
    var generator = SplitMix64(seed: 4)
    for step in 0..<300 {
      let pin = space.pin()
      let before = space.statistics.garbageCount
      if step % 2 == 0 {
        tree.insert(RankEntry(0, value: 0), at: Int(generator.next() % 100_000), in: space)
      } else {
        tree.remove(at: Int(generator.next() % 100_000), in: space)
      }
      #expect(space.statistics.garbageCount - before <= 2 * tree.height)
      withExtendedLifetime(pin) {}
    }
  }

  @Test func `an entry takes at most 19 bytes, and 15 in a new tree`() {
    let space = PageSpace()
    var tree = RankTree()
    var generator = SplitMix64(seed: 1)
    for count in 0..<20_000 {
      tree.insert(RankEntry(0, value: 0), at: Int(generator.next() % UInt64(count + 1)), in: space)
    }
    #expect(space.statistics.inUseCount * PageSpace.pageByteCount <= 380_000)
    let other = PageSpace()
    let built = RankTree(count: 20_000, in: other) { RankEntry(UInt64($0), value: 0) }
    #expect(other.statistics.inUseCount * PageSpace.pageByteCount <= 300_000)
    #expect(built.height == 3)
  }
}
