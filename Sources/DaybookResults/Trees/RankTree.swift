import DaybookStore

/// A list of entries in pages, with access by rank. A projection keeps its rows in one rank tree,
/// and its sections in a second one.
///
/// The tree is a B-tree that does not sort its entries: the caller inserts each entry at a rank.
/// The caller can find that rank by a search for a key among the entries of a range. So one tree
/// can contain the rows of many sections, although only the rows of one section are sorted by their
/// keys. Leaves have up to 84 entries. Inner pages have up to 42 children, and record the number of
/// entries below each child. So an entry is found by its rank without counting the entries before
/// it.
///
/// A weighted tree also records the sum of the values below each child. An entry covers as many
/// positions as its value, and the tree finds the entry that covers a position. In the tree of
/// sections, the value is the number of rows, so the entry that covers the rank of a row is the
/// row's section.
///
/// Invariants:
///
/// 1. All leaves have the same depth, and no page is empty.
/// 2. Every page is at least one third full. The root and the last page of each level may have
///   fewer items.
/// 3. An inner page records each child correctly: its first entry, its entry count, and its weight.
/// 4. An inner page that is the root has at least two children.
///
/// A tree contains only the page number of its root and the totals; the pages are in a `PageSpace`.
/// A copy of a tree reads the old content as long as a pin of the space keeps the old pages.
package struct RankTree: Hashable, Sendable, BitwiseCopyable {
  /// The number of entries.
  package internal(set) var count = 0
  /// The sum of the values of all entries; 0 if the tree is not weighted.
  package internal(set) var weight = 0
  var root = PageNumber.none
  /// The number of page levels; 0 for an empty tree.
  package internal(set) var height = 0
  let isWeighted: Bool

  /// Creates an empty tree, which has no pages.
  package init(isWeighted: Bool = false) { self.isWeighted = isWeighted }

  // MARK: Finding

  /// Returns the entry at a rank.
  ///
  /// - Complexity: O(log count)
  package func entry(at rank: Int, in space: PageSpace) -> RankEntry {
    precondition(rank >= 0 && rank < count, "rank \(rank) of \(count)")
    var rank = rank
    var page = RankPage(space.bytes(of: root))
    while !page.isLeaf {
      var index = 0
      while rank >= page.childCount(index) {
        rank -= page.childCount(index)
        index += 1
      }
      page = RankPage(space.bytes(of: page.child(index)))
    }
    return page.entry(rank)
  }

  /// Returns the rank of the entry that covers a position, and the offset of the position in that
  /// entry. If the values are 3 and 5, position 4 is covered by the entry of rank 1, at offset 1.
  ///
  /// - Complexity: O(log count)
  package func find(_ position: Int, in space: PageSpace) -> (rank: Int, offset: Int) {
    precondition(
      isWeighted && position >= 0 && position < weight, "position \(position) of \(weight)")
    var offset = position
    var rank = 0
    var page = RankPage(space.bytes(of: root))
    while !page.isLeaf {
      var index = 0
      while offset >= page.childWeight(index) {
        offset -= page.childWeight(index)
        rank += page.childCount(index)
        index += 1
      }
      page = RankPage(space.bytes(of: page.child(index)))
    }
    var index = 0
    while offset >= Int(page.value(index)) {
      offset -= Int(page.value(index))
      index += 1
    }
    return (rank + index, offset)
  }

  /// Returns the sum of the values of the entries before a rank.
  ///
  /// - Complexity: O(log count)
  package func weight(before rank: Int, in space: PageSpace) -> Int {
    precondition(isWeighted && rank >= 0 && rank <= count, "rank \(rank) of \(count)")
    if rank == count { return weight }
    var rank = rank
    var weight = 0
    var page = RankPage(space.bytes(of: root))
    while !page.isLeaf {
      var index = 0
      while rank >= page.childCount(index) {
        rank -= page.childCount(index)
        weight += page.childWeight(index)
        index += 1
      }
      page = RankPage(space.bytes(of: page.child(index)))
    }
    return weight + page.weight(before: rank)
  }

  /// Returns the rank of the first entry in a range that is not before a key; the end of the range
  /// if all its entries are before the key.
  ///
  /// The entries of the range must be in the order of their keys. The method also returns the entry
  /// at that rank if the entry is in the last page that the search has read. Otherwise the entry is
  /// nil, also if the rank has one.
  ///
  /// - Parameter isBefore: A closure that receives the value of an entry with an equal key, and
  ///   returns whether that entry precedes the searched entry. Among the entries with the key, all
  ///   entries that precede it must be first.
  /// - Complexity: O(log count)
  package func first(
    of range: Range<Int>, notBefore key: UInt64, in space: PageSpace,
    whereNot isBefore: (UInt32) -> Bool
  ) -> (rank: Int, entry: RankEntry?) {
    precondition(range.upperBound <= count, "\(range) of \(count)")
    guard !range.isEmpty else { return (range.lowerBound, nil) }
    var start = 0
    var page = RankPage(space.bytes(of: root))
    while !page.isLeaf {
      // Only children that start within the range, and after its start, are compared by their first
      // entries.
      var lower = 1
      var rank = start + page.childCount(0)
      while lower < page.count, rank <= range.lowerBound {
        start = rank
        rank += page.childCount(lower)
        lower += 1
      }
      var upper = lower
      while upper < page.count, rank < range.upperBound {
        rank += page.childCount(upper)
        upper += 1
      }
      let index = page.firstIndex(of: lower..<upper, notBefore: key, whereNot: isBefore) - 1
      for index in lower - 1..<index { start += page.childCount(index) }
      page = RankPage(space.bytes(of: page.child(index)))
    }
    let indexes = max(0, range.lowerBound - start)..<min(page.count, range.upperBound - start)
    let index = page.firstIndex(of: indexes, notBefore: key, whereNot: isBefore)
    return (start + index, index < page.count ? page.entry(index) : nil)
  }

  // MARK: Iterating

  /// Calls a closure with the entries of a range of ranks, in order. The closure must not edit the
  /// tree.
  ///
  /// - Complexity: O(log count + range)
  package func forEach<Failure: Error>(
    _ range: Range<Int>, in space: PageSpace, body: (RankEntry) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(count)")
    guard !range.isEmpty else { return }
    try visitLeaves(root, range: range, in: space) { (page, indexes) throws(Failure) in
      for index in indexes { try body(page.entry(index)) }
    }
  }

  /// Returns the values of the entries of a range of ranks, in order.
  ///
  /// - Complexity: O(log count + range)
  package func values(_ range: Range<Int>, in space: PageSpace) -> [UInt32] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(count)")
    // All threads share the storage of the empty array. The initializer below would write to this
    // storage if the range were empty.
    guard !range.isEmpty else { return [] }
    return [UInt32](unsafeUninitializedCapacity: range.count) { room, filled in
      visitLeaves(root, range: range, in: space) { page, indexes in
        page.copyValues(
          indexes, to: UnsafeMutableBufferPointer(rebasing: room[filled..<filled + indexes.count]))
        filled += indexes.count
      }
    }
  }

  /// Calls a closure with each leaf below a page that has entries in a range of ranks, and with the
  /// positions of these entries.
  private func visitLeaves<Failure: Error>(
    _ number: PageNumber, range: Range<Int>, in space: PageSpace,
    body: (RankPage, Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    let page = RankPage(space.bytes(of: number))
    if page.isLeaf { return try body(page, range) }
    var start = 0
    for index in 0..<page.count where start < range.upperBound {
      let count = page.childCount(index)
      let lower = max(0, range.lowerBound - start)
      let upper = min(count, range.upperBound - start)
      if lower < upper {
        try visitLeaves(page.child(index), range: lower..<upper, in: space, body: body)
      }
      start += count
    }
  }

  /// Calls a closure with every page that can be reached from the root.
  ///
  /// - Complexity: O(pages)
  package func forEachPage(in space: PageSpace, _ body: (PageNumber) -> Void) {
    if count > 0 { visitPages(root, in: space, body: body) }
  }

  private func visitPages(
    _ number: PageNumber, in space: PageSpace, body: (PageNumber) -> Void
  ) {
    let page = RankPage(space.bytes(of: number))
    if !page.isLeaf {
      for index in 0..<page.count { visitPages(page.child(index), in: space, body: body) }
    }
    body(number)
  }
}

