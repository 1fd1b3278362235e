extension PageArray {
  /// The elements at some indexes, in their order.
  ///
  /// If there are many, the way to each leaf is gone once, before.
  ///
  /// - Complexity: O(indexes), and O(leaves) at most
  func elements<Element: PageElement>(
    at indexes: [UInt32], as type: Element.Type, in space: PageSpace
  ) -> [Element] {
    checkWidth(type)
    let leafCount = (count + leafElementCount - 1) / leafElementCount
    guard indexes.count > leafCount else {
      return indexes.map { element(Int($0), as: type, in: space) }
    }
    let leaves = (0..<leafCount).map { leaf in
      space.bytes(of: self.leaf(leaf * leafElementCount, in: space))
    }
    let (count, leafShift, leafMask, widthShift) = (
      count, leafShift, leafElementCount - 1, Int(widthShift)
    )
    return [Element](unsafeUninitializedCapacity: indexes.count) { room, filled in
      for index in indexes {
        let index = Int(index)
        precondition(index < count, "element \(index) of \(count)")
        let offset = (index & leafMask) << widthShift
        room.initializeElement(at: filled, to: leaves[index >> leafShift].load(offset, as: type))
        filled += 1
      }
    }
  }
}
