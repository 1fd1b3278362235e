import DaybookStore

/// A sort of entries by keys of any length, which are stored in an arena.
///
/// The entries are sorted by the first eight bytes of their keys, as numbers. Runs of entries with
/// equal numbers are sorted by the next eight bytes, and so on. Bytes that all keys of a run share
/// are skipped in one step. A key that is a prefix of a longer key is first.
struct KeySort {
  private let keys: KeyArena
  /// The runs that are not sorted yet. The keys of a run are equal before the offset, and differ or
  /// end after it.
  private var open: [(run: Range<Int>, offset: Int)] = []
  /// Runs of entries with equal keys, among all entries that were sorted.
  private(set) var equal: [Range<Int>] = []

  init(_ keys: KeyArena) { self.keys = keys }

  /// Sorts entries by keys in the arena. The value of each entry is the index of its key. Entries
  /// with equal keys keep their order. The sort overwrites the eight bytes that the entries
  /// contain.
  ///
  /// - Parameter scratch: Memory for as many entries as the range has. The sort overwrites it.
  /// - Complexity: O(*n* + *b*), where *b* is the number of bytes that distinguish the keys
  mutating func sort(
    _ entries: inout MutableSpan<RankEntry>, in range: Range<Int>,
    scratch: inout MutableSpan<RankEntry>
  ) {
    // The method uses a loop and not a recursion, because keys may share any number of bytes.
    open.append((range, 0))
    while let (range, offset) = open.popLast() {
      for index in range { entries[index].key = keys.word(Int(entries[index].value), at: offset) }
      EntrySort.sort(&entries, in: range, scratch: &scratch)
      var start = range.lowerBound
      while start < range.upperBound {
        let run = start..<entries.span.endOfRun(from: start, upTo: range.upperBound)
        if run.count > 1 { sortFurther(&entries, in: run, from: offset + 8, scratch: &scratch) }
        start = run.upperBound
      }
    }
  }

  /// Continues with a run of entries that have equal keys up to an offset, if missing bytes are
  /// read as zeros.
  private mutating func sortFurther(
    _ entries: inout MutableSpan<RankEntry>, in run: Range<Int>, from offset: Int,
    scratch: inout MutableSpan<RankEntry>
  ) {
    let first = Int(entries[run.lowerBound].value)
    var shared = Int.max
    for index in run {
      let key = Int(entries[index].value)
      guard keys.byteCount(key) > offset else {
        return putShortOnesFirst(&entries, in: run, upTo: offset, scratch: &scratch)
      }
      if shared > 0 {
        shared = keys.sharedByteCount(of: first, and: key, from: offset, upTo: shared)
      }
    }
    open.append((run, offset + shared))
  }

  /// Sorts a run of entries by the length of their keys. The method is called if some keys end at
  /// the offset or before it. After the end of such a key, the other keys contain only zeros up to
  /// the offset. So a shorter key is a prefix of a longer key, and is first.
  private mutating func putShortOnesFirst(
    _ entries: inout MutableSpan<RankEntry>, in run: Range<Int>, upTo offset: Int,
    scratch: inout MutableSpan<RankEntry>
  ) {
    for index in run {
      entries[index].key = UInt64(min(keys.byteCount(Int(entries[index].value)), offset + 1))
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
  /// Returns the end of the run of entries that have the same key as the entry at an index.
  @inline(__always)
  func endOfRun(from start: Int, upTo limit: Int) -> Int {
    var end = start + 1
    while end < limit, self[end].key == self[start].key { end += 1 }
    return end
  }
}

/// A sort of *ties*: runs of rows that have keys with equal first bytes. The ties are sorted by the
/// bytes that follow.
///
/// Each round computes the keys of the tied rows again, and keeps one piece of each key. Rows with
/// equal pieces are sorted by the next piece in the next round.
struct TieOrder {
  private let plan: ResultPlan
  private let state: FrozenState

  private let watch: LoadWatch?

  /// - Parameter watch: An observer that can cancel the load before each round. The remaining ties
  ///   are not sorted then.
  init(_ plan: ResultPlan, in state: FrozenState, watch: LoadWatch? = nil) {
    self.plan = plan
    self.state = state
    self.watch = watch
  }

  /// Sorts the rows of each tie.
  ///
  /// - Parameters:
  ///   - ties: Runs of rows that have equal keys before some bytes, in the order of their slots.
  ///   - range: The bytes to compare first.
  ///   - scratch: Memory for as many rows as the longest tie has. The sort overwrites it.
  func order(
    _ rows: inout MutableSpan<RankEntry>, in ties: [Range<Int>], by range: Range<Int>,
    scratch: inout MutableSpan<RankEntry>
  ) {
    var ties = ties
    var keys = StoredKeys(range)
    while !ties.isEmpty {
      watch?.updateCancellation()
      if let watch, watch.isCancelled { return }
      makeKeys(of: ties, in: &rows, keys: &keys)
      let open = keys.sort(&rows, in: ties, scratch: &scratch)
      for tie in ties {
        for index in tie { rows[index].value = keys.slots[Int(rows[index].value)] }
      }
      ties = open
      keys = StoredKeys(keys.nextRange)
    }
  }

  /// Computes the pieces of the keys of tied rows, and replaces the value of each entry with the
  /// index of its piece.
  private func makeKeys(
    of ties: [Range<Int>], in rows: inout MutableSpan<RankEntry>, keys: inout StoredKeys
  ) {
    // The rows are read in the order of their slots, because rows that were created together are
    // stored together.
    var tied: [RankEntry] = []
    tied.reserveCapacity(ties.reduce(0) { $0 + $1.count })
    for tie in ties {
      for index in tie { tied.append(RankEntry(UInt64(rows[index].value), value: UInt32(index))) }
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
