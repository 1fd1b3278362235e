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
    _ plan: ResultPlan, _ state: FrozenState, _ order: RankTree, _ sections: RankTree,
    _ space: PageSpace
  ) {
    self.plan = plan
    self.state = state
    self.order = order
    self.sections = sections
    self.space = space
  }

  private func location(_ slot: UInt32) -> RowLocation {
    state.state.tables[plan.entity].row(slot, in: state.space).location
  }

  /// The first section whose key is not before one, and whether it is that one.
  ///
  /// - Complexity: O(log *sections*)
  func section(_ key: ArraySlice<UInt8>) -> (index: Int, isFound: Bool) {
    let prefix = RowKey.prefix(key)
    var buffer = RowBuffer()
    func compare(_ entry: RankEntry, _ start: () -> Int) -> Int {
      if entry.key != prefix { return entry.key < prefix ? -1 : 1 }
      buffer.removeAll()
      let row = location(order.entry(at: start(), in: space).value)
      plan.appendSection?(row, state, &buffer)
      return RowKey.compare(buffer.bytes[...], key)
    }
    // There is no other section of that key, and whoever is in the end the first that is not before it was asked.
    var isFound = false
    let index = sections.firstRank(of: 0..<sections.count, in: space) { entry, start in
      let order = compare(entry, start)
      if order == 0 { isFound = true }
      return order < 0
    }
    return (index, isFound)
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
    let prefix = key.ownPrefix
    var buffer = RowBuffer()
    return order.first(of: range, in: space) { entry, _ in
      if entry.key != prefix { return entry.key < prefix }
      if entry.value == slot { return false }
      buffer.removeAll()
      plan.appendOwn(location(entry.value), state, &buffer)
      return RowKey.compare(buffer.bytes[...], key.own) < 0
    }
  }
}
