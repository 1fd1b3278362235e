import DaybookStore

extension RankTree {
  // MARK: Building

  /// Creates a tree of entries that are already in order.
  ///
  /// Pages are filled to seven eighths, so that the first insertions do not split them.
  ///
  /// - Parameter entry: Returns the entry at a rank.
  ///
  /// - Complexity: O(entries)
  package init(
    count: Int, isWeighted: Bool = false, in space: PageSpace, _ entry: (Int) -> RankEntry
  ) {
    self.init(isWeighted: isWeighted)
    guard count > 0 else { return }
    var children: [RankPage.Child] = []
    for range in RankTree.shares(of: count, upTo: RankPage.leafCountMax * 7 / 8) {
      let page = newPage(level: 0, in: space)
      let node = RankPage(space.editableBytes(of: page))
      for rank in range { node.set(entry(rank), at: rank - range.lowerBound) }
      node.count = range.count
      children.append(node.summary(page, isWeighted: isWeighted))
    }
    height = 1
    while children.count > 1 {
      let shares = RankTree.shares(of: children.count, upTo: RankPage.childCountMax * 7 / 8)
      children = shares.map { range in
        let page = newPage(level: height, in: space)
        let node = RankPage(space.editableBytes(of: page))
        for index in range { node.set(children[index], at: index - range.lowerBound) }
        node.count = range.count
        return node.summary(page, isWeighted: isWeighted)
      }
      height += 1
    }
    self.count = count
    weight = children[0].weight
    root = children[0].page
  }

  /// Divides a count into the fewest shares of at most `limit` items, as evenly as possible.
  private static func shares(of count: Int, upTo limit: Int) -> [Range<Int>] {
    let shareCount = (count + limit - 1) / limit
    return (0..<shareCount).map { count * $0 / shareCount..<count * ($0 + 1) / shareCount }
  }

  private func newPage(level: Int, in space: PageSpace) -> PageNumber {
    let page = space.allocate()
    RankPage(space.editableBytes(of: page)).level = level
    return page
  }

  // MARK: Inserting

  /// Inserts an entry at a rank. The entry that had this rank follows the new entry.
  ///
  /// - Complexity: O(log count): at most one page of each level is copied and one added.
  package mutating func insert(_ entry: RankEntry, at rank: Int, in space: PageSpace) {
    precondition(rank >= 0 && rank <= count, "rank \(rank) of \(count)")
    if count == 0 {
      root = newPage(level: 0, in: space)
      height = 1
    }
    let insertion = insert(entry, at: rank, under: root, isLast: true, in: space)
    count += 1
    if isWeighted { weight += Int(entry.value) }
    root = insertion.page
    guard let added = insertion.added else { return }
    let page = newPage(level: height, in: space)
    let node = RankPage(space.editableBytes(of: page))
    for (index, child) in [root, added].enumerated() {
      node.set(summary(child, in: space), at: index)
    }
    node.count = 2
    root = page
    height += 1
  }

  /// The result of an insertion below a page: the page that replaces it, and, if it was split, the
  /// page that follows it.
  private struct Insertion {
    var page: PageNumber
    var added: PageNumber?
  }

  private func summary(_ page: PageNumber, in space: PageSpace) -> RankPage.Child {
    RankPage(space.bytes(of: page)).summary(page, isWeighted: isWeighted)
  }

  /// Inserts an entry at a rank below a page.
  ///
  /// - Parameter isLast: A Boolean value that indicates whether the page is the last page of its
  ///   level.
  private func insert(
    _ entry: RankEntry, at rank: Int, under number: PageNumber, isLast: Bool, in space: PageSpace
  ) -> Insertion {
    let old = RankPage(space.bytes(of: number))
    if old.isLeaf {
      return put(at: rank, of: number, isLast: isLast, in: space) { $0.set(entry, at: $1) }
    }
    var index = 0
    var rank = rank
    // If a rank is between two children, the entry is inserted at the end of the first child. The
    // first entry of the second child then stays the same.
    while rank > old.childCount(index) {
      rank -= old.childCount(index)
      index += 1
    }
    let below = insert(
      entry, at: rank, under: old.child(index), isLast: isLast && index == old.count - 1, in: space)
    let page = space.editable(number)
    let node = RankPage(space.editableBytes(of: page))
    guard let added = below.added else {
      node.grow(index, by: 1, weight: isWeighted ? Int(entry.value) : 0, page: below.page)
      if rank == 0 { node.set(entry, at: index) }
      return Insertion(page: page)
    }
    node.set(summary(below.page, in: space), at: index)
    let child = summary(added, in: space)
    return put(at: index + 1, of: page, isLast: isLast, in: space) { $0.set(child, at: $1) }
  }

  /// Inserts an item at a position of a page, and splits the page if it is full.
  private func put(
    at index: Int, of number: PageNumber, isLast: Bool, in space: PageSpace,
    _ set: (RankPage, Int) -> Void
  ) -> Insertion {
    let page = space.editable(number)
    let node = RankPage(space.editableBytes(of: page))
    guard node.isFull else {
      node.makeRoom(at: index)
      set(node, index)
      return Insertion(page: page)
    }
    let count = node.count
    let right = newPage(level: node.level, in: space)
    let rightNode = RankPage(space.editableBytes(of: right))
    let remaining = remainingCount(of: node, at: index, isLast: isLast)
    rightNode.moveIn(remaining..<count, of: node, at: 0)
    let isLeft = index < remaining || index == remaining && index < count
    let target = isLeft ? node : rightNode
    let targetIndex = isLeft ? index : index - remaining
    target.makeRoom(at: targetIndex)
    set(target, targetIndex)
    return Insertion(page: page, added: right)
  }

