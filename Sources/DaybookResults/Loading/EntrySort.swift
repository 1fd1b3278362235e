/// A sort of entries by their keys. The sort is stable: entries with equal keys keep their order.
///
/// Up to 32 entries are sorted by insertion. More entries are sorted by a radix sort. Each pass
/// distributes the entries to 256 piles by one byte of their keys. The first pass uses the lowest
/// byte. For many entries, a radix sort is faster than a sort by comparisons.
///
/// The passes do not use all bytes of the keys. The passes skip the high bits that all keys share,
/// and use the next bytes: one byte for up to 127 entries, two bytes for up to 32,767 entries, and
/// at most four bytes. After these passes, entries with equal bits are adjacent. Each run of such
/// entries is then sorted in the same way by the lower bits.
enum EntrySort {
  /// The largest number of entries that are sorted by insertion.
  private static let insertedCountMax = 32
  /// The largest number of passes before the sort continues with runs of entries that share the
  /// sorted bits.
  private static let dealCountMax = 4

  static func sort(_ entries: inout [RankEntry]) {
    var room = entries
    var entries = entries.mutableSpan
    var scratch = room.mutableSpan
    sort(&entries, in: entries.indices, scratch: &scratch)
  }

  /// - Parameter scratch: Memory for as many entries as the range has. The sort overwrites it.
  /// - Complexity: O(*n*), because at most eight passes move an entry, one for each byte of its key
  static func sort(
    _ entries: inout MutableSpan<RankEntry>, in range: Range<Int>,
    scratch: inout MutableSpan<RankEntry>
  ) {
    guard range.count > insertedCountMax else { return insertOneByOne(&entries, in: range) }
    let differing = differingBits(entries.span.extracting(range))
    guard differing != 0 else { return }
    let bitCount = 64 - differing.leadingZeroBitCount
    let dealCount = min(dealCount(for: range.count), (bitCount + 7) / 8)
    let shift = UInt64(max(0, bitCount - 8 * dealCount))
    deal(&entries, in: range, shift: shift, dealCount: dealCount, scratch: &scratch)
    guard shift > 0 else { return }
    var start = range.lowerBound
    while start < range.upperBound {
      let bits = entries[start].key >> shift
      var end = start + 1
      while end < range.upperBound, entries[end].key >> shift == bits { end += 1 }
      if end - start > 1 { sort(&entries, in: start..<end, scratch: &scratch) }
      start = end
    }
  }

  /// Returns the number of passes after which the sorted bytes have more possible values than there
  /// are entries, but at most four.
  private static func dealCount(for count: Int) -> Int {
    let log = Int.bitWidth - 1 - count.leadingZeroBitCount
    return min(dealCountMax, (log + 9) / 8)
  }

  /// Returns the bits that differ between any two keys; 0 if the keys are already in order.
  private static func differingBits(_ entries: Span<RankEntry>) -> UInt64 {
    let first = entries[0].key
    var differing: UInt64 = 0
    var last = first
    var isOrdered = true
    for index in entries.indices {
      let key = entries[index].key
      differing |= key ^ first
      if key < last { isOrdered = false }
      last = key
    }
    return isOrdered ? 0 : differing
  }

  /// Sorts a few entries by insertion.
  private static func insertOneByOne(
    _ entries: inout MutableSpan<RankEntry>, in range: Range<Int>
  ) {
    for index in range.dropFirst() {
      let entry = entries[index]
      var target = index
      while target > range.lowerBound, entries[target - 1].key > entry.key {
        entries[target] = entries[target - 1]
        target -= 1
      }
      if target < index { entries[target] = entry }
    }
  }

  // MARK: Dealing

  /// A number for each pass and each value of a byte. At first it is the number of entries with
  /// that value. During the pass it is the index of the next of these entries in the target.
  private typealias Piles = InlineArray<1024, UInt32>

  /// Performs all passes over the entries of a range.
  private static func deal(
    _ entries: inout MutableSpan<RankEntry>, in range: Range<Int>, shift: UInt64, dealCount: Int,
    scratch: inout MutableSpan<RankEntry>
  ) {
    var piles = Piles(repeating: 0)
    count(entries.span.extracting(range), shift: shift, dealCount: dealCount, piles: &piles)
    var isInScratch = false
    for deal in 0..<dealCount {
      let start = isInScratch ? range.lowerBound : 0
      // The pass is skipped if all entries have the same byte.
      guard convertCounts(deal, of: &piles, count: range.count, at: start) else { continue }
      let shift = shift + UInt64(8 * deal)
      if isInScratch {
        self.deal(
          scratch.span.extracting(0..<range.count), to: &entries, deal: deal, shift: shift,
          piles: &piles)
      } else {
        self.deal(
          entries.span.extracting(range), to: &scratch, deal: deal, shift: shift, piles: &piles)
      }
      isInScratch.toggle()
    }
    guard isInScratch else { return }
    for index in range { entries[index] = scratch[index - range.lowerBound] }
  }

  /// Counts the entries of each pile, for all passes at once.
  private static func count(
    _ entries: Span<RankEntry>, shift: UInt64, dealCount: Int, piles: inout Piles
  ) {
    for index in entries.indices {
      var bits = entries[index].key >> shift
      for deal in 0..<dealCount {
        piles[deal << 8 | Int(bits & 255)] &+= 1
        bits >>= 8
      }
    }
  }

  /// Converts the counts of a pass to indexes. Returns false if all entries are in one pile.
  private static func convertCounts(
    _ deal: Int, of piles: inout Piles, count: Int, at start: Int
  ) -> Bool {
    var index = UInt32(start)
    for pile in deal << 8..<(deal + 1) << 8 {
      let next = piles[pile]
      if next == count { return false }
      piles[pile] = index
      index &+= next
    }
    return true
  }

  /// Performs one pass: copies each entry to its pile in the target.
  @inline(__always)
  private static func deal(
    _ entries: Span<RankEntry>, to target: inout MutableSpan<RankEntry>, deal: Int,
    shift: UInt64, piles: inout Piles
  ) {
    for index in entries.indices {
      let entry = entries[index]
      let pile = deal << 8 | Int(entry.key >> shift & 255)
      let targetIndex = piles[pile]
      piles[pile] = targetIndex &+ 1
      target[Int(targetIndex)] = entry
    }
  }
}
