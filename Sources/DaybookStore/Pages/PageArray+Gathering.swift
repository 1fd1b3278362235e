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
    let (count, leafShift, leafMask, widthShift) = (
      count, leafShift, leafElementCount - 1, Int(widthShift)
    )
    return [Made](unsafeUninitializedCapacity: indexes.count) { room, filled in
      for index in indexes {
        let index = Int(index)
        precondition(index < count, "element \(index) of \(count)")
        let offset = (index & leafMask) << widthShift
        room.initializeElement(
          at: filled, to: make(leaves[index >> leafShift].load(offset, as: type)))
        filled += 1
      }
    }
  }
}
