import DaybookStore

/// All matching rows of a state, in order, and their sections.
///
/// A projection is created from this value. Each row has an entry: the first eight bytes of its own
/// key, and its slot. The load works in three steps:
///
/// 1. Read all rows of the entity, and keep an entry for each matching row (``FoundRows``).
/// 2. Distribute the entries to their sections, and sort each section by the eight bytes
///    (``EntrySort``).
/// 3. Sort the rows with equal eight bytes by the rest of their keys (``TieOrder``).
struct ResultLoad {
  private(set) var rows: [RankEntry]
  private(set) var sections: [RankEntry] = []

  var entries: ListEntries { ListEntries(rows: RankEntries(rows), sections: RankEntries(sections)) }

  /// - Parameters:
  ///   - source: The rows to load. If it has a limit, no more rows than that are kept.
  ///   - watch: An observer that can cancel the load. The rows are then incomplete or unsorted.
  /// - Complexity: O(*n*), and the number of bytes needed to distinguish the keys
  init(
    _ plan: ResultPlan, in state: FrozenState, from source: RowSource = RowSource(),
    watch: LoadWatch? = nil
  ) {
    let storedKeys: StoredKeys
    let ranges: [Range<Int>]
    do {
      let found = FoundRows(plan, in: state, from: source, watch: watch)
      if let watch, watch.isCancelled {
        rows = []
        return
      }
      storedKeys = found.storedKeys
      if plan.appendSection == nil {
        rows = found.entries
        ranges = [rows.indices]
      } else {
        let order = found.sections.inOrder()
        sections = order.map {
          RankEntry(found.sections.prefix($0), value: found.sections.rowCounts[$0])
        }
        (rows, ranges) = ResultLoad.deal(found, to: order)
      }
    }
    sort(ranges, with: storedKeys, by: TieOrder(plan, in: state, watch: watch))
    if let limit = source.limit, plan.appendSection == nil, rows.count > limit {
      rows.removeLast(rows.count - limit)
    }
  }

  /// Returns the rows distributed to the sections in their order, and the range of each section's
  /// rows.
  private static func deal(
    _ found: FoundRows, to order: [Int]
  ) -> (rows: [RankEntry], ranges: [Range<Int>]) {
    var nextIndexes = [Int](repeating: 0, count: order.count)
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(order.count)
    var start = 0
    for number in order {
      let end = start + Int(found.sections.rowCounts[number])
      nextIndexes[number] = start
      ranges.append(start..<end)
      start = end
    }
    guard start > 0 else { return ([], ranges) }
    let rows = [RankEntry](unsafeUninitializedCapacity: start) { rows, count in
      for (index, number) in found.numbers.enumerated() {
        rows.initializeElement(at: nextIndexes[Int(number)], to: found.entries[index])
        nextIndexes[Int(number)] += 1
      }
      count = start
    }
    return (rows, ranges)
  }

  /// Sorts the rows of each range. If the load has stored complete keys in memory, the value of an
  /// entry is the index of its stored key. The method replaces these indexes with the slots of the
  /// rows.
  private mutating func sort(
    _ ranges: [Range<Int>], with storedKeys: StoredKeys, by tieOrder: TieOrder
  ) {
    let longest = ranges.reduce(0) { max($0, $1.count) }
    var room = [RankEntry](repeating: RankEntry(0, value: 0), count: longest)
    var ties: [Range<Int>] = []
    var entries = rows.mutableSpan
    var scratch = room.mutableSpan
    for range in ranges {
      EntrySort.sort(&entries, in: range, scratch: &scratch)
      var start = range.lowerBound
      while start < range.upperBound {
        let end = entries.span.endOfRun(from: start, upTo: range.upperBound)
        if end - start > 1 { ties.append(start..<end) }
        start = end
      }
    }
    var range = storedKeys.range
    if storedKeys.count > 0 {
      ties = storedKeys.sort(&entries, in: ties, scratch: &scratch)
      for index in entries.indices {
        entries[index].value = storedKeys.slots[Int(entries[index].value)]
      }
      range = storedKeys.nextRange
    }
    tieOrder.order(&entries, in: ties, by: range, scratch: &scratch)
  }
}
