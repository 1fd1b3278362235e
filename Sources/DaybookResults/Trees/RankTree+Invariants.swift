import DaybookStore

extension RankTree {
  /// Traps unless the invariants hold that are numbered in the type's documentation.
  ///
  /// - Complexity: O(count)
  package func checkInvariants(in space: PageSpace) {
    precondition(
      (count == 0) == root.isNone && (count == 0) == (height == 0),
      "\(count) entries under \(root), in \(height) levels")
    guard count > 0 else { return precondition(weight == 0, "no entries weigh \(weight)") }
    let found = check(root, level: height - 1, isLast: true, in: space)
    precondition(found.count == count, "\(found.count) entries in a tree of \(count)")
    precondition(found.weight == weight, "entries of \(found.weight) in a tree of \(weight)")
    let node = RankPage(space.bytes(of: root))
    precondition(
      node.isLeaf || node.count > 1, "invariant 4: the root has \(node.count) children")
  }

  /// Checks what is under a page, and says what that is, counted anew.
  private func check(
    _ number: PageNumber, level: Int, isLast: Bool, in space: PageSpace
  ) -> RankPage.Child {
    let page = RankPage(space.bytes(of: number))
    precondition(
      page.level == level, "invariant 1: \(number) is of level \(page.level), not \(level)")
    let count = page.count
    precondition(count > 0 && count <= page.countMax, "invariant 1: \(number) has \(count)")
    precondition(
      count >= page.countMin || isLast || number == root, "invariant 2: \(number) has \(count)")
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
        invariant 3: \(number) says of \(child.page) that it begins with \(page.entry(place)), has \
        \(page.childCount(place)) of \(page.childWeight(place)); it is \(child)
        """)
      if place == 0 { sum.first = child.first }
      sum.count += child.count
      sum.weight += child.weight
    }
    return sum
  }
}
