import DaybookStore

/// A list of entries in pages, with access by rank.
///
/// The tree is a B-tree that does not sort. The caller inserts at a rank. It finds the rank by a
/// search for the first entry of a range that is not before a key. So one tree can store many runs
/// of entries, each sorted only within itself. Leaves have up to 84 entries. Inner pages have up to
/// 42 children and record the number of entries under each.
///
/// A weighted tree also adds up the values. An entry then covers as many positions as its value,
/// and the tree finds the entry that covers a position.
///
/// Invariants:
///
/// 1. All leaves have the same depth, and no page is empty.
/// 2. Every page except the root and the last page of its level is at least one third full.
/// 3. An inner page records each child correctly: its first entry, its entry count, and its weight.
/// 4. An inner page that is the root has at least two children.
///
/// The value contains only the root's page number and the totals. A copy reads the old content
/// while a pin of the space keeps the old pages.
package struct RankTree: Hashable, Sendable, BitwiseCopyable {
  /// The number of entries.
  package internal(set) var count = 0
  /// The total weight of the entries; 0 if the tree is not weighted.
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
      var place = 0
      while rank >= page.childCount(place) {
        rank -= page.childCount(place)
        place += 1
      }
      page = RankPage(space.bytes(of: page.child(place)))
    }
    return page.entry(rank)
  }

  /// Returns the rank of the entry that covers a position, and the offset of the position in that
  /// entry.
  ///
  /// - Complexity: O(log count)
  package func find(_ position: Int, in space: PageSpace) -> (rank: Int, offset: Int) {
    precondition(
      isWeighted && position >= 0 && position < weight, "position \(position) of \(weight)")
    var offset = position
    var rank = 0
    var page = RankPage(space.bytes(of: root))
    while !page.isLeaf {
      var place = 0
      while offset >= page.childWeight(place) {
        offset -= page.childWeight(place)
        rank += page.childCount(place)
        place += 1
      }
      page = RankPage(space.bytes(of: page.child(place)))
    }
    var place = 0
    while offset >= Int(page.value(place)) {
      offset -= Int(page.value(place))
      place += 1
    }
    return (rank + place, offset)
  }

  /// Returns the total weight of the entries before a rank.
  ///
  /// - Complexity: O(log count)
  package func weight(before rank: Int, in space: PageSpace) -> Int {
    precondition(isWeighted && rank >= 0 && rank <= count, "rank \(rank) of \(count)")
    if rank == count { return weight }
    var rank = rank
    var weight = 0
    var page = RankPage(space.bytes(of: root))
    while !page.isLeaf {
      var place = 0
      while rank >= page.childCount(place) {
        rank -= page.childCount(place)
        weight += page.childWeight(place)
        place += 1
      }
      page = RankPage(space.bytes(of: page.child(place)))
    }
    return weight + page.weight(before: rank)
  }

  /// Returns the first rank of a range that has an entry not before a key; the end of the range if
  /// all entries are before it.
  ///
  /// The entries of the range must be in the order of their keys. The entry at the returned rank is
  /// returned as well if it is in the last page that the search read. Otherwise it is nil, although
  /// the rank may have an entry.
  ///
  /// - Parameter isBefore: Returns whether an entry with an equal key precedes the searched entry.
  ///   It receives the value of the entry. Entries that precede it must be first among those with
  ///   the key.
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
      // The children that start within the range, but not at its start. Only these have a first
      // entry to compare.
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
      let place = page.firstPlace(of: lower..<upper, notBefore: key, whereNot: isBefore) - 1
      for place in lower - 1..<place { start += page.childCount(place) }
      page = RankPage(space.bytes(of: page.child(place)))
    }
    let places = max(0, range.lowerBound - start)..<min(page.count, range.upperBound - start)
    let place = page.firstPlace(of: places, notBefore: key, whereNot: isBefore)
    return (start + place, place < page.count ? page.entry(place) : nil)
  }

  // MARK: Iterating

  /// Calls a closure with the entries of a range of ranks, in order. The tree must not be edited
  /// meanwhile.
  ///
  /// - Complexity: O(log count + range)
  package func forEach<Failure: Error>(
    _ range: Range<Int>, in space: PageSpace, body: (RankEntry) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(count)")
    guard !range.isEmpty else { return }
    try visitLeaves(root, range: range, in: space) { (page, places) throws(Failure) in
      for place in places { try body(page.entry(place)) }
    }
  }

  /// Returns the values of the entries of a range of ranks, in order.
  ///
  /// - Complexity: O(log count + range)
  package func values(_ range: Range<Int>, in space: PageSpace) -> [UInt32] {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) of \(count)")
    // All threads share the storage of the empty array, and an initialization without elements
    // would write to it.
    guard !range.isEmpty else { return [] }
    return [UInt32](unsafeUninitializedCapacity: range.count) { room, filled in
      visitLeaves(root, range: range, in: space) { page, places in
        page.copyValues(
          places, to: UnsafeMutableBufferPointer(rebasing: room[filled..<filled + places.count]))
        filled += places.count
      }
    }
  }

  private func visitLeaves<Failure: Error>(
    _ number: PageNumber, range: Range<Int>, in space: PageSpace,
    body: (RankPage, Range<Int>) throws(Failure) -> Void
  ) throws(Failure) {
    let page = RankPage(space.bytes(of: number))
    if page.isLeaf { return try body(page, range) }
    var start = 0
    for place in 0..<page.count where start < range.upperBound {
      let count = page.childCount(place)
      let lower = max(0, range.lowerBound - start)
      let upper = min(count, range.upperBound - start)
      if lower < upper {
        try visitLeaves(page.child(place), range: lower..<upper, in: space, body: body)
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
      for place in 0..<page.count { visitPages(page.child(place), in: space, body: body) }
    }
    body(number)
  }
}

extension RankTree {
  /// Traps unless the numbered invariants of the type's documentation are valid.
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

  /// Checks the subtree of a page, and returns its first entry, count and weight as recomputed.
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
    for place in 0..<count {
      let child = check(
        page.child(place), level: level - 1, isLast: isLast && place == count - 1, in: space)
      precondition(
        child.first == page.entry(place) && child.count == page.childCount(place)
          && child.weight == page.childWeight(place),
        """
        invariant 3: \(number) records that \(child.page) starts with \(page.entry(place)) and has a \
        count of \(page.childCount(place)) and a weight of \(page.childWeight(place)); found \(child)
        """)
      if place == 0 { sum.first = child.first }
      sum.count += child.count
      sum.weight += child.weight
    }
    return sum
  }
}
