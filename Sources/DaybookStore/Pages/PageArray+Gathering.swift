extension PageArray {
  /// The elements at some indexes, in their order.
  ///
  /// If there are many, the way to each leaf is gone once, before.
  ///
  /// - Complexity: O(indexes), and O(leaves) at most
  @inline(__always)
  func elements<Element: PageElement>(
    at indexes: [UInt32], as type: Element.Type, in space: PageSpace
  ) -> [Element] {
    elements(at: indexes, as: type, in: space) { $0 }
  }

  /// What is made of the elements at some indexes, in their order.
  ///
  /// - Complexity: as without
  @inline(__always)
  func elements<Element: PageElement, Made>(
    at indexes: [UInt32], as type: Element.Type, in space: PageSpace, _ make: (Element) -> Made
  ) -> [Made] {
    checkWidth(type)
    let leafCount = (count + leafElementCount - 1) / leafElementCount
    guard indexes.count > leafCount else {
      return indexes.map { make(element(Int($0), as: type, in: space)) }
    }
    let leaves = (0..<leafCount).map { leaf in
      space.bytes(of: self.leaf(leaf * leafElementCount, in: space))
    }
    // The elements lie anywhere, and the processor waits for as many at a time as it can look ahead to: the fewer
    // instructions are between two of them, the more. So indexes are checked before, and shifts are the compiler's to know.
    if let greatest = indexes.max() { check(Int(greatest)) }
    let widthShift = MemoryLayout<Element>.size.trailingZeroBitCount
    let leafShift = PageDirectory.pageByteCount.trailingZeroBitCount - widthShift
    let leafMask = 1 << leafShift - 1
    return [Made](unsafeUninitializedCapacity: indexes.count) { room, filled in
      guard var place = room.baseAddress else { return }
      let leaves = leaves.span
      for index in indexes {
        let index = Int(index)
        let leaf = leaves[unchecked: index &>> leafShift]
        place.initialize(to: make(leaf.load((index & leafMask) &<< widthShift, as: type)))
        place += 1
      }
      filled = indexes.count
    }
  }
}
