/// An ordered set of pairs of a word and half of one, in pages.
///
/// A B-tree: all pairs stand in its leaves, up to 84 of them in each, in order; inner pages have up to 63 children.
///
/// A leaf that overflows gives to a neighbour, and if that is full, too, they become three. So pairs that come in any
/// order leave four fifths of the room taken: 16 bytes a pair at most, with all that leads to them. Of pairs that come
/// in ascending order the last leaf of all is left full and a new one begun, and a run of them between others leaves
/// two thirds full. A page that has lost two thirds of what it has room for is joined with a neighbour or filled up
/// from it.
///
/// 1. All leaves are equally deep, and no page is vacant.
/// 2. Every page but the root and the last of its level is at least a third full.
/// 3. The pairs are in ascending order, over all leaves.
/// 4. The key that an inner page has for a child is at most the child's first pair, and above all
///    that stands before the child. It is also the child's own first key, if that is an inner page.
/// 5. An inner page that is the root has two children or more.
///
/// The value is only the root, as with ``PageArray``, and the same holds for copies of it.
package struct PageTree: Hashable, Sendable, BitwiseCopyable {
  /// How many pairs there are.
  package internal(set) var count = 0
  var root = PageNumber.none
  /// How many levels of pages there are; a tree without pairs has none.
  package internal(set) var height = 0

  /// A set without pairs, which has no pages.
  package init() {}

  // MARK: Finding

  /// Whether a pair is in the set.
  ///
  /// - Complexity: O(log count)
  package func contains(_ pair: TreePair, in space: PageSpace) -> Bool {
    guard count > 0 else { return false }
    var page = TreePage(space.bytes(of: root))
    while !page.isLeaf { page = TreePage(space.bytes(of: page.child(page.childIndex(pair)))) }
    let place = page.lowerBound(pair)
    return place < page.count && page.key(place) == pair
  }

  /// The first pair that does not come before one; nil if all do.
  ///
  /// - Complexity: O(log count)
  package func first(from lower: TreePair = .zero, in space: PageSpace) -> TreePair? {
    count > 0 ? first(from: lower, under: root, in: space) : nil
  }

  /// The first pair that comes after one; nil if none does.
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
    // The child may have nothing from there on; then the next one begins with it.
    for index in page.childIndex(lower)..<page.count {
      if let pair = first(from: lower, under: page.child(index), in: space) { return pair }
    }
    return nil
  }

  // MARK: Going through

  /// Hands out all pairs in order.
  ///
  /// - Complexity: O(count)
  package func forEach<Failure: Error>(
    in space: PageSpace, _ body: (TreePair) throws(Failure) -> Void
  ) throws(Failure) {
    try forEach(.zero ... .greatest, in: space, body: body)
  }

  /// Hands out the pairs of a range, in order. The tree may not be edited meanwhile.
  ///
  /// - Complexity: O(log count + pairs handed out)
  package func forEach<Failure: Error>(
    _ range: ClosedRange<TreePair>, in space: PageSpace,
    body: (TreePair) throws(Failure) -> Void
  ) throws(Failure) {
    guard count > 0 else { return }
    _ = try visit(range, under: root, in: space, body: body)
  }

  /// - Returns: Whether the range may go on behind the page.
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

  /// Tells of every page that can be reached from the root.
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
  /// Traps unless the invariants hold that are numbered in the type's documentation.
  ///
  /// - Complexity: O(count)
  package func checkInvariants(in space: PageSpace) {
    precondition(
      (count == 0) == root.isNone && (count == 0) == (height == 0),
      "\(count) pairs under \(root), in \(height) levels")
    guard count > 0 else { return }
    var seen = Seen()
    check(root, level: height - 1, isLast: true, in: space, seen: &seen)
    precondition(seen.count == count, "\(seen.count) pairs in a tree of \(count)")
    let node = TreePage(space.bytes(of: root))
    precondition(
      node.isLeaf || node.count > 1, "invariant 5: the root has \(node.count) children")
  }

  /// The number of pairs in the pages that were checked, and the last of them.
  private struct Seen {
    var count = 0
    var last: TreePair?
  }

  /// Checks what is under a page.
  private func check(
    _ number: PageNumber, level: Int, isLast: Bool, in space: PageSpace, seen: inout Seen
  ) {
    let page = TreePage(space.bytes(of: number))
    precondition(
      page.level == level, "invariant 1: \(number) is of level \(page.level), not \(level)")
    let count = page.count
    precondition(count > 0 && count <= page.countMax, "invariant 1: \(number) has \(count)")
    precondition(
      count >= page.countMin || isLast || number == root, "invariant 2: \(number) has \(count)")
    guard !page.isLeaf else {
      for place in 0..<count {
        let pair = page.key(place)
        if let last = seen.last {
          precondition(last < pair, "invariant 3: \(pair) stands after \(last)")
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
        precondition(last < key, "invariant 4: \(key) stands after \(last)")
      }
      if let first = first(under: child, in: space) {
        precondition(key <= first, "invariant 4: \(key) stands before \(first)")
      }
      let childPage = TreePage(space.bytes(of: child))
      precondition(
        childPage.isLeaf || childPage.key(0) == key,
        "invariant 4: \(child) is behind \(key) and begins with \(childPage.key(0))")
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
