import DaybookStore

/// A search for rows and sections by their keys, in the two trees of a projection or a snapshot.
///
/// The trees contain only the first eight bytes of each key. If these bytes are equal, the search
/// computes the whole keys from the rows. Therefore each row must have the same key in `state` that
/// it had when it was inserted into the tree.
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

  /// Returns the index of the first section with a key that is not before a given key, and whether
  /// the two keys are equal.
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

  /// Returns the index of the first section with a key prefix that is not before a given prefix,
  /// and that section's prefix. If no such section exists, returns the number of sections, and nil.
  private func firstSection(notBefore prefix: UInt64) -> (index: Int, prefix: UInt64?) {
    let (index, entry) = sections.first(of: 0..<sections.count, notBefore: prefix, in: space) { _ in
      false
    }
    if let entry { return (index, entry.key) }
    return (index, index < sections.count ? sections.entry(at: index, in: space).key : nil)
  }

  /// Returns whether no section after this one has the given prefix.
  private func isLastSection(_ index: Int, ofPrefix prefix: UInt64) -> Bool {
    index + 1 == sections.count || sections.entry(at: index + 1, in: space).key != prefix
  }

  /// Returns the number of sections, from an index on, that have the given key prefix.
  private func sectionCount(ofPrefix prefix: UInt64, from index: Int) -> Int {
    if isLastSection(index, ofPrefix: prefix) { return 1 }
    return (prefix == .max ? sections.count : firstSection(notBefore: prefix + 1).index) - index
  }

  /// Returns the rank of a row that is in the order.
  ///
  /// - Complexity: O(log *n*)
  func rank(of key: RowKey, slot: UInt32) -> Int {
    rank(of: key, slot: slot, in: range(ofSection: key))
  }

  /// Returns the rank of a row that is in the order, by a search within its section.
  ///
  /// - Complexity: O(log *n*)
  func rank(of key: RowKey, slot: UInt32, in range: Range<Int>) -> Int {
    let (rank, entry) = first(key, slot: slot, in: range)
    let found = entry ?? (rank < order.count ? order.entry(at: rank, in: space) : nil)
    precondition(found?.value == slot, "slot \(slot) is not at rank \(rank) of \(order.count)")
    return rank
  }

  /// Returns the ranks of the section that contains a row of the order.
  func range(ofSection key: RowKey) -> Range<Int> {
    guard plan.appendSection != nil else { return 0..<order.count }
    // The order contains the row's section. So if only one section has the prefix of the key, that
    // section is the row's section, and no whole key is computed.
    let prefix = key.sectionPrefix
    let first = firstSection(notBefore: prefix)
    if first.prefix == prefix, isLastSection(first.index, ofPrefix: prefix) {
      return range(ofSection: first.index)
    }
    let (index, isFound) = section(key.section)
    precondition(isFound, "the order does not contain the section of its row")
    return range(ofSection: index)
  }

  /// Returns the ranks of a section, by its index among all sections of the order.
  func range(ofSection index: Int) -> Range<Int> {
    let start = sections.weight(before: index, in: space)
    return start..<start + Int(sections.entry(at: index, in: space).value)
  }

  /// Returns the rank of the first row in a range that is not before a key; the end of the range if
  /// all its rows are before the key.
  ///
  /// - Complexity: O(log *n*)
  func rank(of key: RowKey, in range: Range<Int>) -> Int { first(key, in: range).rank }

  /// Returns the rank of the first row in a range that is not before a key. Also returns the entry
  /// at that rank if the search has read the page of the entry.
  ///
  /// - Parameter slot: The slot of the row with the key, if that row is in the order. The search
  ///   then does not compare the row with itself, which would compute its key again.
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
