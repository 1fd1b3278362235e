import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@Suite("Histories of a fork of a page space") struct PageForkHistoryBytesTests {
  @Test(arguments: 0..<UInt64(FaultRow.count(24, full: 240)))
  func `an array of a fork keeps each pinned state and reports its differences`(_ seed: UInt64) {
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
          model.append(PagePair(generator.next(), second: 1))
          array.append(model[model.count - 1], in: fork)
        }
      case 5 where !model.isEmpty:
        let index = below(model.count)
        model[index] = PagePair(generator.next(), second: 2)
        array.set(index, to: model[index], in: fork)
      default:
        for _ in 0..<below(30) where !model.isEmpty {
          let index = below(model.count)
          model[index] = PagePair(generator.next(), second: 3)
          array.set(index, to: model[index], in: fork)
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
    PageComparison(of: space, with: otherSpace).forEachDifference(
      from: other, to: array, as: PagePair.self
    ) {
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

/// Returns an array of distinct pairs and its contents.
private func pairs(_ count: Int) -> (space: PageSpace, array: PageArray, model: [PagePair]) {
  let space = PageSpace()
  let model = (0..<count).map { PagePair(UInt64($0) &* 0x9E37_79B9, second: ~UInt64($0)) }
  var array = PageArray(elementByteCount: 16)
  array.append(contentsOf: model, in: space)
  return (space, array, model)
}
