/// The ranks of sections of an order, each of which is looked for once for many rows.
struct KnownSections {
  /// By the first bytes of their keys; of several with the same the one that was looked for last.
  private var known: [UInt64: (key: [UInt8], ranks: Range<Int>)] = [:]
  /// Whether it is worth remembering them.
  private let remembers: Bool

  /// - Parameter rowCount: How many rows will be looked for, at the most.
  init(_ plan: ResultPlan, rowCount: Int) {
    remembers = plan.appendSection != nil && rowCount > 8
  }

  /// The ranks of the section that a row of the order is in.
  ///
  /// - Complexity: O(1) if it was looked for before; else O(log *sections*)
  mutating func ranks(of key: RowKey, by search: OrderSearch) -> Range<Int> {
    guard remembers else { return search.range(ofSection: key) }
    let prefix = key.sectionPrefix
    if let found = known[prefix], key.isOfSection(found.key) { return found.ranks }
    let ranks = search.range(ofSection: key)
    known[prefix] = (Array(key.bytes[..<key.start]), ranks)
    return ranks
  }
}
