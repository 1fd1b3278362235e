import DaybookStore
import DaybookTesting
import TestSupport
import Testing

@Suite("Slips in the place of pages") struct PageSlipBytesTests {
  @Test func `three elements of a leaf are noted, for a fourth the leaf is copied`() {
    let (space, array, model) = pairs(1000)
    let fork = PageSpace(over: space.pin())
    var (edited, expected) = (array, model)
    for (step, index) in [70, 127, 64, 70, 100, 64].enumerated() {
      expected[index] = PagePair(UInt64(step), 7)
      edited.setApart(index, to: expected[index], in: fork)
      #expect(contents(edited, as: PagePair.self, in: fork) == expected)
      #expect(edited.element(index, as: PagePair.self, in: fork) == expected[index])
      // The root, and a page with a slip or the leaf.
      #expect(fork.statistics.inUseCount == 2 && fork.statistics.garbageCount == 0)
      #expect(fork.statistics.freeCount == (step < 4 ? 0 : 1))
    }
    #expect(contents(array, as: PagePair.self, in: space) == model)
  }

  @Test func `fifteen lie on a page`() {
    let (space, array, model) = pairs(64 * 40)
    let fork = PageSpace(over: space.pin())
    var (edited, expected) = (array, model)
    for leaf in 0..<40 {
      expected[64 * leaf + leaf] = PagePair(9, UInt64(leaf))
      edited.setApart(64 * leaf + leaf, to: PagePair(9, UInt64(leaf)), in: fork)
      #expect(fork.statistics.inUseCount == 1 + leaf / 15 + 1)
    }
    #expect(contents(edited, as: PagePair.self, in: fork) == expected)
    edited.removeAll(in: fork)
    #expect(fork.statistics.inUseCount == 0)
  }

  @Test func `a slip that a pin sees is replaced by another`() {
    let (space, array, model) = pairs(64)
    let fork = PageSpace(over: space.pin())
    var moments: [(pin: PagePin, array: PageArray, model: [PagePair])] = []
    var (edited, expected) = (array, model)
    for step in 0..<3 {
      moments.append((fork.pin(), edited, expected))
      expected[10 * step] = PagePair(1, UInt64(step))
      edited.setApart(10 * step, to: expected[10 * step], in: fork)
      #expect(fork.statistics.inUseCount == 1 && fork.statistics.garbageCount == step)
    }
    for moment in moments {
      #expect(contents(moment.array, as: PagePair.self, in: fork) == moment.model)
    }
    moments = []
    #expect(fork.statistics.inUseCount == 1 && fork.statistics.garbageCount == 0)
    #expect(contents(edited, as: PagePair.self, in: fork) == expected)
  }

  @Test func `a page is given up when the last of its slips is, be it the first that was begun`() {
    let (space, array, model) = pairs(64 * 4)
    let fork = PageSpace(over: space.pin())
    var (edited, expected) = (array, model)
    for leaf in 0..<4 { edited.setApart(64 * leaf, to: PagePair(5, 5), in: fork) }
    // A copy of a leaf takes the place of its slip.
    for (count, leaf) in [3, 1, 0, 2].enumerated() {
      edited.set(64 * leaf + 1, to: PagePair(6, 6), in: fork)
      #expect(fork.statistics.inUseCount == 1 + (count < 3 ? 1 : 0) + count + 1)
    }
    edited.setApart(64, to: PagePair(7, 7), in: fork)
    for leaf in 0..<4 {
      expected[64 * leaf] = leaf == 1 ? PagePair(7, 7) : PagePair(5, 5)
      expected[64 * leaf + 1] = PagePair(6, 6)
    }
    #expect(contents(edited, as: PagePair.self, in: fork) == expected)
  }

  @Test func `pages of the space itself, and those of none, have no slips`() {
    let space: PageSpace
    var (array, model): (PageArray, [PagePair])
    (space, array, model) = pairs(130)
    let pin = space.pin()
    array.setApart(129, to: PagePair(1, 1), in: space)
    model[129] = PagePair(1, 1)
    #expect(contents(array, as: PagePair.self, in: space) == model)
    #expect(space.statistics.garbageCount == 2)
    withExtendedLifetime(pin) {}

    let fork = PageSpace(over: space.pin())
    var vacant = PageArray(elementByteCount: 16)
    vacant.grow(to: 64, in: fork)
    vacant.setApart(3, to: PagePair(2, 2), in: fork)
    #expect(vacant.element(3, as: PagePair.self, in: fork) == PagePair(2, 2))
    #expect(vacant.element(4, as: PagePair.self, in: fork) == .zero)
  }

