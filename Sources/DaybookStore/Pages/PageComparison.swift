/// A comparison of arrays in two spaces, of which one may be a fork of the other, or both forks of one.
package struct PageComparison {
  let one: PageSpace
  let other: PageSpace

  package init(of one: PageSpace, with other: PageSpace) {
    self.one = one
    self.other = other
  }

  /// Hands out the indexes at which two arrays of the same width have different elements, in order;
  /// what lies behind the end of one reads as zero.
  ///
  /// Pages that both share are not looked at.
  ///
  /// - Parameters:
  ///   - array: An array in the first space.
  ///   - otherArray: An array in the second space.
  ///   - isSame: Whether two elements that are equal mean the same.
  /// - Complexity: O(pages that are not shared)
  package func forEachDifference<Element: PageElement, Failure: Error>(
    from otherArray: PageArray, to array: PageArray, as type: Element.Type,
    isSame: (Element) -> Bool = { _ in true },
    _ body: (_ index: Int, _ element: Element, _ other: Element) throws(Failure) -> Void
  ) throws(Failure) {
    array.checkWidth(type)
    precondition(
      array.elementByteCount == otherArray.elementByteCount,
      "elements of \(array.elementByteCount) bytes and of \(otherArray.elementByteCount)")
    let height = Int(max(array.height, otherArray.height))
    let roots = Nodes(
      node: Node(page: array.root, missing: height - Int(array.height)),
      other: Node(page: otherArray.root, missing: height - Int(otherArray.height)),
      level: height - 1, first: 0)
    try visit(roots, leafShift: array.leafShift, isSame: isSame, body: body)
  }

  /// A page, or what would be a page above one that is the first under it.
  private struct Node {
    var page: PageNumber
    /// How many levels there are between the node and the page.
    var missing = 0

    func child(_ place: Int, in space: PageSpace) -> Node {
      if missing > 0 {
        return place == 0 ? Node(page: page, missing: missing - 1) : Node(page: .none)
      }
      return Node(page: PageNumber(rawValue: space.load(page, at: place * 4, as: UInt32.self)))
    }
  }

  /// Two nodes for the same elements: how many levels lie below, and the index of the first element.
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
  /// Whether a page is the same one as a page of another space, which may be a fork of this one, or
  /// this of that, or both forks of one. Both must be kept by pins.
  package func shares(
    _ page: PageNumber, with otherPage: PageNumber, of other: PageSpace
  ) -> Bool {
    guard page == otherPage else { return false }
    if self === other || page.isNone { return true }
    // Numbers with the fork's bit are of the fork alone.
    return page.rawValue & PageNumber.forkBit == 0 && lower.chunks == other.lower.chunks
  }
}
