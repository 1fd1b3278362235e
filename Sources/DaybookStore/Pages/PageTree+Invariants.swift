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
