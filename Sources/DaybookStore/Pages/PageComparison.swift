/// A comparison of arrays in two spaces, which skips the pages that both spaces share. The two
/// spaces may be the same space, a space and its fork, or two forks of one space.
package struct PageComparison {
  let one: PageSpace
  let other: PageSpace

  package init(of one: PageSpace, with other: PageSpace) {
    self.one = one
    self.other = other
  }

  /// Calls a closure for each index where two arrays have different elements, in ascending order.
  /// Both arrays must have elements of the same width. After the end of the shorter array, its
  /// elements count as zeros.
  ///
  /// The method does not read pages that both arrays share.
  ///
  /// - Parameters:
  ///   - array: An array in the first space.
  ///   - otherArray: An array in the second space.
  ///   - isSame: A closure that returns whether two elements with the given, equal bytes have the
  ///     same meaning in both spaces. For example, equal locations in the draft memories of two
  ///     contexts have different meanings.
  /// - Complexity: O(pages that are not shared)
  package func forEachDifference<Element: PageElement, Failure: Error>(
    from otherArray: PageArray, to array: PageArray, as type: Element.Type,
    isSame: (Element) -> Bool = { _ in true },
    _ body: (_ index: Int, _ element: Element, _ other: Element) throws(Failure) -> Void
  ) throws(Failure) {
    array.checkWidth(type)
    precondition(
      array.elementByteCount == otherArray.elementByteCount,
      "the elements have \(array.elementByteCount) and \(otherArray.elementByteCount) bytes")
    let height = Int(max(array.height, otherArray.height))
    let roots = Nodes(
      node: Node(page: array.root, missing: height - Int(array.height)),
      other: Node(page: otherArray.root, missing: height - Int(otherArray.height)),
      level: height - 1, first: 0)
    try visit(roots, leafShift: array.leafShift, isSame: isSame, body: body)
  }

  /// A page of the first or the second tree. The two trees can have different heights. The lower
  /// tree then gets imaginary inner pages above its root. The root is the first child of the lowest
  /// of them.
  private struct Node {
    var page: PageNumber
    /// The number of imaginary levels from the node down to the page.
    var missing = 0

    func child(_ index: Int, in space: PageSpace) -> Node {
      if missing > 0 {
        return index == 0 ? Node(page: page, missing: missing - 1) : Node(page: .none)
      }
      return Node(page: PageNumber(rawValue: space.load(page, at: index * 4, as: UInt32.self)))
    }
  }

  /// Two nodes for the same indexes, the number of levels below them, and the first of these
  /// indexes.
  private struct Nodes {
    var node: Node
    var other: Node
    var level: Int
    var first: Int
  }

  private func visit<Element: PageElement, Failure: Error>(
    _ nodes: Nodes, leafShift: Int, isSame: (Element) -> Bool,
    body: (_ index: Int, _ element: Element, _ other: Element) throws(Failure) -> Void
  ) throws(Failure) {
    let (node, otherNode) = (nodes.node, nodes.other)
    if node.page.isNone && otherNode.page.isNone { return }
    if node.missing == otherNode.missing, one.shares(node.page, with: otherNode.page, of: other) {
      return
    }
    guard nodes.level > 0 else {
      for index in 0..<1 << leafShift {
        let offset = index * MemoryLayout<Element>.size
        let element = one.load(node.page, at: offset, as: Element.self)
        let otherElement = other.load(otherNode.page, at: offset, as: Element.self)
        if element != otherElement || !isSame(element) {
          try body(nodes.first + index, element, otherElement)
        }
      }
      return
    }
    for index in 0..<256 {
      let children = Nodes(
        node: node.child(index, in: one), other: otherNode.child(index, in: other),
        level: nodes.level - 1,
        first: nodes.first + index << (leafShift + 8 * (nodes.level - 1)))
      try visit(children, leafShift: leafShift, isSame: isSame, body: body)
    }
  }
}

extension PageSpace {
  /// Returns whether a page is the same page as a page of a second space. The second space may be
  /// this space, a fork of this space, the space under this fork, or a second fork of that space.
  /// Pins must keep both pages.
  package func shares(
    _ page: PageNumber, with otherPage: PageNumber, of other: PageSpace
  ) -> Bool {
    guard page == otherPage else { return false }
    if self === other || page.isNone { return true }
    // Each fork has its own pages, so equal numbers with the fork's bit mean different pages in two
    // forks.
    return page.rawValue & PageNumber.forkBit == 0 && lower.chunks == other.lower.chunks
  }
}
