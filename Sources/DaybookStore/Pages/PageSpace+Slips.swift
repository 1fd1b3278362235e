/// Slips: what a fork has in the place of a copy of a page of which few elements are others.
///
/// Whoever changes a thousand records of a million changes sixteen bytes on each of as many pages. A slip names the
/// page below and has those bytes; it is read where the page would be. In another epoch another slip takes its place,
/// and when it has no more room a copy of the page does. Only pages under the fork have slips, as these stay where they
/// are for as long as it lives.
extension PageSpace {
  /// Sets an element of a leaf without a copy of the leaf, if that can be.
  ///
  /// - Returns: The page or the slip that stands for the leaf from now on, which is to be linked if it is another;
  ///   nil if the leaf has to be copied.
  /// - Complexity: O(1)
  func setApart(_ place: Int, to element: PagePair, on leaf: PageNumber) -> PageNumber? {
    guard isFork, !leaf.isNone else { return nil }
    guard leaf.isSlip else {
      guard isBase(leaf) else { return nil }
      let (number, slip) = addSlip()
      slip.begin(on: leaf)
      slip.set(place, to: element)
      return number
    }
    let slip = slip(leaf)
    guard slip.hasRoom(for: place) else { return nil }
    if own.birth(leaf.pageOfSlip) == writer.pointee.epoch {
      slip.set(place, to: element)
      return leaf
    }
    let (number, next) = addSlip()
    next.begin(like: slip)
    next.set(place, to: element)
    removeSlip(leaf)
    return number
  }

  /// The slip with a number.
  @inlinable @inline(__always)
  func slip(_ number: PageNumber) -> PageSlip {
    #if DAYBOOK_CHECKS
      precondition(own.birth(number.pageOfSlip) != 0, "\(number) is not in use")
    #endif
    return PageSlip(PageBytes(start: own.address(number.pageOfSlip)), at: number.offsetOfSlip)
  }

  /// The element at a place of a leaf.
  @inlinable @inline(__always)
  func element<Element: PageElement>(
    _ place: Int, of leaf: PageNumber, as type: Element.Type
  ) -> Element {
    let size = MemoryLayout<Element>.size
    guard size == PageSlip.elementByteCount, leaf.isSlip else {
      return load(leaf, at: place * size, as: type)
    }
    let slip = slip(leaf)
    return slip.element(place, as: type) ?? load(slip.page, at: place * size, as: type)
  }

  /// A page with the bytes that a leaf has with its slip, which is given up.
  func copied(ofSlip number: PageNumber) -> PageNumber {
    let slip = slip(number)
    let copy = copied(slip.page)
    slip.put(over: editableBytes(of: copy))
    removeSlip(number)
    return copy
  }

  // MARK: Slips in use

  /// A slip of which no byte is written yet.
  private func addSlip() -> (number: PageNumber, slip: PageSlip) {
    let (epoch, isFull) = (
      writer.pointee.epoch, writer.pointee.slipCount == PageSlip.slipCountMax
    )
    // Pins that see a page may read all of it but what tells which of its slips are in use.
    if isFull || own.birth(writer.pointee.slipPage) != epoch {
      let index = lists.withLock { $0.take(own).index }
      own.setBirth(index, epoch)
      writer.pointee.isEdited = true
      writer.pointee.slipPage = index
      writer.pointee.slipCount = 0
      PageBytes(start: own.address(index)).store(UInt32.zero, 0)
    }
    writer.pointee.slipCount += 1
    let number = PageNumber(slip: writer.pointee.slipCount, on: writer.pointee.slipPage)
    let page = PageBytes(start: own.address(number.pageOfSlip))
    page.store(page.load(0, as: UInt32.self) | number.bitOfSlip, 0)
    return (number, slip(number))
  }

  /// Gives up a slip. When the last on its page goes, so does that.
  func removeSlip(_ number: PageNumber) {
    let index = number.pageOfSlip
    let page = PageBytes(start: own.address(index))
    let inUse = page.load(0, as: UInt32.self)
    precondition(
      own.birth(index) != 0 && inUse & number.bitOfSlip != 0,
      "\(number) was freed, and is not in use")
    page.store(inUse ^ number.bitOfSlip, 0)
    guard inUse == number.bitOfSlip else { return }
    if index == writer.pointee.slipPage { writer.pointee.slipPage = 0 }
    writer.pointee.isEdited = true
    lists.withLock { lists in lists.retire(index, own) }
  }
}

extension PageNumber {
  /// Where the number of a slip has its place on its page: between the number of that and the bit that tells it from a
  /// page's.
  @inlinable static var slipShift: UInt32 { 26 }
  @inlinable static var slipBit: UInt32 { 1 << 30 }

  /// The slip with a number from one on, on a page of a fork.
  init(slip: Int, on page: UInt32) {
    precondition(
      slip > 0 && slip <= PageSlip.slipCountMax && page >> Self.slipShift == 0,
      "slip \(slip) of page \(page)")
    rawValue = Self.forkBit | Self.slipBit | UInt32(slip) << Self.slipShift | page
  }

  /// Whether it names a slip instead of a page.
  @inlinable var isSlip: Bool {
    @inline(__always) get { rawValue & Self.slipBit != 0 }
  }

  /// The index of the fork's page on which the slip lies.
  @inlinable var pageOfSlip: UInt32 { rawValue & (1 << Self.slipShift - 1) }

  /// That page.
  var ofSlip: PageNumber { PageNumber(rawValue: Self.forkBit | pageOfSlip) }

  /// What stands for it where its page says which of its slips are in use.
  var bitOfSlip: UInt32 { 1 << (rawValue >> Self.slipShift & 15) }

  /// Where on that page.
  @inlinable var offsetOfSlip: Int { Int(rawValue >> Self.slipShift & 15) << 6 }
}
