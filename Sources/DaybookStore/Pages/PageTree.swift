/// An ordered set of pairs, stored in pages. A pair consists of a word of 64 bits and one of 32
/// bits.
///
/// It is a B-tree. All pairs are in its leaves, in order, with up to 84 in each leaf. Inner pages
/// have up to 63 children.
///
/// - A leaf that overflows is balanced with a neighbor. If the neighbor is also full, the two
///   leaves become three. So pairs that are inserted in random order fill four fifths of the pages.
///   A pair then takes at most 16 bytes, including the inner pages.
/// - If pairs are inserted in ascending order, the last leaf stays full and a new one is added. A
///   run of ascending pairs between others fills two thirds of its pages.
/// - A page that is less than a third full is joined with a neighbor, or filled from it.
///
/// Invariants:
/// 1. All leaves have the same depth, and no page is empty.
/// 2. Every page except the root and the last page of its level is at least a third full.
/// 3. The pairs are in ascending order, over all leaves.
/// 4. The key of a child in an inner page is at most the child's first pair, and above all pairs
///    before the child. If the child is an inner page, it is also the child's own first key.
/// 5. An inner page that is the root has two or more children.
///
/// The value consists of the root only, as with ``PageArray``, and the rules for copies are the
/// same.
package struct PageTree: Hashable, Sendable, BitwiseCopyable {
  /// The number of pairs.
  package internal(set) var count = 0
  var root = PageNumber.none
  /// The number of levels of pages. An empty tree has none.
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
    let place = page.lowerBound(pair)
    return place < page.count && page.key(place) == pair
  }

  /// Returns the first pair that is not less than a pair; nil if all are less.
  ///
  /// - Complexity: O(log count)
  package func first(from lower: TreePair = .zero, in space: PageSpace) -> TreePair? {
    count > 0 ? first(from: lower, under: root, in: space) : nil
  }

  /// Returns the first pair that is greater than a pair; nil if none is greater.
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
      let place = page.lowerBound(lower)
      return place < page.count ? page.key(place) : nil
    }
    // The child may have no such pair. Then the first pair of the next child is the result.
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
  /// - Returns: Whether the range may continue after the page.
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
    for place in page.lowerBound(range.lowerBound)..<count {
      let pair = page.key(place)
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

  /// The number of pairs in the pages that were checked, and the last of them.
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
      for place in 0..<count {
        let pair = page.key(place)
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
