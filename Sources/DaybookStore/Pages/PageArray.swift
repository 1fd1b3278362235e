/// An array of fixed-width elements, stored in pages.
///
/// The pages form a tree. The leaves contain the elements, and each inner page contains 256 page
/// numbers. All leaves have the same depth. A page number can be `none`: the elements below it are
/// then zeros, and take no memory.
///
/// The struct contains only the root of the tree, so a snapshot is a copy of the struct together
/// with a pin. A program must edit only one of two copies, because an edit of one copy may free
/// pages that the second copy uses.
///
/// - Complexity: Reading, setting and appending are O(log₂₅₆ count).
@usableFromInline
package struct PageArray: Hashable, Sendable, BitwiseCopyable {
  /// The number of elements.
  @usableFromInline package private(set) var count = 0
  @usableFromInline var root = PageNumber.none
  /// The number of levels of pages. If it is 1, the root is a leaf.
  @usableFromInline var height: UInt8 = 1
  /// The binary logarithm of an element's width in bytes.
  @usableFromInline let widthShift: UInt8

  /// Creates an empty array of elements of 4, 8 or 16 bytes.
  package init(elementByteCount: Int) {
    precondition(
      elementByteCount == 4 || elementByteCount == 8 || elementByteCount == 16,
      "elements must have 4, 8 or 16 bytes, not \(elementByteCount)")
    widthShift = UInt8(elementByteCount.trailingZeroBitCount)
  }

  /// The width of an element in bytes.
  @inlinable package var elementByteCount: Int { 1 << Int(widthShift) }
  /// The number of elements in a leaf.
  @inlinable package var leafElementCount: Int { 1 << leafShift }

  /// The binary logarithm of the number of elements in a leaf. A leaf has 2¹⁰ bytes.
  @inlinable var leafShift: Int { 10 - Int(widthShift) }
  /// The number of elements that a tree with the present height can contain.
  @inlinable var capacity: Int { 1 << (leafShift + 8 * (Int(height) - 1)) }

  // MARK: Reading

  /// Returns the element at an index.
  @inlinable @inline(__always)
  package func element<Element: PageElement>(
    _ index: Int, as type: Element.Type, in space: PageSpace
  ) -> Element {
    check(index)
    checkWidth(type)
    return space.load(leaf(index, in: space), at: offset(index), as: type)
  }

  /// Calls a closure with all elements of the leaf that contains an index, and with the index of
  /// the leaf's first element.
  @inlinable @inline(__always)
  package func withLeaf<Element: PageElement, Result, Failure: Error>(
    containing index: Int, as type: Element.Type, in space: PageSpace,
    _ body: (_ first: Int, _ elements: Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    check(index)
    checkWidth(type)
    let first = index & ~(leafElementCount - 1)
    let bytes = space.bytes(of: leaf(index, in: space))
    let elements = UnsafeBufferPointer(
      start: UnsafePointer(bytes.start.assumingMemoryBound(to: Element.self)),
      count: min(leafElementCount, count - first))
    return try body(first, elements.span)
  }

  /// Calls a closure with all elements, in order.
  @inlinable @inline(__always)
  package func forEach<Element: PageElement, Failure: Error>(
    as type: Element.Type, in space: PageSpace,
    _ body: (_ index: Int, _ element: Element) throws(Failure) -> Void
  ) throws(Failure) {
    var next = 0
    while next < count {
      next = try withLeaf(containing: next, as: type, in: space) {
        (first, elements) throws(Failure) -> Int in
        for index in elements.indices { try body(first + index, elements[index]) }
        return first + elements.count
      }
    }
  }

  /// Returns the number of the leaf that contains an index; `none` if the elements of the leaf are
  /// zeros.
  @inlinable @inline(__always)
  func leaf(_ index: Int, in space: PageSpace) -> PageNumber {
    var page = root
    var shift = leafShift + 8 * (Int(height) - 2)
    while shift >= leafShift {
      page = PageNumber(
        rawValue: space.load(page, at: (index >> shift & 255) * 4, as: UInt32.self))
      shift -= 8
    }
    return page
  }

  /// Returns the offset of the element at an index in its leaf.
  @inlinable @inline(__always)
  func offset(_ index: Int) -> Int { (index & (leafElementCount - 1)) << Int(widthShift) }

  @inlinable @inline(__always)
  func check(_ index: Int) {
    precondition(index >= 0 && index < count, "element \(index) of \(count)")
  }

  @inlinable @inline(__always)
  func checkWidth<Element: PageElement>(_ type: Element.Type) {
    precondition(
      MemoryLayout<Element>.size == elementByteCount,
      "\(type) does not match elements of \(elementByteCount) bytes")
  }

  // MARK: Counting

  /// Changes the number of elements. The bytes of added elements must be zeros already.
  @inlinable @inline(__always)
  mutating func setCount(_ newCount: Int) { count = newCount }
}

extension PageArray {
  /// Returns the elements at some indexes, in the order of the indexes.
  ///
  /// If there are more indexes than leaves, the method first finds all leaves once.
  ///
  /// - Complexity: O(indexes)
  @inline(__always)
  func elements<Element: PageElement>(
    at indexes: [UInt32], as type: Element.Type, in space: PageSpace
  ) -> [Element] {
    elements(at: indexes, as: type, in: space) { $0 }
  }

  /// Returns the elements at some indexes, transformed by a closure, in the order of the indexes.
  ///
  /// - Complexity: O(indexes)
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
    // The elements are spread over memory, so the loop waits for memory. The processor can wait for
    // more loads at the same time if fewer instructions separate them. Therefore the indexes are
    // checked before the loop, and the shifts are constants for the compiler.
    if let greatest = indexes.max() { check(Int(greatest)) }
    let widthShift = MemoryLayout<Element>.size.trailingZeroBitCount
    let leafShift = PageDirectory.pageByteCount.trailingZeroBitCount - widthShift
    let leafMask = 1 << leafShift - 1
    return [Made](unsafeUninitializedCapacity: indexes.count) { room, filled in
      guard var destination = room.baseAddress else { return }
      let leaves = leaves.span
      for index in indexes {
        let index = Int(index)
        let leaf = leaves[unchecked: index &>> leafShift]
        destination.initialize(to: make(leaf.load((index & leafMask) &<< widthShift, as: type)))
        destination += 1
      }
      filled = indexes.count
    }
  }
}