  @Test func `a slip that was freed twice is refused, while others on its page are in use`() async {
    await #expect(processExitsWith: .failure) {
      let (space, array, _) = pairs(64)
      let fork = PageSpace(over: space.pin())
      var (edited, other) = (array, array)
      edited.setApart(1, to: PagePair(1, 1), in: fork)
      other.setApart(2, to: PagePair(2, 2), in: fork)
      var same = edited
      edited.removeAll(in: fork)
      same.removeAll(in: fork)
    }
  }

  /// With few leaves slips fill up and give way to copies; with many there are mostly slips.
  @Test(arguments: 0..<UInt64(FaultRow.count(24, full: 240)))
  func `each pin reads what it read, and what differs is found`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let (space, base, baseModel) = pairs(seed % 3 == 0 ? 150 : seed % 3 == 1 ? 2000 : 20_000)
    let fork = PageSpace(over: space.pin())
    var moments: [(pin: PagePin, array: PageArray, model: [PagePair])] = []
    var (array, model) = (base, baseModel)
    func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }
    for _ in 0..<200 {
      switch below(12) {
      case 0, 1: moments.append((fork.pin(), array, model))
      case 2 where moments.count > 3:
        let moment = moments.remove(at: below(moments.count))
        #expect(contents(moment.array, as: PagePair.self, in: fork) == moment.model)
      case 3:
        for _ in 0..<below(70) where !model.isEmpty {
          array.removeLast(in: fork)
          model.removeLast()
        }
      case 4:
        for _ in 0..<below(70) {
          model.append(PagePair(generator.next(), 1))
          array.append(model[model.count - 1], in: fork)
        }
      case 5 where !model.isEmpty:
        let index = below(model.count)
        model[index] = PagePair(generator.next(), 2)
        array.set(index, to: model[index], in: fork)
      default:
        for _ in 0..<below(30) where !model.isEmpty {
          let index = below(model.count)
          model[index] = PagePair(generator.next(), 3)
          array.setApart(index, to: model[index], in: fork)
        }
      }
    }
    #expect(contents(array, as: PagePair.self, in: fork) == model)
    for moment in moments {
      #expect(contents(moment.array, as: PagePair.self, in: fork) == moment.model)
      expectDifferences(array, model, moment.array, moment.model, in: fork, fork)
    }
    expectDifferences(array, model, base, baseModel, in: fork, space)
    expectDifferences(base, baseModel, array, model, in: space, fork)
    moments = []
    #expect(fork.statistics.garbageCount == 0)
    let own = reachable([array], in: fork).filter { $0.rawValue >> 31 == 1 }
    #expect(fork.statistics.inUseCount == own.count)
    array.removeAll(in: fork)
    #expect(fork.statistics.inUseCount == 0)
    #expect(contents(base, as: PagePair.self, in: space) == baseModel)
  }

  private func expectDifferences(
    _ array: PageArray, _ model: [PagePair], _ other: PageArray, _ otherModel: [PagePair],
    in space: PageSpace, _ otherSpace: PageSpace
  ) {
    func element(_ model: [PagePair], _ index: Int) -> PagePair {
      index < model.count ? model[index] : .zero
    }
    var found: [Int] = []
    var isRight = true
    array.forEachDifference(as: PagePair.self, in: space, from: other, in: otherSpace) {
      found.append($0)
      if $1 != element(model, $0) || $2 != element(otherModel, $0) { isRight = false }
    }
    let expected = (0..<max(model.count, otherModel.count)).filter {
      element(model, $0) != element(otherModel, $0)
    }
    let isSame = found == expected
    #expect(isSame && isRight, "\(found.count) differences of \(expected.count)")
  }
}

/// An array of pairs that differ from one another, and what it holds.
private func pairs(_ count: Int) -> (space: PageSpace, array: PageArray, model: [PagePair]) {
  let space = PageSpace()
  let model = (0..<count).map { PagePair(UInt64($0) &* 0x9E37_79B9, ~UInt64($0)) }
  var array = PageArray(elementByteCount: 16)
  array.append(contentsOf: model, in: space)
  return (space, array, model)
}
