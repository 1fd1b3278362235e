import DaybookPlatform

extension PageSpace {
  /// The page to store into in place of a page: the same one if no pin sees it, else a copy.
  ///
  /// The old page may not be used any more by the writer if the number differs.
  ///
  /// - Complexity: O(1); a copy of 1024 bytes the first time after a pin.
  @inlinable @inline(__always)
  package func editable(_ page: PageNumber) -> PageNumber {
    // A number of the space under a fork, or of a file, has a birth of zero here.
    isEditable(page) ? page : renewed(page)
  }

  /// Whether a page can be stored into as it is; not if it is none.
  @inlinable @inline(__always)
  package func isEditable(_ page: PageNumber) -> Bool {
    // The epoch is never zero, which is the birth of whatever is not in use here.
    own.birth(page.rawValue ^ ownBit) == writer.pointee.epoch
  }

  /// A page of zeros, to be stored into.
  @usableFromInline
  package func allocate() -> PageNumber {
    let (index, isUsed) = lists.withLock { lists in lists.take(own) }
    if isUsed {
      Memory.fill(own.address(index), with: 0, byteCount: PageDirectory.pageByteCount)
    }
    return born(index)
  }

  /// Gives up a page, which the writer may not use any more. Pins still can read it.
  package func free(_ page: PageNumber) {
    precondition(!page.isNone, "page none was freed")
    if isBase(page) { return }
    let index = page.rawValue ^ ownBit
    precondition(own.birth(index) != 0, "\(page) was freed, and is not in use")
    writer.pointee.isEdited = true
    lists.withLock { lists in lists.retire(index, in: own) }
  }

  @usableFromInline
  func renewed(_ page: PageNumber) -> PageNumber {
    precondition(!page.isNone, "page none was to be edited")
    if isBase(page) { return copied(page) }
    let index = page.rawValue ^ ownBit
    let birth = own.birth(index)
    precondition(birth != 0, "\(page) was to be edited, and is not in use")
    let source = address(of: page)
    let copy: UInt32? = lists.withLock { lists in
      // The pins that saw it are gone: it can be edited in place after all.
      guard lists.sees(birth) else { return nil }
      let copy = lists.take(own).index
      own.address(copy).copyMemory(from: source, byteCount: PageDirectory.pageByteCount)
      lists.retire(index, in: own)
      return copy
    }
    return born(copy ?? index)
  }

  /// A page with the bytes of one that stays where it is.
  func copied(_ page: PageNumber) -> PageNumber {
    let source = address(of: page)
    let index = lists.withLock { lists in lists.take(own).index }
    own.address(index).copyMemory(from: source, byteCount: PageDirectory.pageByteCount)
    return born(index)
  }

  /// Whether a page is of the space under this fork, or of the file that this space begins with.
  func isBase(_ page: PageNumber) -> Bool {
    let index = page.rawValue ^ ownBit
    return index & PageNumber.forkBit != 0 ? isFork : index < own.mappedPageCount
  }

  private func born(_ index: UInt32) -> PageNumber {
    own.setBirth(of: index, to: writer.pointee.epoch)
    writer.pointee.isEdited = true
    return PageNumber(rawValue: index | ownBit)
  }
}
