/// An ordered set of pairs, stored in pages. A pair consists of a 64-bit integer and a 32-bit
/// integer. For example, an index of a store contains a pair of a hash and a slot for each row.
///
/// The pages form a B-tree. The leaves contain all pairs, in order, with up to 84 pairs in each
/// leaf. Inner pages have up to 63 children.
///
/// - An insertion into a full leaf balances the leaf with a neighbor. If the neighbor is also full,
///   the two leaves become three. Therefore pages are filled to four fifths if pairs are inserted
///   in random order. A pair then takes at most 16 bytes, including its share of the inner pages.
/// - If pairs are inserted in ascending order at the end of the tree, full leaves stay full, and a
///   new leaf is added after the last one. If ascending pairs are inserted between other pairs,
///   their pages are filled to two thirds.
/// - If a removal leaves a page less than a third full, the page is joined with a neighbor, or gets
///   entries from the neighbor.
///
/// Invariants:
/// 1. All leaves have the same depth, and no page is empty.
/// 2. Every page except the root and the last page of its level is at least a third full.
/// 3. The pairs are in ascending order, over all leaves.
/// 4. The key of a child in an inner page is at most the first pair under the child, and greater
///    than all pairs before the child. If the child is an inner page, the key also equals the
///    child's own first key.
/// 5. If the root is an inner page, it has at least two children.
///
/// The struct contains only the root, like ``PageArray``: a snapshot is a copy with a pin, and only
/// one of two copies may be edited.
package struct PageTree: Hashable, Sendable, BitwiseCopyable {
  /// The number of pairs.
  package internal(set) var count = 0
  var root = PageNumber.none
  /// The number of levels of pages; 0 for an empty tree.
  package internal(set) var height = 0

  /// Creates an empty set, which has no pages.
  package init() {}

  // MARK: Lookup

  /// Returns whether the set contains a pair.
  ///
  /// - Complexity: O(log count)
  package func contains(_ pair: TreePair, in space: PageSpace) -> Bool {
    guard count > 0 else { return false }
    var page = TreePage(space.bytes(of: root))
    while !page.isLeaf { page = TreePage(space.bytes(of: page.child(page.childIndex(pair)))) }
    let index = page.lowerBound(pair)
    return index < page.count && page.key(index) == pair
  }

  /// Returns the first pair that is greater than or equal to a pair; nil if all pairs are less.
  ///
  /// - Complexity: O(log count)
  package func first(from lower: TreePair = .zero, in space: PageSpace) -> TreePair? {
    count > 0 ? first(from: lower, under: root, in: space) : nil
  }

  /// Returns the first pair that is greater than a pair; nil if no pair is greater.
  ///
  /// - Complexity: O(log count)
  package func first(after pair: TreePair, in space: PageSpace) -> TreePair? {
    pair.following.flatMap { first(from: $0, in: space) }
  }

  private func first(
    from lower: TreePair, under number: PageNumber, in space: PageSpace
  ) -> TreePair? {
    let page = TreePage(space.bytes(of: number))
    if page.isLeaf {
      let index = page.lowerBound(lower)
      return index < page.count ? page.key(index) : nil
    }
    // All pairs under the first of these children may be less. Then the first pair under the next
    // child is the result.
    for index in page.childIndex(lower)..<page.count {
      if let pair = first(from: lower, under: page.child(index), in: space) { return pair }
    }
    return nil
  }

  // MARK: Traversal

  /// Calls a closure with all pairs, in order.
  ///
  /// - Complexity: O(count)
  package func forEach<Failure: Error>(
    in space: PageSpace, _ body: (TreePair) throws(Failure) -> Void
  ) throws(Failure) {
    try forEach(.zero ... .greatest, in: space, body: body)
  }

  /// Calls a closure with the pairs of a range, in order. The closure must not edit the tree.
  ///
  /// - Complexity: O(log count + visited pairs)
  package func forEach<Failure: Error>(
    _ range: ClosedRange<TreePair>, in space: PageSpace,
    body: (TreePair) throws(Failure) -> Void
  ) throws(Failure) {
    guard count > 0 else { return }
    _ = try visit(range, under: root, in: space, body: body)
  }

  /// Calls a closure with the pairs of a range that are under a page.
  ///
  /// - Returns: False if the page contains a pair after the range, so that later pages need no
  ///   visit.
  private func visit<Failure: Error>(
    _ range: ClosedRange<TreePair>, under number: PageNumber, in space: PageSpace,
    body: (TreePair) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    let page = TreePage(space.bytes(of: number))
    let count = page.count
    guard page.isLeaf else {
      for index in page.childIndex(range.lowerBound)..<count {
        guard try visit(range, under: page.child(index), in: space, body: body) else {
          return false
        }
      }
      return true
    }
    for index in page.lowerBound(range.lowerBound)..<count {
      let pair = page.key(index)
      guard pair <= range.upperBound else { return false }
      try body(pair)
    }
    return true
  }

  /// Calls a closure with each page that can be reached from the root.
  ///
  /// - Complexity: O(pages)
  package func forEachPage(in space: PageSpace, _ body: (PageNumber) -> Void) {
    if count > 0 { visitPages(under: root, in: space, body) }
  }

  private func visitPages(
    under number: PageNumber, in space: PageSpace, _ body: (PageNumber) -> Void
  ) {
    let page = TreePage(space.bytes(of: number))
    if !page.isLeaf {
      for index in 0..<page.count { visitPages(under: page.child(index), in: space, body) }
    }
    body(number)
  }
}

