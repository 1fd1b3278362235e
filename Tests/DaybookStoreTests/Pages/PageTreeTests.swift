import DaybookSimulation
import DaybookStore
import Testing

@Suite struct `A tree of pairs in pages` {
  @Test func `an empty tree has no pages and finds nothing`() {
    let space = PageSpace()
    var tree = PageTree()
    let isFound = tree.contains(TreePair(0, second: 0), in: space)
    let first = tree.first(in: space)
    let isRemoved = tree.remove(TreePair(0, second: 0), in: space)
    #expect(!isFound && first == nil && !isRemoved)
    tree.forEach(in: space) { pair in Issue.record("\(pair)") }
    tree.checkInvariants(in: space)
    #expect(space.statistics.inUseCount == 0)
  }

  @Test func `pairs are ordered by the first word, then by the second`() {
    let space = PageSpace()
    var tree = PageTree()
    let pairs = [
      TreePair(0, second: 0), TreePair(0, second: .max), TreePair(1, second: 0),
      TreePair(1, second: 1), TreePair(.max, second: 0),
      TreePair(.max, second: .max),
    ]
    for pair in pairs.reversed() { tree.insert(pair, in: space) }
    #expect(contents(tree, in: space) == pairs)
    for pair in pairs {
      let isAdded = tree.insert(pair, in: space)
      #expect(!isAdded, "\(pair) is there")
    }
    let following = pairs.map { tree.first(after: $0, in: space) }
    #expect(following == Array(pairs.dropFirst()) + [nil])
    #expect(tree.first(from: TreePair(0, second: 1), in: space) == TreePair(0, second: .max))
    var found: [TreePair] = []
    tree.forEach(TreePair(1, second: 0)...TreePair(1, second: .max), in: space) { found.append($0) }
    #expect(found == [TreePair(1, second: 0), TreePair(1, second: 1)])
  }

  @Test func `pairs in ascending order fill their leaves`() {
    let space = PageSpace()
    var tree = PageTree()
    for number in UInt64(0)..<9000 { tree.insert(TreePair(number, second: 0), in: space) }
    tree.checkInvariants(in: space)
    // 108 leaves of 84 pairs, 2 pages of up to 63 children, and the root.
    #expect(space.statistics.inUseCount == 111)
    #expect(tree.height == 3)
  }

  @Test func `pairs inserted in ascending order between others fill two thirds`() {
    let space = PageSpace()
    var tree = PageTree()
    tree.insert(TreePair(2, second: 0), in: space)
    for number in UInt32(0)..<5600 { tree.insert(TreePair(1, second: number), in: space) }
    tree.checkInvariants(in: space)
    #expect((100...108).contains(space.statistics.inUseCount))
  }

  @Test func `pairs inserted in any order need at most 16 bytes each`() {
    for (seed, count) in [(UInt64(1), 10_000), (2, 20_000), (3, 40_000)] {
      let space = PageSpace()
      var tree = PageTree()
      var generator = SplitMix64(seed: seed)
      // Half of them in ascending order, as when a journal is opened, and the others in random
      // order.
      for pair in (0..<count / 2).map({ _ in TreePair(generator.next(), second: 0) }).sorted() {
        if seed > 1 { tree.insert(pair, in: space) }
      }
      while tree.count < count { tree.insert(TreePair(generator.next(), second: 0), in: space) }
      tree.checkInvariants(in: space)
      #expect(space.statistics.inUseCount * PageSpace.pageByteCount <= 16 * count, "seed \(seed)")
    }
  }

  @Test func `pairs that replace each other need at most 17 bytes each`() {
    let space = PageSpace()
    var tree = PageTree()
    var generator = SplitMix64(seed: 4)
    var pairs = (0..<10_000).map { _ in TreePair(generator.next(), second: 0) }
    for pair in pairs { tree.insert(pair, in: space) }
    for _ in 0..<50_000 {
      let index = Int(generator.next() % 10_000)
      let isRemoved = tree.remove(pairs[index], in: space)
      pairs[index] = TreePair(generator.next(), second: 0)
      let isAdded = tree.insert(pairs[index], in: space)
      #expect(isRemoved && isAdded)
    }
    tree.checkInvariants(in: space)
    #expect(space.statistics.inUseCount * PageSpace.pageByteCount <= 170_000)
  }

  @Test func `inserting a present pair or removing a missing one edits no page`() {
    let space = PageSpace()
    var tree = PageTree()
    for number in UInt64(0)..<200 { tree.insert(TreePair(number, second: 0), in: space) }
    let before = tree
    let pin = space.pin()
    tree.insert(TreePair(7, second: 0), in: space)
    tree.remove(TreePair(7, second: 1), in: space)
    #expect(tree == before && space.statistics.garbageCount == 0)
    withExtendedLifetime(pin) {}
  }

