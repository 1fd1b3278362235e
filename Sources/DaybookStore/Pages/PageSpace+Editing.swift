import DaybookPlatform

extension PageSpace {
  /// Makes a page editable. Returns the same page if no pin sees it; otherwise copies the page and
  /// returns the copy.
  ///
  /// If the result is a copy, the writer must not use the old page after the call.
  ///
  /// - Complexity: O(1). The first call for a page after a pin copies 1024 bytes.
  @inlinable @inline(__always)
  package func editable(_ page: PageNumber) -> PageNumber {
    // The birth is 0 here for pages of a file and for pages of the space under a fork, so `renewed`
    // copies them.
    isEditable(page) ? page : renewed(page)
  }

  /// Returns whether the writer may store into a page without a copy. The result is false for
  /// `none`.
  @inlinable @inline(__always)
  package func isEditable(_ page: PageNumber) -> Bool {
    // The epoch is never 0. The birth is 0 for every page that this space has not allocated.
    own.birth(page.rawValue ^ ownBit) == writer.pointee.epoch
  }

  /// Allocates an editable page of zeros.
  @usableFromInline
  package func allocate() -> PageNumber {
    let (index, isUsed) = lists.withLock { lists in lists.allocate(in: own) }
    if isUsed {
      Memory.fill(own.address(index), with: 0, byteCount: PageDirectory.pageByteCount)
    }
    return born(index)
  }

  /// Frees a page. The writer must not use the page after the call. Readers with a pin that sees
  /// the page can still read it.
  package func free(_ page: PageNumber) {
    precondition(!page.isNone, "no page was given to free")
    if isBase(page) { return }
    let index = page.rawValue ^ ownBit
    precondition(own.birth(index) != 0, "\(page) was freed but is not in use")
    writer.pointee.isEdited = true
    lists.withLock { lists in lists.retire(index, in: own) }
  }

  /// Makes a page editable that was not born in the current epoch.
  @usableFromInline
  func renewed(_ page: PageNumber) -> PageNumber {
    precondition(!page.isNone, "no page was given to edit")
    if isBase(page) { return copied(page) }
    let index = page.rawValue ^ ownBit
    let birth = own.birth(index)
    precondition(birth != 0, "\(page) cannot be edited because it is not in use")
    let source = address(of: page)
    let copy: UInt32? = lists.withLock { lists in
      // If no pin sees the page, all pins that saw it were released, so the page is edited in
      // place.
      guard lists.sees(birth) else { return nil }
      let copy = lists.allocate(in: own).index
      own.address(copy).copyMemory(from: source, byteCount: PageDirectory.pageByteCount)
      lists.retire(index, in: own)
      return copy
    }
    return born(copy ?? index)
  }

  /// Allocates a copy of a page. The page stays unchanged.
  func copied(_ page: PageNumber) -> PageNumber {
    let source = address(of: page)
    let index = lists.withLock { lists in lists.allocate(in: own).index }
    own.address(index).copyMemory(from: source, byteCount: PageDirectory.pageByteCount)
    return born(index)
  }

  /// Returns whether a page belongs to the space under this fork, or to the file that this space
  /// starts with.
  func isBase(_ page: PageNumber) -> Bool {
    let index = page.rawValue ^ ownBit
    return index & PageNumber.forkBit != 0 ? isFork : index < own.mappedPageCount
  }

  /// Sets the birth of a page to the current epoch, and returns the number of the page.
  private func born(_ index: UInt32) -> PageNumber {
    own.setBirth(of: index, to: writer.pointee.epoch)
    writer.pointee.isEdited = true
    return PageNumber(rawValue: index | ownBit)
  }
}
