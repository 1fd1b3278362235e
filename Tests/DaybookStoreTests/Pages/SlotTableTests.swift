import DaybookSimulation
import DaybookStore
import TestSupport
import Testing

@Suite struct `A table of slots in pages` {
  @Test func `a slot table finds the inserted slots and no others`() {
    let space = PageSpace()
    var table = SlotTable()
    #expect(table.find(hash: 0, in: space) { _ in true } == nil)
    for slot in UInt32(0)..<5000 {
      table.insert(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
    }
    table.checkInvariants(in: space)
    #expect(table.count == 5000)
    for slot in UInt32(0)..<10_000 {
      let found = table.find(hash: SlotHash.hash(UInt64(slot)), in: space) { $0 == slot }
      #expect(found == (slot < 5000 ? slot : nil))
    }
    #expect(space.statistics.inUseCount == pages(of: table, in: space).count)
  }

  @Test func `a slot table has few false candidates`() {
    let space = PageSpace()
    var table = SlotTable()
    for slot in UInt32(0)..<20_000 {
      table.insert(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
    }
    var candidateCount = 0
    for key in UInt64(1_000_000)..<1_020_000 {
      _ = table.find(hash: SlotHash.hash(key), in: space) { _ in
        candidateCount += 1
        return false
      }
    }
    // 20,000 searches among 20,000 tags of 32 bits have an expected tenth of a candidate.
    #expect(candidateCount <= 3)
  }

  @Test func `a slot table emptied and filled again has as many pages as before`() {
    let space = PageSpace()
    var table = SlotTable()
    var counts: Set<Int> = []
    for round in 0..<4 {
      for slot in UInt32(0)..<6000 {
        table.insert(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
      }
      counts.insert(space.statistics.inUseCount)
      for slot in UInt32(0)..<6000 {
        let slot = round % 2 == 0 ? slot : 5999 - slot
        expectRemoved(true, &table, slot, hash: SlotHash.hash(UInt64(slot)), in: space)
      }
      #expect(table.count == 0)
      #expect(space.statistics.inUseCount == 0)
    }
    #expect(counts.count == 1)
  }

  @Test func `an insertion or removal in a slot table copies few pages`() {
    let space = PageSpace()
    var table = SlotTable()
    var worst = 0
    for step in UInt32(0)..<8000 {
      let isInserted = step < 4000
      let slot = isInserted ? step : step - 4000
      let before = space.statistics.inUseCount
      let pin = space.pin()
      if isInserted {
        table.insert(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
      } else {
        table.remove(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
      }
      let after = space.statistics
      worst = max(worst, after.garbageCount, after.garbageCount + after.inUseCount - before)
      withExtendedLifetime(pin) {}
    }
    // The tree of buckets has one page, and two buckets of two pages have four.
    #expect(worst > 2 && worst <= 7, "\(worst) pages")
  }

  @Test func `a slot table keeps few pages after most slots are removed`() {
    let space = PageSpace()
    var table = SlotTable()
    for slot in UInt32(0)..<20_000 {
      table.insert(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
    }
    for slot in UInt32(200)..<20_000 {
      table.remove(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
    }
    table.checkInvariants(in: space)
    #expect(table.count == 200)
    #expect(space.statistics.inUseCount <= 12)
    for slot in UInt32(0)..<400 {
      let found = table.find(hash: SlotHash.hash(UInt64(slot)), in: space) { $0 == slot }
      #expect(found == (slot < 200 ? slot : nil))
    }
  }

  @Test func `removing a missing slot has no effect`() {
    let space = PageSpace()
    var table = SlotTable()
    expectRemoved(false, &table, 1, hash: 1, in: space)
    table.insert(1, hash: 1, in: space)
    expectRemoved(false, &table, 2, hash: 1, in: space)
    expectRemoved(false, &table, 1, hash: 2, in: space)
    expectRemoved(true, &table, 1, hash: 1, in: space)
    expectRemoved(false, &table, 1, hash: 1, in: space)
  }

  @Test func `inserting the reserved slot number traps`() async {
    await #expect(processExitsWith: .failure) {
      var table = SlotTable()
      table.insert(.max, hash: 0, in: PageSpace())
    }
  }

  @Test(arguments: HashKind.allCases)
  func `a slot table built at once finds the same slots as one filled singly`(_ kind: HashKind) {
    let counts =
      kind == .equal ? [0, 1, 127, 128, 400] : [0, 1, 76, 77, 152, 153, 9728, 9729, 30_000]
    // A debug build tests only sizes up to the second doubling of the table.
    for count in counts where FaultRow.Scale.current != .small || count < 20_000 {
      let (space, other) = (PageSpace(), PageSpace())
      var (table, filled) = (SlotTable(), SlotTable())
      let isWithoutDuplicates = table.build(slotCount: count, in: space) { body in
        for slot in 0..<UInt32(count) { body(slot, kind.hash(slot)) }
      } isSame: { one, other in
        one == other
      }
      #expect(isWithoutDuplicates)
      for slot in 0..<UInt32(count) { filled.insert(slot, hash: kind.hash(slot), in: other) }
      table.checkInvariants(in: space)
      #expect(table.count == count && table.bucketCount == filled.bucketCount)
      #expect(pages(of: table, in: space).count == pages(of: filled, in: other).count)
      #expect(space.statistics.inUseCount == pages(of: table, in: space).count)
      let wrong = (0..<UInt32(count) + 50).first { slot in
        table.find(hash: kind.hash(slot), in: space) { $0 == slot }
          != filled.find(hash: kind.hash(slot), in: other) { $0 == slot }
      }
      #expect(wrong == nil, "\(count) entries")
      // The built table accepts further insertions.
      let next = UInt32(count)
      table.insert(next, hash: kind.hash(next), in: space)
      table.checkInvariants(in: space)
      expectRemoved(true, &table, next, hash: kind.hash(next), in: space)
    }
  }

  @Test(arguments: HashKind.allCases)
  func `consecutive slots inserted together have the same positions as single ones`(
    _ kind: HashKind
  ) {
    var generator = SplitMix64(seed: 7)
    let (space, other) = (PageSpace(), PageSpace())
    var (table, filled) = (SlotTable(), SlotTable())
    var pins: [(PagePin, SlotTable)] = []
    let end = UInt32(kind == .equal ? 400 : 8000)
    while table.count < Int(end) {
      let first = UInt32(table.count)
      let slots = first..<min(end, first + UInt32(generator.next() % 300))
      if generator.next() % 2 == 0 { pins.append((space.pin(), table)) }
      table.insert(slots, in: space) { kind.hash($0) }
      for slot in slots { filled.insert(slot, hash: kind.hash(slot), in: other) }
      table.checkInvariants(in: space)
      let (ours, theirs) = (slotsInOrder(table, in: space), slotsInOrder(filled, in: other))
      #expect(ours == theirs && table.count == filled.count, "\(slots)")
    }
    for (_, pinned) in pins {
      #expect(slotsInOrder(pinned, in: space).sorted() == Array(0..<UInt32(pinned.count)))
    }
  }

  /// Returns the slots in the order of their positions on the pages.
  private func slotsInOrder(_ table: SlotTable, in space: PageSpace) -> [UInt32] {
    var slots: [UInt32] = []
    table.forEachSlot(in: space) { slots.append($0) }
    return slots
  }

  @Test(arguments: HashKind.allCases)
  func `building a slot table detects two slots with equal keys`(_ kind: HashKind) {
    for twin in [UInt32(1), 126, 127, 128, 299] {
      var table = SlotTable()
      let isWithoutDuplicates = table.build(slotCount: 300, in: PageSpace()) { body in
        for slot in 0..<UInt32(300) { body(slot, kind.hash(slot == twin ? 0 : slot)) }
      } isSame: { one, other in
        [one, other].sorted() == [0, twin]
      }
      #expect(!isWithoutDuplicates, "\(twin)")
    }
  }

  @Test(arguments: HashKind.allCases, 0..<3)
  func `each pin of a slot table keeps its state`(_ kind: HashKind, _ seed: Int) {
    var history = TableHistory(seed: UInt64(seed), kind)
    history.run()
  }
}

@Suite struct `Hashes of keys` {
  @Test func `hashes of keys are the same in every release`() {
    #expect(SlotHash.hash(0) == 0)
    #expect(SlotHash.hash(1) == 0x5692_161D_100B_05E5)
    #expect(SlotHash.hash(near: 9) == 0x5692_161D_100B_05E1)
    #expect(SlotHash.hash(0, and: 0) != 0)
    #expect(SlotHash.hash(1, and: 2) != SlotHash.hash(2, and: 1))
  }

  @Test func `hashes of near integers share few pages and spread evenly`() {
    let (space, other) = (PageSpace(), PageSpace())
    var (table, mixed) = (SlotTable(), SlotTable())
    for slot in UInt32(0)..<50_000 {
      table.insert(slot, hash: SlotHash.hash(near: UInt64(slot)), in: space)
      mixed.insert(slot, hash: SlotHash.hash(UInt64(slot)), in: other)
    }
    let (count, mixedCount) = (pages(of: table, in: space).count, pages(of: mixed, in: other).count)
    #expect(count < mixedCount * 9 / 8, "\(count) pages against \(mixedCount)")
    // A thousand more slots copy one page per eight slots, and the pages of split buckets.
    let pin = space.pin()
    let before = pages(of: table, in: space)
    for slot in UInt32(50_000)..<51_000 {
      table.insert(slot, hash: SlotHash.hash(near: UInt64(slot)), in: space)
    }
    let copied = pages(of: table, in: space).subtracting(before).count
    #expect(copied < 1000 / 8 + 1000 / 76 * 6, "\(copied) pages were copied")
    withExtendedLifetime(pin) {}
  }

  @Test func `each bit of a key changes about half of the hash bits`() {
    var generator = SplitMix64(seed: 11)
    for bit in 0..<64 {
      var changed = [0, 0, 0]
      for _ in 0..<200 {
        let (first, second) = (generator.next(), generator.next())
        let flipped = first ^ 1 << UInt64(bit)
        changed[0] += (SlotHash.hash(first) ^ SlotHash.hash(flipped)).nonzeroBitCount
        changed[1] +=
          (SlotHash.hash(first, and: second) ^ SlotHash.hash(flipped, and: second)).nonzeroBitCount
        changed[2] +=
          (SlotHash.hash(second, and: first) ^ SlotHash.hash(second, and: flipped)).nonzeroBitCount
      }
      for count in changed { #expect((5800...7000).contains(count), "bit \(bit): \(count)") }
    }
  }
}

/// The distribution of a history's hashes.
enum HashKind: CaseIterable {
  /// Well mixed hashes.
  case mixed
  /// Hashes of integers, in which some consecutive numbers share a bucket.
  case near
  /// The number itself.
  case sequential
  /// Only the highest bits differ.
  case high
  /// Sixteen different hashes.
  case few
  /// One hash for all.
  case equal

  func hash(_ slot: UInt32) -> UInt64 {
    switch self {
    case .mixed: SlotHash.hash(UInt64(slot))
    case .near: SlotHash.hash(near: UInt64(slot))
    case .sequential: UInt64(slot)
    case .high: UInt64(slot) << 48
    case .few: UInt64(slot % 16)
    case .equal: 0x0123_4567_89AB_CDEF
    }
  }
}

private func expectRemoved(
  _ exists: Bool, _ table: inout SlotTable, _ slot: UInt32, hash: UInt64, in space: PageSpace
) {
  let isRemoved = table.remove(slot, hash: hash, in: space)
  #expect(isRemoved == exists, "slot \(slot)")
}

/// A random history of a table, beside a model.
private struct TableHistory {
  struct Moment {
    var pin: PagePin
    var table: SlotTable
    var model: Set<UInt32>
  }

  var generator: SplitMix64
  let kind: HashKind
  let space = PageSpace()
  var table = SlotTable()
  var model: Set<UInt32> = []
  var moments: [Moment] = []

  init(seed: UInt64, _ kind: HashKind) {
    generator = SplitMix64(seed: seed)
    self.kind = kind
  }

  mutating func below(_ bound: Int) -> Int { Int(generator.next() % UInt64(bound)) }

  mutating func run() {
    for step in 0..<60 {
      switch below(8) {
      case 0, 1: moments.append(Moment(pin: space.pin(), table: table, model: model))
      case 2 where !moments.isEmpty:
        let moment = moments.remove(at: below(moments.count))
        expect(moment.table, moment.model, in: space)
      case 3 where !moments.isEmpty: fork(moments[below(moments.count)])
      default:
        var (edited, editedModel) = (table, model)
        edit(&edited, &editedModel, isShrinking: step > 40, in: space)
        (table, model) = (edited, editedModel)
      }
    }
    expect(table, model, in: space)
    for moment in moments { expect(moment.table, moment.model, in: space) }
    var kept = pages(of: table, in: space)
    for moment in moments { kept.formUnion(pages(of: moment.table, in: space)) }
    let statistics = space.statistics
    #expect(statistics.inUseCount + statistics.garbageCount == kept.count)
    moments = []
    #expect(space.statistics.inUseCount == pages(of: table, in: space).count)
    #expect(space.statistics.garbageCount == 0)
  }

  mutating func edit(
    _ table: inout SlotTable, _ model: inout Set<UInt32>, isShrinking: Bool, in space: PageSpace
  ) {
    for _ in 0..<below(120) {
      let slot = UInt32(below(4000))
      let exists = model.contains(slot)
      if exists {
        expectRemoved(true, &table, slot, hash: kind.hash(slot), in: space)
        model.remove(slot)
      } else if !isShrinking {
        table.insert(slot, hash: kind.hash(slot), in: space)
        model.insert(slot)
      }
    }
    guard isShrinking else { return }
    for slot in model.sorted().prefix(below(150)) {
      expectRemoved(true, &table, slot, hash: kind.hash(slot), in: space)
      model.remove(slot)
    }
  }

  mutating func fork(_ moment: Moment) {
    let fork = PageSpace(over: moment.pin)
    var (table, model) = (moment.table, moment.model)
    edit(&table, &model, isShrinking: false, in: fork)
    let (old, oldModel, pin) = (table, model, fork.pin())
    edit(&table, &model, isShrinking: true, in: fork)
    expect(old, oldModel, in: fork)
    expect(table, model, in: fork)
    withExtendedLifetime(pin) {}
    let own = pages(of: table, in: fork).filter { $0.rawValue >> 31 == 1 }
    #expect(fork.statistics.inUseCount == own.count)
    expect(moment.table, moment.model, in: space)
  }

  mutating func expect(_ table: SlotTable, _ model: Set<UInt32>, in space: PageSpace) {
    table.checkInvariants(in: space)
    var slots: [UInt32] = []
    table.forEachSlot(in: space) { slots.append($0) }
    #expect(table.count == model.count)
    #expect(slots.sorted() == model.sorted())
    for _ in 0..<20 {
      let slot = UInt32(below(4000))
      let found = table.find(hash: kind.hash(slot), in: space) { $0 == slot }
      #expect(found == (model.contains(slot) ? slot : nil))
    }
  }
}
