extension PageSpace {
  /// The number of bytes in a page.
  @inlinable package static var pageByteCount: Int { PageDirectory.pageByteCount }

  /// Returns the value at an offset of a page; zero if the page is `none`.
  @inlinable @inline(__always)
  package func load<Element: PageElement>(
    _ page: PageNumber, at offset: Int, as type: Element.Type
  ) -> Element {
    bytes(of: page).load(offset, as: type)
  }

  /// Stores a value into a page, which must be editable.
  @inlinable @inline(__always)
  package func store<Element: PageElement>(
    _ element: Element, in page: PageNumber, at offset: Int
  ) {
    editableBytes(of: page).store(element, at: offset)
  }

  /// Calls a closure with the bytes of a page, so that many loads find the address of the page only
  /// once.
  @inlinable @inline(__always)
  package func withBytes<Result, Failure: Error>(
    of page: PageNumber, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = UnsafeRawBufferPointer(
      start: bytes(of: page).start, count: PageDirectory.pageByteCount)
    return try body(bytes.bytes)
  }

  /// Returns the bytes of a page. The result is valid while a pin sees the page, or while the
  /// writer uses the page.
  @inlinable @inline(__always)
  package func bytes(of page: PageNumber) -> PageBytes {
    PageBytes(start: address(of: page))
  }

  /// Returns the bytes of an editable page. The result is valid until the writer frees the page or
  /// calls ``editable(_:)`` for it again.
  @inlinable @inline(__always)
  package func editableBytes(of page: PageNumber) -> PageBytes {
    precondition(!page.isNone, "no page was given to store into")
    #if DAYBOOK_CHECKS
      let birth = own.birth(page.rawValue ^ ownBit)
      precondition(
        birth == writer.pointee.epoch,
        "\(page) of epoch \(birth) cannot be written in epoch \(writer.pointee.epoch)")
    #endif
    return bytes(of: page)
  }

  /// Returns the address of a page.
  @inlinable @inline(__always)
  func address(of page: PageNumber) -> UnsafeMutableRawPointer {
    let directory = page.rawValue & PageNumber.forkBit == 0 ? lower : upper
    let index = page.rawValue & ~PageNumber.forkBit
    #if DAYBOOK_CHECKS
      precondition(
        page.isNone || index < directory.mappedPageCount || directory.birth(index) != 0,
        "\(page) is not in use")
    #endif
    return directory.address(index)
  }
}

/// The bytes of one page. Each access checks the page's bounds.
@usableFromInline
package struct PageBytes {
  @usableFromInline let start: UnsafeMutableRawPointer

  @inlinable @inline(__always)
  init(start: UnsafeMutableRawPointer) {
    self.start = start
  }

  @inlinable @inline(__always)
  package func load<Element: PageElement>(_ offset: Int, as type: Element.Type) -> Element {
    precondition(
      UInt(bitPattern: offset)
        <= UInt(PageDirectory.pageByteCount - MemoryLayout<Element>.size),
      "\(Element.self) at byte \(offset) of a page")
    return start.loadUnaligned(fromByteOffset: offset, as: Element.self)
  }

  @inlinable @inline(__always)
  package func store<Element: PageElement>(_ element: Element, at offset: Int) {
    precondition(
      UInt(bitPattern: offset)
        <= UInt(PageDirectory.pageByteCount - MemoryLayout<Element>.size),
      "\(Element.self) at byte \(offset) of a page")
    start.storeBytes(of: element, toByteOffset: offset, as: Element.self)
  }

  /// Copies consecutive elements from the page to a buffer.
  @inlinable
  package func copy<Element: PageElement>(
    _ offset: Int, to elements: UnsafeMutableBufferPointer<Element>
  ) {
    let byteCount = elements.count * MemoryLayout<Element>.stride
    precondition(
      offset >= 0 && offset + byteCount <= PageDirectory.pageByteCount,
      "\(byteCount) bytes from \(offset) of a page")
    UnsafeMutableRawBufferPointer(elements)
      .copyMemory(from: UnsafeRawBufferPointer(start: start + offset, count: byteCount))
  }

  /// Copies consecutive bytes from a source page to this page. The source may be this page.
  package func copy(to offset: Int, byteCount: Int, of other: PageBytes, from source: Int) {
    let end = PageDirectory.pageByteCount
    precondition(
      byteCount >= 0 && offset >= 0 && source >= 0 && offset + byteCount <= end
        && source + byteCount <= end,
      "\(byteCount) bytes from \(source) to \(offset) of a page")
    (start + offset).copyMemory(from: other.start + source, byteCount: byteCount)
  }
}
