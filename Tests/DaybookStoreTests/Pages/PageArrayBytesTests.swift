import DaybookSimulation
import TestSupport
import Testing

@testable import DaybookStore

@Suite("An array in pages") struct PageArrayBytesTests {
  @Test(arguments: [0, 1, 255, 256, 257, 65_535, 65_536, 65_537, 70_000])
  func `a paged array contains the elements appended singly or together`(_ count: Int) {
    let space = PageSpace()
    let model = (0..<count).map { UInt32(truncatingIfNeeded: $0 &* 2_654_435_761) }
    var one = PageArray(elementByteCount: 4)
    for element in model { one.append(element, in: space) }
    var other = PageArray(elementByteCount: 4)
    other.append(contentsOf: model[..<(count / 3)], in: space)
    other.append(contentsOf: model[(count / 3)...], in: space)
    #expect(contents(one, as: UInt32.self, in: space) == model)
    #expect(contents(other, as: UInt32.self, in: space) == model)
    for index in stride(from: 0, to: count, by: 97) {
      #expect(one.element(index, as: UInt32.self, in: space) == model[index])
    }
  }

  @Test func `an unset element of a paged array is zero and has no page`() {
    let space = PageSpace()
    var array = PageArray(elementByteCount: 16)
    array.grow(to: 3_000_000, in: space)
    #expect(array.element(2_999_999, as: PagePair.self, in: space) == .zero)
    #expect(space.statistics.inUseCount == 0)
    array.set(1_234_567, to: PagePair(1, second: 2), in: space)
    #expect(array.element(1_234_567, as: PagePair.self, in: space) == PagePair(1, second: 2))
    #expect(array.element(1_234_566, as: PagePair.self, in: space) == .zero)
    #expect(space.statistics.inUseCount == 3)
  }

  @Test func `an emptied paged array has no pages`() {
    for count in [1, 64, 65, 16_384, 16_385, 20_000] {
      let space = PageSpace()
      var array = PageArray(elementByteCount: 16)
      array.append(contentsOf: (0..<count).map { PagePair(UInt64($0), second: 1) }, in: space)
      while array.count > 0 { array.removeLast(in: space) }
      #expect(space.statistics.inUseCount == 0, "\(count) elements")
      array.grow(to: count, in: space)
      #expect(array.element(count - 1, as: PagePair.self, in: space) == .zero)
      array.append(PagePair(3, second: 4), in: space)
      array.removeAll(in: space)
      #expect(space.statistics.inUseCount == 0)
    }
  }

  @Test(arguments: [4, 8, 16])
  func `gathering elements returns the elements that single reads return`(_ width: Int) {
    var generator = SplitMix64(seed: UInt64(width))
    func check<Element: PageElement & Equatable>(_ make: (UInt64) -> Element) {
      for count in [1, 63, 64, 65, 1_000, 20_000] {
        let space = PageSpace()
        var array = PageArray(elementByteCount: width)
        array.append(contentsOf: (0..<count).map { _ in make(generator.next()) }, in: space)
        // Some leaves have no page and read as zeros.
        array.grow(to: count + 3_000, in: space)
        // Fewer elements than leaves, and more.
        for gatheredCount in [0, 1, 2, count, 3 * count] {
          let indexes = (0..<gatheredCount).map { _ in
            UInt32.random(in: 0..<UInt32(count + 3_000), using: &generator)
          }
          let expected = indexes.map { array.element(Int($0), as: Element.self, in: space) }
          #expect(array.elements(at: indexes, as: Element.self, in: space) == expected)
          let pairs = array.elements(at: indexes, as: Element.self, in: space) { ($0, 1) }
          #expect(pairs.map(\.0) == expected)
        }
      }
    }
    switch width {
    case 4: check { UInt32(truncatingIfNeeded: $0) }
    case 8: check { $0 }
    default: check { PagePair($0, second: ~$0) }
    }
  }

  @Test func `gathering an index beyond the end traps`() async {
    await #expect(processExitsWith: .failure) {
      let space = PageSpace()
      var array = PageArray(elementByteCount: 8)
      array.append(contentsOf: (0..<130).map { UInt64($0) }, in: space)
      // An index in the last leaf, which has space for it.
      _ = array.elements(at: [1, 2, 130, 3], as: UInt64.self, in: space)
    }
    await #expect(processExitsWith: .failure) {
      let space = PageSpace()
      var array = PageArray(elementByteCount: 8)
      array.append(contentsOf: (0..<130).map { UInt64($0) }, in: space)
      _ = array.elements(at: [1, 2, .max, 3], as: UInt64.self, in: space)
    }
  }

  @Test func `reading an element beyond the end traps`() async {
    await #expect(processExitsWith: .failure) {
      let array = PageArray(elementByteCount: 4)
      _ = array.element(0, as: UInt32.self, in: PageSpace())
    }
  }

  @Test func `appending an element of another width traps`() async {
    await #expect(processExitsWith: .failure) {
      var array = PageArray(elementByteCount: 4)
      array.append(UInt64(0), in: PageSpace())
    }
  }

  @Test(arguments: UInt64(0)..<12)
  func `each pin of a paged array keeps its state`(_ seed: UInt64) {
    switch seed % 3 {
    case 0: expectPinsHold(seed, UInt32.self) { UInt32(truncatingIfNeeded: $0) }
    case 1: expectPinsHold(seed, UInt64.self) { $0 }
    default: expectPinsHold(seed, PagePair.self) { PagePair($0, second: ~$0) }
    }
  }

  private func expectPinsHold<Element: PageElement>(
    _ seed: UInt64, _ type: Element.Type, _ make: @escaping (UInt64) -> Element
  ) {
    var history = ArrayHistory(seed: seed, type, make)
    history.run()
  }
}