  @Test func `an insertion or removal copies at most two pages per level and a leaf`() {
    let space = PageSpace()
    var tree = PageTree()
    var generator = SplitMix64(seed: 2)
    var pairs = (0..<4000).map { _ in TreePair(generator.next(), second: 0) }
    var worst = 0
    for step in 0..<8000 {
      let before = space.statistics.inUseCount
      let pin = space.pin()
      if step < 4000 {
        tree.insert(pairs[step], in: space)
      } else {
        tree.remove(pairs.remove(at: Int(generator.next() % UInt64(pairs.count))), in: space)
      }
      let after = space.statistics
      worst = max(worst, after.garbageCount, after.garbageCount + after.inUseCount - before)
      withExtendedLifetime(pin) {}
    }
    #expect(worst >= 4 && worst <= 7, "\(worst) pages")
  }

  @Test func `a tree emptied in any order has few pages and finally none`() {
    for seed in UInt64(0)..<3 {
      let space = PageSpace()
      var tree = PageTree()
      var generator = SplitMix64(seed: seed)
      var numbers = Array(UInt64(0)..<4000)
      for number in numbers { tree.insert(TreePair(number, second: 0), in: space) }
      if seed > 0 { numbers.shuffle(using: &generator) }
      for (index, number) in numbers.enumerated() {
        if index == 3600 {
          // 400 pairs in leaves at least one third full, and the root.
          #expect(space.statistics.inUseCount <= 17)
        }
        let isRemoved = tree.remove(TreePair(number, second: 0), in: space)
        #expect(isRemoved)
        if index % 64 == 0 { tree.checkInvariants(in: space) }
      }
      #expect(tree == PageTree())
      #expect(space.statistics.inUseCount == 0)
    }
  }

  @Test func `removing an only pair frees the last pages of two levels`() {
    let space = PageSpace()
    var tree = PageTree()
    // An inner page of 63 full leaves, and a second inner page with one leaf of one pair.
    for number in UInt64(0)...5292 { tree.insert(TreePair(number, second: 0), in: space) }
    tree.checkInvariants(in: space)
    #expect(tree.height == 3 && space.statistics.inUseCount == 67)
    tree.remove(TreePair(5292, second: 0), in: space)
    tree.checkInvariants(in: space)
    #expect(tree.height == 2 && space.statistics.inUseCount == 64)
  }

  @Test func `removing all pairs frees all pages at once`() {
    let space = PageSpace()
    var tree = PageTree()
    for number in UInt64(0)..<5000 { tree.insert(TreePair(number, second: 0), in: space) }
    let (old, pin) = (tree, space.pin())
    tree.removeAll(in: space)
    #expect(tree == PageTree() && space.statistics.inUseCount == 0)
    #expect(contents(old, in: space).count == 5000)
    withExtendedLifetime(pin) {}
  }

  @Test(arguments: PairKind.allCases, UInt64(0)..<3)
  func `each pin of a tree keeps its state`(_ kind: PairKind, _ seed: UInt64) {
    var history = TreeHistory(seed: seed, kind, isDeep: seed == 2)
    history.run()
  }
}

/// The kinds of pairs in a history.
enum PairKind: CaseIterable {
  /// Pairs spread over all first words.
  case spread
  /// A few first words, and ascending second words.
  case runs
  /// One first word.
  case one

  func pair(_ number: Int) -> TreePair {
    switch self {
    case .spread: TreePair(SlotHash.hash(UInt64(number)), second: 0)
    case .runs: TreePair(UInt64(number % 7), second: UInt32(number))
    case .one: TreePair(.max, second: UInt32(number))
    }
  }
}

func contents(_ tree: PageTree, in space: PageSpace) -> [TreePair] {
  var pairs: [TreePair] = []
  tree.forEach(in: space) { pairs.append($0) }
  return pairs
}

func pages(of tree: PageTree, in space: PageSpace) -> Set<PageNumber> {
  var pages: Set<PageNumber> = []
  tree.forEachPage(in: space) { page in
    #expect(pages.insert(page).inserted, "\(page) is twice in the tree")
  }
  return pages
}

/// A random history of a tree, beside a sorted array.
private struct TreeHistory {
  struct Moment {
    var pin: PagePin
    var tree: PageTree
    var model: [TreePair]
  }

  var generator: SplitMix64
  let kind: PairKind
  /// A Boolean value that indicates whether the tree has three levels. The invariants of a deep
  /// tree are checked after each batch of edits, those of others after each edit.
  let isDeep: Bool
  let space = PageSpace()
  var tree = PageTree()
  var model: [TreePair] = []
  var moments: [Moment] = []

