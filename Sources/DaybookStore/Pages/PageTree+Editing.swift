extension PageTree {
  /// The result of inserting a pair under a page.
  private struct Insertion {
    /// The page that replaces the given page: the same page, or its copy.
    var page: PageNumber
    /// The new page after that page, with its key; nil if the page was not split.
    var added: Entry?
  }

  /// An entry to insert into a page: a pair of a leaf, or a child of an inner page with its key.
  private struct Entry {
    var key: TreePair
    var child = PageNumber.none
  }

  /// Inserts a pair. Returns false if the tree already contained the pair.
  ///
  /// - Complexity: O(log count). The method copies at most one page of each level and one neighbor
  ///   of the leaf. The method adds at most one page to each level, and one new root.
  @discardableResult
  package mutating func insert(_ pair: TreePair, in space: PageSpace) -> Bool {
    if count == 0 {
      root = newPage(level: 0, in: space)
      TreePage(space.editableBytes(of: root)).insert(pair, at: 0)
      height = 1
      count = 1
      return true
    }
    guard let insertion = insert(pair, under: root, isLast: true, in: space) else { return false }
    count += 1
    root = insertion.page
    if let added = insertion.added {
      let page = newPage(level: height, in: space)
      let node = TreePage(space.editableBytes(of: page))
      node.insert(.zero, child: root, at: 0)
      node.insert(added.key, child: added.child, at: 1)
      root = page
      height += 1
    }
    return true
  }

  /// Removes a pair. Returns false if the tree did not contain the pair.
  ///
  /// - Complexity: O(log count). The method copies at most two pages of each level.
  @discardableResult
  package mutating func remove(_ pair: TreePair, in space: PageSpace) -> Bool {
    guard count > 0, let page = remove(pair, under: root, in: space) else { return false }
    count -= 1
    root = page
    while true {
      let node = TreePage(space.bytes(of: root))
      guard node.count < (node.isLeaf ? 1 : 2) else { break }
      let child = node.isLeaf ? PageNumber.none : node.child(0)
      space.free(root)
      root = child
      height -= 1
      if height == 0 { break }
    }
    return true
  }

  /// Removes all pairs.
  ///
  /// - Complexity: O(pages)
  package mutating func removeAll(in space: PageSpace) {
    forEachPage(in: space) { space.free($0) }
    self = PageTree()
  }

  private func newPage(level: Int, in space: PageSpace) -> PageNumber {
    let page = space.allocate()
    TreePage(space.editableBytes(of: page)).level = level
    return page
  }

  // MARK: Insertion

  /// Inserts a pair into the tree under a page. Returns nil if this tree already contains the pair.
  ///
  /// - Parameter isLast: A Boolean value that indicates whether the page is the last page of its
  ///   level.
  private func insert(
    _ pair: TreePair, under number: PageNumber, isLast: Bool, in space: PageSpace
  ) -> Insertion? {
    let old = TreePage(space.bytes(of: number))
    if old.isLeaf {
      let index = old.lowerBound(pair)
      if index < old.count, old.key(index) == pair { return nil }
      return insert(Entry(key: pair), at: index, of: number, isLast: isLast, in: space)
    }
    let index = old.childIndex(pair)
    let child = old.child(index)
    let isLastChild = isLast && index == old.count - 1
    if old.level == 1, isToSpread(TreePage(space.bytes(of: child)), for: pair, isLast: isLastChild),
      old.count > 1
    {
      return insertSpreading(pair, under: number, at: index, isLast: isLast, in: space)
    }
    guard let below = insert(pair, under: child, isLast: isLastChild, in: space) else {
      return nil
    }
    var page = number
    if below.page != child {
      page = space.editable(number)
      TreePage(space.editableBytes(of: page)).setChild(at: index, to: below.page)
    }
    guard let added = below.added else { return Insertion(page: page) }
    return insert(added, at: index + 1, of: page, isLast: isLast, in: space)
  }

  /// Inserts an entry at an index of a page, and splits the page if it is full.
  private func insert(
    _ entry: Entry, at index: Int, of number: PageNumber, isLast: Bool, in space: PageSpace
  ) -> Insertion {
    let page = space.editable(number)
    let node = TreePage(space.editableBytes(of: page))
    guard node.isFull else {
      node.insert(entry.key, child: entry.child, at: index)
      return Insertion(page: page)
    }
    let count = node.count
    let right = newPage(level: node.level, in: space)
    let rightNode = TreePage(space.editableBytes(of: right))
    let leftCount = leftCount(of: node, at: index, isLast: isLast)
    rightNode.moveIn(leftCount..<count, of: node, at: 0)
    if index < leftCount || index == leftCount && index < count {
      node.insert(entry.key, child: entry.child, at: index)
    } else {
      rightNode.insert(entry.key, child: entry.child, at: index - leftCount)
    }
    return Insertion(page: page, added: Entry(key: rightNode.key(0), child: right))
  }

  // MARK: Balancing

  /// The number of free entries that two leaves must have together, so that the tree balances them
  /// instead of adding a third leaf. With less free space, the next insertions would soon fill both
  /// leaves again.
  private static let roomMin = 6

  /// Returns whether a leaf must be balanced with a neighbor before a pair is inserted, because it
  /// is full. The result is false if the leaf contains the pair, or if the pair continues a run of
  /// ascending insertions.
  private func isToSpread(_ leaf: TreePage, for pair: TreePair, isLast: Bool) -> Bool {
    guard leaf.isFull else { return false }
    let index = leaf.lowerBound(pair)
    if index < leaf.count, leaf.key(index) == pair { return false }
    return !isRun(in: leaf, at: index, isLast: isLast)
  }

  /// Balances a full leaf with a neighbor, and then inserts a pair into one of the leaves. If the
  /// neighbor has too little free space, the method adds a new leaf between the two and moves a
  /// third of all pairs to it.
  private func insertSpreading(
    _ pair: TreePair, under number: PageNumber, at index: Int, isLast: Bool, in space: PageSpace
  ) -> Insertion {
    let page = space.editable(number)
    let node = TreePage(space.editableBytes(of: page))
    let left = emptierNeighbour(of: index, under: node, in: space)
    let (one, other) = (
      editableChild(left, of: node, in: space), editableChild(left + 1, of: node, in: space)
    )
    let count = one.count + other.count
    guard count > 2 * TreePage.leafCountMax - PageTree.roomMin else {
      even(one, with: other)
      node.setKey(at: left + 1, to: other.key(0))
      insert(pair, into: pair < other.key(0) ? one : other)
      return Insertion(page: page)
    }
    let added = newPage(level: 0, in: space)
    let middle = TreePage(space.editableBytes(of: added))
    let third = count / 3
    middle.moveIn(third..<one.count, of: one, at: 0)
    middle.moveIn(0..<other.count - third, of: other, at: middle.count)
    let key = middle.key(0)
    node.setKey(at: left + 1, to: other.key(0))
    insert(pair, into: pair < key ? one : pair < other.key(0) ? middle : other)
    return insert(
      Entry(key: key, child: added), at: left + 1, of: page, isLast: isLast, in: space)
  }

  /// Returns the index of the first of two adjacent leaves: the full leaf, and its neighbor with
  /// more free space.
  private func emptierNeighbour(of index: Int, under node: TreePage, in space: PageSpace) -> Int {
    func count(_ index: Int) -> Int {
      index >= 0 && index < node.count
        ? TreePage(space.bytes(of: node.child(index))).count : .max
    }
    return count(index - 1) < count(index + 1) ? index - 1 : index
  }

  private func insert(_ pair: TreePair, into leaf: TreePage) {
    leaf.insert(pair, at: leaf.lowerBound(pair))
  }

  /// Returns the number of entries that stay in a full page when it is split before an insertion at
  /// an index.
  ///
  /// Usually the page keeps half of its entries. If the insertion continues a run of ascending
  /// insertions, more insertions will probably follow. Then the page keeps the entries before the
  /// insertion, as far as invariant 2 allows. So the pages that the run leaves are filled to two
  /// thirds instead of a half, or completely at the end of the tree.
  private func leftCount(of node: TreePage, at index: Int, isLast: Bool) -> Int {
    let count = node.count
    if isLast, index == count { return count }
    guard isRun(in: node, at: index, isLast: isLast) else { return count / 2 }
    return min(max(index, node.countMin), count - node.countMin)
  }

  /// Returns whether an insertion at an index continues a run. It does so if the index directly
  /// follows the previous insertion in this page, or if it follows all pairs of the tree.
  private func isRun(in node: TreePage, at index: Int, isLast: Bool) -> Bool {
    index == node.newestIndex + 1 || isLast && index == node.count
  }

  // MARK: Removal

  /// Removes a pair from the tree under a page. Returns the page that replaces this page: the same
  /// page, or its copy. Returns nil if the pair does not exist.
  private func remove(
    _ pair: TreePair, under number: PageNumber, in space: PageSpace
  ) -> PageNumber? {
    let old = TreePage(space.bytes(of: number))
    if old.isLeaf {
      let index = old.lowerBound(pair)
      guard index < old.count, old.key(index) == pair else { return nil }
      let page = space.editable(number)
      TreePage(space.editableBytes(of: page)).remove(at: index)
      return page
    }
    let index = old.childIndex(pair)
    let oldChild = old.child(index)
    guard let child = remove(pair, under: oldChild, in: space) else { return nil }
    let childNode = TreePage(space.bytes(of: child))
    let isThin = childNode.count < childNode.countMin
    guard child != oldChild || isThin else { return number }
    let page = space.editable(number)
    let node = TreePage(space.editableBytes(of: page))
    if child != oldChild { node.setChild(at: index, to: child) }
    if childNode.count == 0 {
      space.free(child)
      node.remove(at: index)
    } else if isThin, node.count > 1 {
      evenChild(max(index, 1), of: node, in: space)
    }
    return page
  }

  /// Joins a child and the child before it to one page, or balances the two if they have too many
  /// entries for one page.
  private func evenChild(_ index: Int, of node: TreePage, in space: PageSpace) {
    let left = editableChild(index - 1, of: node, in: space)
    let right = editableChild(index, of: node, in: space)
    let count = left.count + right.count
    if count <= left.joinedCountMax {
      left.moveIn(0..<right.count, of: right, at: left.count)
      space.free(node.child(index))
      node.remove(at: index)
      return
    }
    even(left, with: right)
    node.setKey(at: index, to: right.key(0))
  }

  /// Moves entries between two neighbors, so that each has half of the entries.
  private func even(_ left: TreePage, with right: TreePage) {
    let leftCount = (left.count + right.count) / 2
    if leftCount > left.count {
      left.moveIn(0..<leftCount - left.count, of: right, at: left.count)
    } else {
      right.moveIn(leftCount..<left.count, of: left, at: 0)
    }
  }

  private func editableChild(_ index: Int, of node: TreePage, in space: PageSpace) -> TreePage {
    let old = node.child(index)
    let page = space.editable(old)
    if page != old { node.setChild(at: index, to: page) }
    return TreePage(space.editableBytes(of: page))
  }
}