func contents<Element: PageElement>(
  _ array: PageArray, as type: Element.Type, in space: PageSpace
) -> [Element] {
  var elements: [Element] = []
  elements.reserveCapacity(array.count)
  array.forEach(as: type, in: space) { elements.append($1) }
  return elements
}

/// A random history of an array beside a model: edits, pins taken and released, forks.
private struct ArrayHistory<Element: PageElement> {
  struct Moment {
    var pin: PagePin
    var array: PageArray
    var model: [Element]
  }

  var generator: SplitMix64
  let make: (UInt64) -> Element
  let space = PageSpace()
  var array = PageArray(elementByteCount: MemoryLayout<Element>.size)
  var model: [Element] = []
  var moments: [Moment] = []

  init(seed: UInt64, _ type: Element.Type, _ make: @escaping (UInt64) -> Element) {
    generator = SplitMix64(seed: seed)
    self.make = make
  }

  mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  mutating func run() {
    for _ in 0..<300 {
      switch below(10) {
      case 0, 1: moments.append(Moment(pin: space.pin(), array: array, model: model))
      case 2 where !moments.isEmpty:
        let moment = moments.remove(at: below(moments.count))
        #expect(contents(moment.array, as: Element.self, in: space) == moment.model)
      case 3 where !moments.isEmpty: fork(moments[below(moments.count)])
      default:
        var (edited, editedModel) = (array, model)
        edit(&edited, &editedModel, in: space)
        (array, model) = (edited, editedModel)
      }
    }
    #expect(contents(array, as: Element.self, in: space) == model)
    for moment in moments {
      #expect(contents(moment.array, as: Element.self, in: space) == moment.model)
    }
    let kept = reachable(moments.map(\.array) + [array], in: space).count
    #expect(space.statistics.inUseCount + space.statistics.garbageCount == kept)
    moments = []
    #expect(space.statistics.inUseCount == reachable([array], in: space).count)
    #expect(space.statistics.garbageCount == 0)
  }

  mutating func edit(_ array: inout PageArray, _ model: inout [Element], in space: PageSpace) {
    switch below(8) {
    case 0:
      let more = (0..<below(600)).map { _ in make(generator.next()) }
      array.append(contentsOf: more, in: space)
      model += more
    case 1:
      let count = model.count + below(300)
      array.grow(to: count, in: space)
      while model.count < count { model.append(.zero) }
    case 2:
      for _ in 0..<min(model.count, below(500)) {
        array.removeLast(in: space)
        model.removeLast()
      }
    case 3 where below(20) == 0:
      array.removeAll(in: space)
      model = []
    case 4, 5:
      let element = make(generator.next())
      array.append(element, in: space)
      model.append(element)
    default:
      guard !model.isEmpty else { return }
      let index = below(model.count)
      let element = make(generator.next())
      array.set(index, to: element, in: space)
      model[index] = element
    }
  }

  mutating func fork(_ moment: Moment) {
    let fork = PageSpace(over: moment.pin)
    var array = moment.array
    var model = moment.model
    for _ in 0..<5 {
      let (old, oldModel, pin) = (array, model, fork.pin())
      edit(&array, &model, in: fork)
      #expect(contents(old, as: Element.self, in: fork) == oldModel)
      withExtendedLifetime(pin) {}
    }
    #expect(contents(array, as: Element.self, in: fork) == model)
    let own = reachable([array], in: fork).filter { $0.rawValue >> 31 == 1 }
    #expect(fork.statistics.inUseCount == own.count)
    #expect(contents(moment.array, as: Element.self, in: space) == moment.model)
  }
}

extension PageArrayBytesTests {
  @Test(arguments: 0..<UInt64(FaultRow.count(8, full: 80)))
  func `comparing two moments of a paged array finds all differences`(_ seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let space = PageSpace()
    var array = PageArray(elementByteCount: 4)
    var moments: [(array: PageArray, pin: PagePin, list: [UInt32])] = []
    var list: [UInt32] = []
    for count in [0, 3, 300, 40_000, 70_000, 70_000] {
      while list.count < count {
        let element = UInt32(truncatingIfNeeded: generator.next() >> 40)
        array.append(element, in: space)
        list.append(element)
      }
      for _ in 0..<min(20, count) {
        let index = Int(generator.next() % UInt64(count))
        list[index] = UInt32(generator.next() % 3)
        array.set(index, to: list[index], in: space)
      }
      moments.append((array, space.pin(), list))
    }
    for one in moments {
      for other in moments {
        var found: [Int] = []
        PageComparison(of: space, with: space).forEachDifference(
          from: other.array, to: one.array, as: UInt32.self
        ) {
          index, element, otherElement in
          found.append(index)
          if element != (index < one.list.count ? one.list[index] : 0) { found.append(-1) }
          if otherElement != (index < other.list.count ? other.list[index] : 0) { found.append(-2) }
        }
        let expected = (0..<max(one.list.count, other.list.count)).filter {
          ($0 < one.list.count ? one.list[$0] : 0) != ($0 < other.list.count ? other.list[$0] : 0)
        }
        let isSame = found == expected
        #expect(isSame, "\(one.list.count) and \(other.list.count)")
      }
    }
  }
}
