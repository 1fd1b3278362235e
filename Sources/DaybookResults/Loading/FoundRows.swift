import DaybookStore

/// The rows of a state that match, in the order of their slots.
struct FoundRows {
  /// The first eight bytes of each row's key, and its slot; or, if keys are kept, the index of its own.
  private(set) var entries: [RankEntry] = []
  /// The number of each row's section; none if there are no sections.
  private(set) var numbers: [UInt32] = []
  private(set) var sections = SectionTable()
  /// What follows in the keys of all rows, if it is likely to be asked for; else of none.
  private(set) var kept = KeptKeys(KeptKeys.firstRange)

  /// After how many rows it is found out whether keys are to be kept.
  static let sampleCount = 4096

  /// - Parameter watch: Told of each piece of rows; given up, no more rows are looked at.
  /// - Complexity: O(slots)
  init(_ plan: ResultPlan, in state: FrozenState, watch: LoadWatch? = nil) {
    let rowCount = state.rowCount(of: plan.entity)
    watch?.begin(rowCount: rowCount)
    guard rowCount > 0 else { return }
    let isSectioned = plan.appendSection != nil
    // Room for all, so that nothing has to be moved. What is not written to takes no memory.
    entries.reserveCapacity(rowCount)
    if isSectioned { numbers.reserveCapacity(rowCount) }
    var buffer = RowBuffer()
    var readCount = 0
    var isKeeping: Bool?
    RowScan(state).forEachPiece(in: plan.entity) { rows in
      if let watch, watch.isGivenUp { return }
      for index in rows.indices where plan.includes(rows[index].location, in: state) {
        if isSectioned {
          buffer.removeAll()
          plan.appendSection?(rows[index].location, state, &buffer)
          numbers.append(sections.add(buffer.bytes.span.bytes))
        }
        buffer.removeAll()
        plan.appendOwn(rows[index].location, in: state, to: &buffer)
        let key = buffer.bytes.span.bytes
        if isKeeping == true {
          kept.append(key, slot: rows[index].slot)
          entries.append(RankEntry(key.orderWord, value: UInt32(entries.count)))
        } else {
          entries.append(RankEntry(key.orderWord, value: rows[index].slot))
        }
      }
      readCount += rows.count
      watch?.look(at: rows.count)
      guard isKeeping == nil, entries.count >= FoundRows.sampleCount else { return }
      let count = entries.count * rowCount / readCount
      isKeeping = areManyTied(of: count)
      if isKeeping == true {
        keepKeys(expectedCount: count, plan: plan, state: state, buffer: &buffer)
      }
    }
  }

  /// Whether an eighth or more of so many rows are likely to have a key that begins as that of another
  /// does, from what the rows are like that were found so far.
  private func areManyTied(of count: Int) -> Bool {
    guard count > 4 * entries.count else { return false }
    var sample = entries
    for (place, number) in numbers.enumerated() {
      sample[place].key = SlotHash.hash(sample[place].key, and: UInt64(number))
    }
    EntrySort.sort(&sample)
    var tiedCount = 0
    for place in sample.indices.dropFirst() where sample[place].key == sample[place - 1].key {
      tiedCount += 1
    }
    // Pairs grow in number with the square of that of the rows.
    return 8 * tiedCount * count >= sample.count * sample.count
  }

  /// Begins to keep keys, with those of the rows that were found so far.
  private mutating func keepKeys(
    expectedCount: Int, plan: ResultPlan, state: FrozenState, buffer: inout RowBuffer
  ) {
    for place in entries.indices {
      kept.append(slot: entries[place].value, plan: plan, state: state, buffer: &buffer)
      entries[place].value = UInt32(place)
    }
    kept.reserve(count: expectedCount)
  }
}

extension FrozenState {
  /// How many records of an entity there are.
  fileprivate func rowCount(of entity: Int) -> Int {
    entity < state.tables.count ? state.tables[entity].count : 0
  }
}
