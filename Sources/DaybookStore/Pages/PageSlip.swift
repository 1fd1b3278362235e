/// What differs from a page in three elements of 16 bytes at the most: 64 bytes, in the place of a copy of 1024.
///
/// ```
///   0        4                 7   8         16             32             48             64
///   ├─ page ─┼─ three places ──┼───┼─────────┼─ element ────┼─ element ────┼─ element ────┤
///                a byte each: 0 if there is no such element, else its place on the page plus one
/// ```
///
/// Fifteen lie on a page of their own; the first 4 bytes of that say which of them are in use, a bit each. See
/// ``PageSpace/setApart(_:to:on:)``.
@usableFromInline
struct PageSlip {
  /// The page on which the slip lies, and where.
  @usableFromInline let bytes: PageBytes
  @usableFromInline let offset: Int

  @inlinable @inline(__always)
  init(_ bytes: PageBytes, at offset: Int) {
    self.bytes = bytes
    self.offset = offset
  }

  static var byteCount: Int { 64 }
  /// How many slips a page has room for.
  static var slipCountMax: Int { PageDirectory.pageByteCount / byteCount - 1 }
  @inlinable static var elementCountMax: Int { 3 }
  @inlinable static var elementByteCount: Int { 16 }

  /// The page that it differs from, and above it the places.
  @inlinable var head: UInt64 {
    @inline(__always) get { bytes.load(offset, as: UInt64.self) }
  }

  /// The page that it differs from.
  @inlinable var page: PageNumber {
    @inline(__always) get { PageNumber(rawValue: UInt32(truncatingIfNeeded: head)) }
  }

  /// The place of its element with an index; nil if there is none.
  func place(_ index: Int) -> Int? {
    let place = Int(head >> UInt64(32 + 8 * index) & 0xff)
    return place == 0 ? nil : place - 1
  }

  /// Where the element at a place stands among its bytes; nil if it does not differ.
  @inlinable @inline(__always)
  func offset(of place: Int) -> Int? {
    let head = head
    for index in 0..<Self.elementCountMax
    where Int(head >> UInt64(32 + 8 * index) & 0xff) == place + 1 {
      return offset + Self.elementByteCount * (index + 1)
    }
    return nil
  }

  /// The element at a place; nil if it does not differ.
  @inlinable @inline(__always)
  func element<Element: PageElement>(_ place: Int, as type: Element.Type) -> Element? {
    offset(of: place).map { bytes.load($0, as: type) }
  }

  // MARK: Changing

  /// Makes it one that differs in nothing.
  func begin(on page: PageNumber) { bytes.store(UInt64(page.rawValue), offset) }

  /// Makes it like another one.
  func begin(like other: PageSlip) {
    bytes.copy(offset, Self.byteCount, of: other.bytes, from: other.offset)
  }

  /// Whether the element at a place can be set.
  func hasRoom(for place: Int) -> Bool {
    self.place(Self.elementCountMax - 1) == nil || offset(of: place) != nil
  }

  /// Sets the element at a place, for which there must be room.
  func set(_ place: Int, to element: PagePair) {
    if let offset = offset(of: place) { return bytes.store(element, offset) }
    guard let index = (0..<Self.elementCountMax).first(where: { self.place($0) == nil }) else {
      preconditionFailure("no room for an element at place \(place) of a page")
    }
    bytes.store(element, offset + Self.elementByteCount * (index + 1))
    bytes.store(head | UInt64(place + 1) << UInt64(32 + 8 * index), offset)
  }

  /// Puts its elements over those of a copy of the page.
  func put(over copy: PageBytes) {
    for index in 0..<Self.elementCountMax {
      guard let place = place(index) else { return }
      copy.copy(
        place * Self.elementByteCount, Self.elementByteCount, of: bytes,
        from: offset + Self.elementByteCount * (index + 1))
    }
  }
}