extension PageTree {
  /// Traps if one of the invariants in the type's documentation is violated.
  ///
  /// - Complexity: O(count)
  package func checkInvariants(in space: PageSpace) {
    precondition(
      (count == 0) == root.isNone && (count == 0) == (height == 0),
      "\(count) pairs under \(root) in \(height) levels")
    guard count > 0 else { return }
    var seen = Seen()
    check(root, level: height - 1, isLast: true, in: space, seen: &seen)
    precondition(seen.count == count, "expected \(count) pairs, found \(seen.count)")
    let node = TreePage(space.bytes(of: root))
    precondition(
      node.isLeaf || node.count > 1, "invariant 5: the root has a child count of \(node.count)")
  }

  /// The number of pairs in the pages that were checked, and the last of these pairs.
  private struct Seen {
    var count = 0
    var last: TreePair?
  }

  /// Checks the pages under a page.
  private func check(
    _ number: PageNumber, level: Int, isLast: Bool, in space: PageSpace, seen: inout Seen
  ) {
    let page = TreePage(space.bytes(of: number))
    precondition(
      page.level == level, "invariant 1: \(number) is of level \(page.level), not \(level)")
    let count = page.count
    precondition(count > 0 && count <= page.countMax, "invariant 1: \(number) has \(count) entries")
    precondition(
      count >= page.countMin || isLast || number == root,
      "invariant 2: \(number) has \(count) entries")
    guard !page.isLeaf else {
      for index in 0..<count {
        let pair = page.key(index)
        if let last = seen.last {
          precondition(last < pair, "invariant 3: \(pair) follows \(last)")
        }
        seen.last = pair
      }
      seen.count += count
      return
    }
    for index in 0..<count {
      let child = page.child(index)
      let key = page.key(index)
      if let last = seen.last {
        precondition(last < key, "invariant 4: \(key) follows \(last)")
      }
      if let first = first(under: child, in: space) {
        precondition(key <= first, "invariant 4: \(key) precedes \(first)")
      }
      let childPage = TreePage(space.bytes(of: child))
      precondition(
        childPage.isLeaf || childPage.key(0) == key,
        "invariant 4: \(child) follows \(key) but starts with \(childPage.key(0))")
      check(
        child, level: level - 1, isLast: isLast && index == count - 1, in: space, seen: &seen)
    }
  }

  private func first(under number: PageNumber, in space: PageSpace) -> TreePair? {
    let page = TreePage(space.bytes(of: number))
    guard page.count > 0 else { return nil }
    return page.isLeaf ? page.key(0) : first(under: page.child(0), in: space)
  }
}
