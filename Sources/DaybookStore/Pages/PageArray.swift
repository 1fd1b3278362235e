/// Elements of one width by index, in pages.
///
/// A tree whose leaves hold the elements and whose inner pages hold 256 numbers of pages each. All
/// leaves are equally deep. A page of zeros need not be there: none reads as zeros.
///
/// The value is only the root, so a snapshot is a copy of it and a pin. Two copies must not both be
/// edited: the first edit may free pages that the other one has.
///
/// - Complexity: Reading, setting and appending are O(log₂₅₆ count).
@usableFromInline
package struct PageArray: Hashable, Sendable, BitwiseCopyable {
  /// How many elements there are.
  @usableFromInline package private(set) var count = 0
  @usableFromInline var root = PageNumber.none
  /// How many levels of pages there are; a tree of one level is a leaf.
  @usableFromInline var height: UInt8 = 1
  /// The logarithm of the element's bytes.
  @usableFromInline let widthShift: UInt8

  /// No elements, each of 4, 8 or 16 bytes.
  package init(elementByteCount: Int) {
    precondition(
      elementByteCount == 4 || elementByteCount == 8 || elementByteCount == 16,
      "elements of \(elementByteCount) bytes; they have 4, 8 or 16")
    widthShift = UInt8(elementByteCount.trailingZeroBitCount)
  }

  /// How many bytes an element has.
  @inlinable package var elementByteCount: Int { 1 << Int(widthShift) }
  /// How many elements a leaf has.
  @inlinable package var leafElementCount: Int { 1 << leafShift }

  @inlinable var leafShift: Int { 10 - Int(widthShift) }
  /// How many elements a tree of this height has room for.
  @inlinable var capacity: Int { 1 << (leafShift + 8 * (Int(height) - 1)) }

  // MARK: Reading

  /// The element at an index.
  @inlinable @inline(__always)
  package func element<Element: PageElement>(
    _ index: Int, as type: Element.Type, in space: PageSpace
  ) -> Element {
    check(index)
    checkWidth(type)
    return space.load(leaf(index, in: space), at: offset(index), as: type)
  }

  /// Hands out the elements of the leaf that has an index, with the index of the first of them.
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

  /// Hands out all elements in order.
  @inlinable @inline(__always)
  package func forEach<Element: PageElement, Failure: Error>(
    as type: Element.Type, in space: PageSpace,
    _ body: (_ index: Int, _ element: Element) throws(Failure) -> Void
  ) throws(Failure) {
    var next = 0
    while next < count {
      next = try withLeaf(containing: next, as: type, in: space) {
        (first, elements) throws(Failure) -> Int in
        for place in elements.indices { try body(first + place, elements[place]) }
        return first + elements.count
      }
    }
  }

  /// The leaf that has an index, or none.
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

  /// Where in its leaf the element at an index lies.
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
      "\(type) where elements have \(elementByteCount) bytes")
  }

  // MARK: Counting

  /// Changes how many elements there are; what is in between must read as zeros.
  @inlinable @inline(__always)
  mutating func setCount(_ newCount: Int) { count = newCount }
}

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
