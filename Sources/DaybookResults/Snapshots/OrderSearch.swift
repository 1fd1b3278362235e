import DaybookStore

/// Finding places in an order by keys.
///
/// The trees know the first eight bytes of each key. Only where these are the same are keys made of
/// the rows, so the state has to be one in which the rows of the trees have the keys by which they
/// were put there.
struct OrderSearch {
  let plan: ResultPlan
  let state: FrozenState
  var order: RankTree
  private let sections: RankTree
  private let space: PageSpace

  init(
    _ plan: ResultPlan, in state: FrozenState, order: RankTree, sections: RankTree,
    space: PageSpace
  ) {
    self.plan = plan
    self.state = state
    self.order = order
    self.sections = sections
    self.space = space
  }

  private func location(_ slot: UInt32) -> RowLocation {
    state.reader.row(inSlot: slot, of: plan.entity).location
  }

  /// The first section whose key is not before one, and whether it is that one.
  ///
  /// - Complexity: O(log *sections*)
  func section(_ key: ArraySlice<UInt8>) -> (index: Int, isFound: Bool) {
    let prefix = RowKey.prefix(key)
    var (index, first) = firstSection(notBefore: prefix)
    guard first == prefix else { return (index, false) }
    var length = sectionCount(ofPrefix: prefix, from: index)
    var buffer = RowBuffer()
    while length > 0 {
      let half = length >> 1
      buffer.removeAll()
      let first = order.entry(at: sections.weight(before: index + half, in: space), in: space)
      plan.appendSection?(location(first.value), state, &buffer)
      let order = RowKey.compare(buffer.bytes[...], to: key)
      if order == 0 { return (index + half, true) }
      if order < 0 {
        index += half + 1
        length -= half + 1
      } else {
        length = half
      }
    }
    return (index, false)
  }

  /// The first section whose key's first bytes are not before some, and these bytes of its own; nil if there is none.
  private func firstSection(notBefore prefix: UInt64) -> (index: Int, prefix: UInt64?) {
    let (index, entry) = sections.first(of: 0..<sections.count, notBefore: prefix, in: space) { _ in
      false
    }
    if let entry { return (index, entry.key) }
    return (index, index < sections.count ? sections.entry(at: index, in: space).key : nil)
  }

  /// Whether the key of the next section, if there is one, begins with other bytes.
  private func isLastSection(_ index: Int, ofPrefix prefix: UInt64) -> Bool {
    index + 1 == sections.count || sections.entry(at: index + 1, in: space).key != prefix
  }

  /// How many sections there are from one on whose keys begin with the same bytes as its own.
  private func sectionCount(ofPrefix prefix: UInt64, from index: Int) -> Int {
    if isLastSection(index, ofPrefix: prefix) { return 1 }
    return (prefix == .max ? sections.count : firstSection(notBefore: prefix + 1).index) - index
  }

  /// The rank of a row that is in the order.
  ///
  /// - Complexity: O(log *n*)
  func rank(of key: RowKey, slot: UInt32) -> Int {
    rank(of: key, slot: slot, in: range(ofSection: key))
  }

  /// The rank of a row that is in the order, among those of its section.
  ///
  /// - Complexity: O(log *n*)
  func rank(of key: RowKey, slot: UInt32, in range: Range<Int>) -> Int {
    let (rank, entry) = first(key, slot: slot, in: range)
    let found = entry ?? (rank < order.count ? order.entry(at: rank, in: space) : nil)
    precondition(found?.value == slot, "slot \(slot) is not at rank \(rank) of \(order.count)")
    return rank
  }

  /// The ranks of the section that a row of the order is in.
  func range(ofSection key: RowKey) -> Range<Int> {
    guard plan.appendSection != nil else { return 0..<order.count }
    // As there is one, the only one whose key begins like that is it.
    let prefix = key.sectionPrefix
    let first = firstSection(notBefore: prefix)
    if first.prefix == prefix, isLastSection(first.index, ofPrefix: prefix) {
      return range(ofSection: first.index)
    }
    let (index, isFound) = section(key.section)
    precondition(isFound, "a section of the order is not in it")
    return range(ofSection: index)
  }

  /// The ranks of a section.
  func range(ofSection index: Int) -> Range<Int> {
    let start = sections.weight(before: index, in: space)
    return start..<start + Int(sections.entry(at: index, in: space).value)
  }

  /// The first rank of a section whose row is not before a key.
  ///
  /// - Complexity: O(log *n*)
  func rank(of key: RowKey, in range: Range<Int>) -> Int { first(key, in: range).rank }

  /// The first rank of a range whose entry is not before a key, and that entry if it was come by.
  ///
  /// - Parameter slot: That of the row whose key it is, if it is in the order: it is not held against itself.
  private func first(
    _ key: RowKey, slot: UInt32? = nil, in range: Range<Int>
  ) -> (rank: Int, entry: RankEntry?) {
    var buffer = RowBuffer()
    return order.first(of: range, notBefore: key.ownPrefix, in: space) { other in
      if other == slot { return false }
      buffer.removeAll()
      plan.appendOwn(location(other), in: state, to: &buffer)
      return RowKey.compare(buffer.bytes[...], to: key.own) < 0
    }
  }
}
