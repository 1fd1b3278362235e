import DaybookStore

/// Puts entries in the order of keys of any length, which are in an arena.
///
/// Keys are compared eight bytes at a time, as numbers: entries are sorted by these, and those that
/// they do not tell apart by the next eight. What keys go on sharing is passed over at once. Of two keys
/// of which one is the beginning of the other it comes first.
struct KeySort {
  private let keys: KeyArena
  /// Runs of entries whose keys share so many bytes, and are to be sorted by what follows.
  private var open: [(run: Range<Int>, offset: Int)] = []
  /// Runs of entries that have the same key, of all that were sorted.
  private(set) var equal: [Range<Int>] = []

  init(_ keys: KeyArena) { self.keys = keys }

  /// Sorts entries by the keys that their values are the indexes of; those of the same key stay in the
  /// order in which they are. What the entries have for keys themselves is written over.
  ///
  /// - Parameter scratch: Room for as many entries, to be written over.
  /// - Complexity: O(*n* and the bytes that it takes to tell the keys apart)
  mutating func sort(
    _ entries: inout MutableSpan<RankEntry>, in range: Range<Int>,
    scratch: inout MutableSpan<RankEntry>
  ) {
    // Not by recursion: keys may share any number of bytes.
    open.append((range, 0))
    while let (range, offset) = open.popLast() {
      for place in range { entries[place].key = keys.word(Int(entries[place].value), at: offset) }
      EntrySort.sort(&entries, in: range, scratch: &scratch)
      var start = range.lowerBound
      while start < range.upperBound {
        let run = start..<entries.span.endOfRun(from: start, upTo: range.upperBound)
        if run.count > 1 { goOn(&entries, in: run, from: offset + 8, scratch: &scratch) }
        start = run.upperBound
      }
    }
  }

  /// Sees to entries whose keys are the same up to an offset, with zeros for what is not there.
  private mutating func goOn(
    _ entries: inout MutableSpan<RankEntry>, in run: Range<Int>, from offset: Int,
    scratch: inout MutableSpan<RankEntry>
  ) {
    let first = Int(entries[run.lowerBound].value)
    var shared = Int.max
    for place in run {
      let key = Int(entries[place].value)
      guard keys.byteCount(key) > offset else {
        return putShortOnesFirst(&entries, in: run, upTo: offset, scratch: &scratch)
      }
      if shared > 0 {
        shared = keys.sharedByteCount(of: first, and: key, from: offset, upTo: shared)
      }
    }
    open.append((run, offset + shared))
  }

  /// Sorts entries by how long their keys are, of which some end at an offset or before. They have only
  /// zeros where others have ended, so each is the beginning of the next.
  private mutating func putShortOnesFirst(
    _ entries: inout MutableSpan<RankEntry>, in run: Range<Int>, upTo offset: Int,
    scratch: inout MutableSpan<RankEntry>
  ) {
    for place in run {
      entries[place].key = UInt64(min(keys.byteCount(Int(entries[place].value)), offset + 1))
    }
    EntrySort.sort(&entries, in: run, scratch: &scratch)
    var start = run.lowerBound
    while start < run.upperBound {
      let same = start..<entries.span.endOfRun(from: start, upTo: run.upperBound)
      start = same.upperBound
      guard same.count > 1 else { continue }
      if entries[same.lowerBound].key > offset {
        open.append((same, offset))
      } else {
        equal.append(same)
      }
    }
  }
}

extension Span<RankEntry> {
  /// Where the entries end, from a place on, that have the key of the one there.
  @inline(__always)
  func endOfRun(from start: Int, upTo limit: Int) -> Int {
    var end = start + 1
    while end < limit, self[end].key == self[start].key { end += 1 }
    return end
  }
}

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
