/// The ranks of sections of an order, each of which is looked for once for many rows.
struct KnownSections {
  private struct Known {
    var prefix: UInt64
    var key: [UInt8]
    var ranks: Range<Int>
  }

  /// By a number that is made of the first bytes of their keys; of several that have the same the one that was looked
  /// for last.
  private var known: [Known?] = []
  /// How far the bits of that number are to the left.
  private var shift: UInt64 = 0

  /// - Parameter rowCount: How many rows will be looked for, at the most.
  init(_ plan: ResultPlan, rowCount: Int) {
    // It is not worth it for a few.
    guard plan.appendSection != nil, rowCount > 8 else { return }
    let bitCount = min(10, Int.bitWidth - rowCount.leadingZeroBitCount)
    known = Array(repeating: nil, count: 1 << bitCount)
    shift = UInt64(64 - bitCount)
  }

  /// The ranks of the section that a row of the order is in.
  ///
  /// - Complexity: O(1) if it was looked for before; else O(log *sections*)
  mutating func ranks(of key: RowKey, by search: OrderSearch) -> Range<Int> {
    if known.isEmpty { return search.range(ofSection: key) }
    let prefix = key.sectionPrefix
    let place = Int(truncatingIfNeeded: (prefix &* 0x9E37_79B9_7F4A_7C15) >> shift)
    if let found = known[place], found.prefix == prefix, key.section == found.key[...] {
      return found.ranks
    }
    let ranks = search.range(ofSection: key)
    known[place] = Known(prefix: prefix, key: Array(key.section), ranks: ranks)
    return ranks
  }
}
