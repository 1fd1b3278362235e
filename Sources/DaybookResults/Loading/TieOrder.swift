import DaybookStore

/// Puts rows in order whose keys begin with the same bytes, by what follows in them.
///
/// Of each key a piece is made again, and rows that it does not tell apart go on to the next one.
struct TieOrder {
  private let plan: ResultPlan
  private let state: FrozenState

  private let watch: LoadWatch?

  /// - Parameter watch: Asked before each round; given up, what is tied stays so.
  init(_ plan: ResultPlan, in state: FrozenState, watch: LoadWatch? = nil) {
    self.plan = plan
    self.state = state
    self.watch = watch
  }

  /// - Parameters:
  ///   - ties: Runs of rows whose keys are the same up to some bytes, in the order of slots.
  ///   - range: Those bytes, to be compared first.
  ///   - scratch: Room for as many rows as the longest of them, to be written over.
  func order(
    _ rows: inout MutableSpan<RankEntry>, in ties: [Range<Int>], by range: Range<Int>,
    scratch: inout MutableSpan<RankEntry>
  ) {
    var ties = ties
    var keys = KeptKeys(range)
    while !ties.isEmpty {
      watch?.ask()
      if let watch, watch.isGivenUp { return }
      makeKeys(of: ties, in: &rows, keys: &keys)
      let open = keys.sort(&rows, in: ties, scratch: &scratch)
      for tie in ties {
        for place in tie { rows[place].value = keys.slots[Int(rows[place].value)] }
      }
      ties = open
      keys = KeptKeys(keys.nextRange)
    }
  }

  /// Makes keys of rows that are tied, and gives the rows their indexes for values.
  private func makeKeys(
    of ties: [Range<Int>], in rows: inout MutableSpan<RankEntry>, keys: inout KeptKeys
  ) {
    // In the order of slots, as rows that were made one after the other stand beside each other.
    var tied: [RankEntry] = []
    tied.reserveCapacity(ties.reduce(0) { $0 + $1.count })
    for tie in ties {
      for place in tie { tied.append(RankEntry(UInt64(rows[place].value), value: UInt32(place))) }
    }
    EntrySort.sort(&tied)
    keys.reserve(count: tied.count)
    var buffer = RowBuffer()
    for entry in tied {
      rows[Int(entry.value)].value = UInt32(keys.count)
      keys.append(slot: UInt32(entry.key), plan: plan, state: state, buffer: &buffer)
    }
  }
}