  init(seed: UInt64, _ kind: PairKind, isDeep: Bool) {
    generator = SplitMix64(seed: seed)
    self.kind = kind
    self.isDeep = isDeep
  }

  mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  mutating func run() {
    if isDeep {
      for number in 0..<6000 { tree.insert(kind.pair(number), in: space) }
      model = (0..<6000).map(kind.pair).sorted()
      expect(tree, model, in: space)
      #expect(tree.height == 3)
    }
    for step in 0..<50 {
      switch below(8) {
      case 0, 1: moments.append(Moment(pin: space.pin(), tree: tree, model: model))
      case 2 where !moments.isEmpty:
        let moment = moments.remove(at: below(moments.count))
        expect(moment.tree, moment.model, in: space)
      case 3 where !moments.isEmpty: fork(moments[below(moments.count)])
      default:
        var (edited, editedModel) = (tree, model)
        edit(&edited, &editedModel, isShrinking: step > 30, in: space)
        (tree, model) = (edited, editedModel)
      }
    }
    expect(tree, model, in: space)
    for moment in moments { expect(moment.tree, moment.model, in: space) }
    var kept = pages(of: tree, in: space)
    for moment in moments { kept.formUnion(pages(of: moment.tree, in: space)) }
    let statistics = space.statistics
    #expect(statistics.inUseCount + statistics.garbageCount == kept.count)
    moments = []
    #expect(space.statistics.inUseCount == pages(of: tree, in: space).count)
    #expect(space.statistics.garbageCount == 0)
  }

  mutating func edit(
    _ tree: inout PageTree, _ model: inout [TreePair], isShrinking: Bool, in space: PageSpace
  ) {
    let bound = isDeep ? 7000 : 500
    for _ in 0..<below(isDeep ? 300 : 60) {
      let pair = kind.pair(below(bound))
      let place = place(of: pair, in: model)
      let exists = place < model.count && model[place] == pair
      if exists {
        let isRemoved = tree.remove(pair, in: space)
        #expect(isRemoved, "\(pair)")
        model.remove(at: place)
      } else if isShrinking {
        let isRemoved = tree.remove(pair, in: space)
        #expect(!isRemoved, "\(pair)")
      } else {
        let isAdded = tree.insert(pair, in: space)
        #expect(isAdded, "\(pair)")
        model.insert(pair, at: place)
      }
      if !isDeep { tree.checkInvariants(in: space) }
    }
    guard isShrinking else { return }
    // A run of neighbours, so that whole pages are removed.
    let first = below(model.count + 1)
    for pair in model[first...].prefix(below(isDeep ? 600 : 150)) {
      let isRemoved = tree.remove(pair, in: space)
      #expect(isRemoved, "\(pair)")
      model.remove(at: first)
      if !isDeep { tree.checkInvariants(in: space) }
    }
  }

  mutating func fork(_ moment: Moment) {
    let fork = PageSpace(over: moment.pin)
    var (tree, model) = (moment.tree, moment.model)
    edit(&tree, &model, isShrinking: false, in: fork)
    let (old, oldModel, pin) = (tree, model, fork.pin())
    edit(&tree, &model, isShrinking: true, in: fork)
    expect(old, oldModel, in: fork)
    expect(tree, model, in: fork)
    withExtendedLifetime(pin) {}
    let own = pages(of: tree, in: fork).filter { $0.rawValue >> 31 == 1 }
    #expect(fork.statistics.inUseCount == own.count)
    expect(moment.tree, moment.model, in: space)
  }

  /// Checks that all queries of the tree return the results of the model.
  mutating func expect(_ tree: PageTree, _ model: [TreePair], in space: PageSpace) {
    tree.checkInvariants(in: space)
    #expect(contents(tree, in: space) == model && tree.count == model.count)
    for _ in 0..<20 {
      let pair = kind.pair(below(4000))
      let place = place(of: pair, in: model)
      let exists = place < model.count && model[place] == pair
      let isFound = tree.contains(pair, in: space)
      #expect(isFound == exists)
      let first = tree.first(from: pair, in: space)
      #expect(first == (place < model.count ? model[place] : nil))
      let other = kind.pair(below(4000))
      let range = min(pair, other)...max(pair, other)
      var between: [TreePair] = []
      tree.forEach(range, in: space) { between.append($0) }
      #expect(between == model.filter { range.contains($0) })
    }
  }

  private func place(of pair: TreePair, in model: [TreePair]) -> Int {
    var (low, high) = (0, model.count)
    while low < high {
      let middle = (low + high) / 2
      if model[middle] < pair { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