  /// Returns the number of items that stay in a full page when an insertion splits it.
  ///
  /// If an insertion is directly after the previous insertion, more insertions at the next
  /// positions are likely. Therefore the page is split at the position of the insertion. A series
  /// of ascending insertions then leaves pages as full as invariant 2 permits.
  private func remainingCount(of node: RankPage, at index: Int, isLast: Bool) -> Int {
    let count = node.count
    if isLast, index == count { return count }
    guard index == node.newestIndex + 1 || index == count else { return count / 2 }
    return min(max(index, node.countMin), count - node.countMin)
  }

  // MARK: Changing

  /// Replaces the entry at a rank.
  ///
  /// - Complexity: O(log count): one page of each level is copied.
  package mutating func replace(at rank: Int, with entry: RankEntry, in space: PageSpace) {
    precondition(rank >= 0 && rank < count, "rank \(rank) of \(count)")
    let replacement = replace(at: rank, with: entry, under: root, in: space)
    root = replacement.page
    weight += replacement.growth
  }

  /// - Returns: The page that replaces the given page, and the increase of the weight below it.
  private func replace(
    at rank: Int, with entry: RankEntry, under number: PageNumber, in space: PageSpace
  ) -> (page: PageNumber, growth: Int) {
    let page = space.editable(number)
    let node = RankPage(space.editableBytes(of: page))
    if node.isLeaf {
      let growth = isWeighted ? Int(entry.value) - Int(node.value(rank)) : 0
      node.set(entry, at: rank)
      return (page, growth)
    }
    var index = 0
    var rank = rank
    while rank >= node.childCount(index) {
      rank -= node.childCount(index)
      index += 1
    }
    let child = replace(at: rank, with: entry, under: node.child(index), in: space)
    node.grow(index, by: 0, weight: child.growth, page: child.page)
    if rank == 0 { node.set(entry, at: index) }
    return (page, child.growth)
  }

  // MARK: Removing

  /// Removes the entry at a rank.
  ///
  /// - Complexity: O(log count): at most two pages of each level are copied.
  @discardableResult
  package mutating func remove(at rank: Int, in space: PageSpace) -> RankEntry {
    precondition(rank >= 0 && rank < count, "rank \(rank) of \(count)")
    let (page, entry) = remove(at: rank, under: root, in: space)
    root = page
    count -= 1
    if isWeighted { weight -= Int(entry.value) }
    while true {
      let node = RankPage(space.bytes(of: root))
      guard node.count < (node.isLeaf ? 1 : 2) else { break }
      let child = node.isLeaf ? PageNumber.none : node.child(0)
      space.free(root)
      root = child
      height -= 1
      if height == 0 { break }
    }
    return entry
  }

  /// Removes all entries.
  ///
  /// - Complexity: O(pages)
  package mutating func removeAll(in space: PageSpace) {
    forEachPage(in: space) { space.free($0) }
    self = RankTree(isWeighted: isWeighted)
  }

  /// - Returns: The page that replaces the given page, and the removed entry.
  private func remove(
    at rank: Int, under number: PageNumber, in space: PageSpace
  ) -> (page: PageNumber, entry: RankEntry) {
    let page = space.editable(number)
    let node = RankPage(space.editableBytes(of: page))
    if node.isLeaf {
      let entry = node.entry(rank)
      node.remove(at: rank)
      return (page, entry)
    }
    var index = 0
    var rank = rank
    while rank >= node.childCount(index) {
      rank -= node.childCount(index)
      index += 1
    }
    let (child, entry) = remove(at: rank, under: node.child(index), in: space)
    let childNode = RankPage(space.bytes(of: child))
    if childNode.count == 0 {
      space.free(child)
      node.remove(at: index)
    } else {
      node.grow(index, by: -1, weight: isWeighted ? -Int(entry.value) : 0, page: child)
      if rank == 0 { node.set(childNode.entry(0), at: index) }
      if childNode.count < childNode.countMin, node.count > 1 {
        even(node, at: max(index, 1), in: space)
      }
    }
    return (page, entry)
  }

  /// Joins a child with the child before it if their items fit into one page. Otherwise distributes
  /// the items evenly between the two children.
  private func even(_ node: RankPage, at index: Int, in space: PageSpace) {
    let left = space.editable(node.child(index - 1))
    let right = space.editable(node.child(index))
    let leftNode = RankPage(space.editableBytes(of: left))
    let rightNode = RankPage(space.editableBytes(of: right))
    let count = leftNode.count + rightNode.count
    if count <= leftNode.joinedCountMax {
      leftNode.moveIn(0..<rightNode.count, of: rightNode, at: leftNode.count)
      space.free(right)
      node.remove(at: index)
    } else {
      let leftCount = count / 2
      if leftCount > leftNode.count {
        leftNode.moveIn(0..<leftCount - leftNode.count, of: rightNode, at: leftNode.count)
      } else {
        rightNode.moveIn(leftCount..<leftNode.count, of: leftNode, at: 0)
      }
      node.set(rightNode.summary(right, isWeighted: isWeighted), at: index)
    }
    node.set(leftNode.summary(left, isWeighted: isWeighted), at: index - 1)
  }
}
