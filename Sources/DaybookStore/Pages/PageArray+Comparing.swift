extension PageArray {
  /// Hands out the indexes at which another array of the same width has another element, in order;
  /// what lies behind the end of one reads as zero.
  ///
  /// Pages that both share are not looked at.
  ///
  /// - Parameters:
  ///   - space: Where the pages of this array are.
  ///   - isSame: Whether two elements that are equal mean the same.
  /// - Complexity: O(pages that are not shared)
  package func forEachDifference<Element: PageElement, Failure: Error>(
    as type: Element.Type, in space: PageSpace, from other: PageArray, in otherSpace: PageSpace,
    isSame: (Element) -> Bool = { _ in true },
    _ body: (_ index: Int, _ element: Element, _ other: Element) throws(Failure) -> Void
  ) throws(Failure) {
    checkWidth(type)
    precondition(
      elementByteCount == other.elementByteCount,
      "elements of \(elementByteCount) bytes and of \(other.elementByteCount)")
    let comparison = PageComparison(one: space, other: otherSpace, leafShift: leafShift)
    let height = Int(max(height, other.height))
    try comparison.visit(
      comparison.raised(root, from: Int(self.height), to: height),
      comparison.raised(other.root, from: Int(other.height), to: height), level: height - 1,
      first: 0, isSame, body)
  }
}

/// Going through two trees of pages at once.
private struct PageComparison {
  let one: PageSpace
  let other: PageSpace
  let leafShift: Int

  /// A page, or what would be a page above one that is the first under it.
  struct Node {
    var page: PageNumber
    /// How many levels there are between the node and the page.
    var missing = 0

    var isNone: Bool { page.isNone }
  }

  func raised(_ root: PageNumber, from height: Int, to wanted: Int) -> Node {
    Node(page: root, missing: wanted - height)
  }

  private func child(_ node: Node, _ place: Int, in space: PageSpace) -> Node {
    if node.missing > 0 {
      return place == 0 ? Node(page: node.page, missing: node.missing - 1) : Node(page: .none)
    }
    return Node(page: PageNumber(rawValue: space.load(node.page, at: place * 4, as: UInt32.self)))
  }

  func visit<Element: PageElement, Failure: Error>(
    _ node: Node, _ otherNode: Node, level: Int, first: Int, _ isSame: (Element) -> Bool,
    _ body: (_ index: Int, _ element: Element, _ other: Element) throws(Failure) -> Void
  ) throws(Failure) {
    if node.isNone && otherNode.isNone { return }
    if node.missing == otherNode.missing, one.shares(node.page, with: other, otherNode.page) {
      return
    }
    guard level > 0 else {
      for place in 0..<1 << leafShift {
        let offset = place * MemoryLayout<Element>.size
        let element = one.load(node.page, at: offset, as: Element.self)
        let otherElement = other.load(otherNode.page, at: offset, as: Element.self)
        if element != otherElement || !isSame(element) {
          try body(first + place, element, otherElement)
        }
      }
      return
    }
    for place in 0..<256 {
      try visit(
        child(node, place, in: one), child(otherNode, place, in: other), level: level - 1,
        first: first + place << (leafShift + 8 * (level - 1)), isSame, body)
    }
  }
}

extension PageSpace {
  /// Whether a page is the same one as a page of another space, which may be a fork of this one, or
  /// this of that, or both forks of one. Both must be kept by pins.
  package func shares(_ page: PageNumber, with other: PageSpace, _ otherPage: PageNumber) -> Bool {
    guard page == otherPage else { return false }
    if self === other || page.isNone { return true }
    // Numbers with the fork's bit are of the fork alone.
    return page.rawValue & PageNumber.forkBit == 0 && lower.chunks == other.lower.chunks
  }
}
