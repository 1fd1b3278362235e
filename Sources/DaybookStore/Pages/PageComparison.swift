/// A comparison of arrays in two spaces. One space may be a fork of the other, or both may be forks
/// of a third.
package struct PageComparison {
  let one: PageSpace
  let other: PageSpace

  package init(of one: PageSpace, with other: PageSpace) {
    self.one = one
    self.other = other
  }

  /// Calls a closure with each index where two arrays of the same width have different elements, in
  /// ascending order. Elements after the end of the shorter array read as zeros.
  ///
  /// Shared pages are not read.
  ///
  /// - Parameters:
  ///   - array: An array in the first space.
  ///   - otherArray: An array in the second space.
  ///   - isSame: Returns whether two elements with equal bytes have the same meaning.
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

  /// A page, or a missing inner page above a page that is its first descendant.
  private struct Node {
    var page: PageNumber
    /// The number of missing levels between the node and the page.
    var missing = 0

    func child(_ place: Int, in space: PageSpace) -> Node {
      if missing > 0 {
        return place == 0 ? Node(page: page, missing: missing - 1) : Node(page: .none)
      }
      return Node(page: PageNumber(rawValue: space.load(page, at: place * 4, as: UInt32.self)))
    }
  }

  /// Two nodes for the same elements, the number of levels below them, and the index of their first
  /// element.
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
      for place in 0..<1 << leafShift {
        let offset = place * MemoryLayout<Element>.size
        let element = one.load(node.page, at: offset, as: Element.self)
        let otherElement = other.load(otherNode.page, at: offset, as: Element.self)
        if element != otherElement || !isSame(element) {
          try body(nodes.first + place, element, otherElement)
        }
      }
      return
    }
    for place in 0..<256 {
      let children = Nodes(
        node: node.child(place, in: one), other: otherNode.child(place, in: other),
        level: nodes.level - 1,
        first: nodes.first + place << (leafShift + 8 * (nodes.level - 1)))
      try visit(children, leafShift: leafShift, isSame: isSame, body: body)
    }
  }
}

extension PageSpace {
  /// Returns whether a page is identical to a page of another space. The other space may be a fork
  /// of this one, the origin of this fork, or a fork of the same space. Pins must keep both pages.
  package func shares(
    _ page: PageNumber, with otherPage: PageNumber, of other: PageSpace
  ) -> Bool {
    guard page == otherPage else { return false }
    if self === other || page.isNone { return true }
    // A number with the fork's bit belongs to one fork only.
    return page.rawValue & PageNumber.forkBit == 0 && lower.chunks == other.lower.chunks
  }
}
