import DaybookSimulation
import DaybookStore
import Synchronization
import Testing

@Suite("Reading old pages while new ones are written") struct PageThreadTests {
  @Test(arguments: [false, true])
  func `every reader sees each moment as it was published`(_ isFork: Bool) async {
    let shelf = MomentShelf(isFork: isFork)
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<400 {
          shelf.edit()
          await Task.yield()
        }
      }
      for seed in UInt64(0)..<4 {
        group.addTask {
          var generator = SplitMix64(seed: seed)
          // The reader keeps some moments for a while, so pins are released in any order and on any
          // thread.
          var kept: [Moment] = []
          for _ in 0..<60 {
            kept.append(shelf.moment)
            let moment = kept[Int(generator.next() % UInt64(kept.count))]
            moment.expectWhole()
            if kept.count > 5 { kept.remove(at: Int(generator.next() % 6)) }
            await Task.yield()
          }
        }
      }
    }
    shelf.moment.expectWhole()
    #expect(shelf.moment.edition == 400)
    // All readers are done, so only the pin of the last moment remains.
    let statistics = shelf.space.statistics
    #expect(statistics.garbageCount == 0)
    #expect(statistics.inUseCount == shelf.moment.ownPageCount)
  }
}

/// An array and a table at one moment, and their expected contents.
private struct Moment {
  var pin: PagePin
  var array: PageArray
  var table: SlotTable
  /// The sum of the array's elements.
  var sum: UInt64
  /// The slots in the table.
  var slots: Range<UInt32>
  var edition: Int

  /// The number of its pages, except those of a fork's base.
  var ownPageCount: Int {
    reachable([array], in: pin.space).union(pages(of: table, in: pin.space))
      .count { !pin.space.isFork || $0.rawValue >> 31 == 1 }
  }

  func expectWhole() {
    var found: UInt64 = 0
    array.forEach(as: PagePair.self, in: pin.space) { found &+= $1.first &+ $1.second }
    #expect(found == sum, "edition \(edition)")
    #expect(table.count == slots.count, "edition \(edition)")
    for slot in slots.lowerBound..<slots.upperBound + 20 {
      let hash = SlotHash.hash(UInt64(slot))
      let candidate = table.find(hash: hash, in: pin.space) { $0 == slot }
      #expect(candidate == (slots.contains(slot) ? slot : nil), "edition \(edition)")
    }
  }
}

/// Publishes moments of one writer to many readers.
private final class MomentShelf: Sendable {
  let space: PageSpace
  private let published: Mutex<Moment>
  private let generator = Mutex(SplitMix64(seed: 9))

  init(isFork: Bool) {
    let base = PageSpace()
    var array = PageArray(elementByteCount: 16)
    array.append(contentsOf: repeatElement(PagePair(1, second: 0), count: 1000), in: base)
    space = isFork ? PageSpace(over: base.pin()) : base
    published = Mutex(
      Moment(
        pin: space.pin(), array: array, table: SlotTable(), sum: 1000, slots: 0..<0, edition: 0))
  }

  var moment: Moment { published.withLock { $0 } }

  /// Edits outside the lock while readers continue, and publishes the next moment.
  func edit() {
    var next = moment
    generator.withLock { generator in
      for _ in 0..<3 {
        let index = Int(generator.next() % UInt64(next.array.count))
        let (old, new) = (
          next.array.element(index, as: PagePair.self, in: space),
          PagePair(generator.next(), second: generator.next())
        )
        next.array.set(index, to: new, in: space)
        next.sum = next.sum &- old.first &- old.second &+ new.first &+ new.second
      }
    }
    for _ in 0..<3 {
      let slot = next.slots.upperBound
      next.table.insert(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
      next.slots = next.slots.lowerBound..<slot + 1
    }
    if next.slots.count > 200 {
      for slot in next.slots.prefix(50) {
        next.table.remove(slot, hash: SlotHash.hash(UInt64(slot)), in: space)
      }
      next.slots = next.slots.lowerBound + 50..<next.slots.upperBound
    }
    next.edition += 1
    next.pin = space.pin()
    let moment = next
    published.withLock { $0 = moment }
  }
}