extension RankTree {
  /// Traps unless the numbered invariants of the type's documentation hold.
  ///
  /// - Complexity: O(count)
  package func checkInvariants(in space: PageSpace) {
    precondition(
      (count == 0) == root.isNone && (count == 0) == (height == 0),
      "\(count) entries under \(root), in \(height) levels")
    guard count > 0 else {
      return precondition(weight == 0, "an empty tree has the weight \(weight)")
    }
    let found = check(root, level: height - 1, isLast: true, in: space)
    precondition(found.count == count, "expected \(count) entries, found \(found.count)")
    precondition(found.weight == weight, "expected a weight of \(weight), found \(found.weight)")
    let node = RankPage(space.bytes(of: root))
    precondition(
      node.isLeaf || node.count > 1, "invariant 4: the root has a child count of \(node.count)")
  }

  /// Checks the subtree of a page, and returns its first entry, and its count and weight computed
  /// from the leaves.
  private func check(
    _ number: PageNumber, level: Int, isLast: Bool, in space: PageSpace
  ) -> RankPage.Child {
    let page = RankPage(space.bytes(of: number))
    precondition(
      page.level == level, "invariant 1: \(number) is of level \(page.level), not \(level)")
    let count = page.count
    precondition(count > 0 && count <= page.countMax, "invariant 1: \(number) has \(count) entries")
    precondition(
      count >= page.countMin || isLast || number == root,
      "invariant 2: \(number) has \(count) entries")
    var sum = RankPage.Child(page: number, first: page.entry(0), count: 0, weight: 0)
    guard !page.isLeaf else {
      sum.count = count
      if isWeighted { sum.weight = page.weight(before: count) }
      return sum
    }
    for index in 0..<count {
      let child = check(
        page.child(index), level: level - 1, isLast: isLast && index == count - 1, in: space)
      precondition(
        child.first == page.entry(index) && child.count == page.childCount(index)
          && child.weight == page.childWeight(index),
        """
        invariant 3: \(number) records that \(child.page) starts with \(page.entry(index)) and has a \
        count of \(page.childCount(index)) and a weight of \(page.childWeight(index)); found \(child)
        """)
      if index == 0 { sum.first = child.first }
      sum.count += child.count
      sum.weight += child.weight
    }
    return sum
  }
}
