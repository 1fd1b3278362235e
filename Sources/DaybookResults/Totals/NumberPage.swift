import DaybookStore

/// One page of a ``NumberTree``.
///
/// ```
///   byte  0        4        8  16                128                                1024
///         ├─ count ┼─ level ┼──┼─ 112 existences ┼─ 112 numbers, if the level is 0 ─┤
///                              ├─ 21 children, 48 bytes each ───────────────────────┤
///
///   child 0       4      8        12         14         15      16      24         32    48
///         ├─ page ┼ rows ┼ values ┼ exponent ┼ specials ┼ stale ┼ least ┼ greatest ┼ sum ┤
/// ```
///
/// A leaf, which has level 0, contains the numbers of a block of rows, and for each row a byte that
/// is 0 if the row has no number. An inner page contains children, and the totals of the rows under
/// each. Only the number of rows is correct in the totals of a stale child.
struct NumberPage {
  private let bytes: PageBytes

  @inline(__always)
  init(_ bytes: PageBytes) { self.bytes = bytes }

  /// The number of rows that a leaf has room for.
  static let rowCountMax = 112
  /// The number of children that an inner page has room for.
  static let childCountMax = 21
  private static let start = 16
  private static let numbersOffset = 128
  private static let childByteCount = 48

  /// The number of rows of a leaf, or of children of an inner page.
  var count: Int {
    @inline(__always) get { Int(bytes.load(0, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 0) }
  }

  /// The number of levels below the page; 0 for a leaf.
  var level: Int {
    get { Int(bytes.load(4, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 4) }
  }

  var isLeaf: Bool { @inline(__always) get { bytes.load(4, as: UInt32.self) == 0 } }
  var countMax: Int { isLeaf ? Self.rowCountMax : Self.childCountMax }

  /// The number of rows of a leaf, or under an inner page.
  var rowCount: Int { isLeaf ? count : (0..<count).reduce(0) { $0 + rowCount(under: $1) } }

  // MARK: Rows

  /// Returns the number of a row, as the integer of a ``TotalCell``; nil if the row has no number.
  @inline(__always)
  func word(_ index: Int) -> UInt64? {
    if bytes.load(Self.start + index, as: UInt8.self) == 0 { return nil }
    return bytes.load(Self.numbersOffset + index << 3, as: UInt64.self)
  }

  func cell(_ index: Int) -> TotalCell { word(index).map { .word($0) } ?? .none }

  func set(_ cell: TotalCell, at index: Int) {
    var number: UInt64?
    if case .word(let word) = cell { number = word }
    bytes.store(number == nil ? 0 : 1 as UInt8, at: Self.start + index)
    bytes.store(number ?? 0, at: Self.numbersOffset + index << 3)
  }

  // MARK: Children

  @inline(__always)
  private func offset(_ index: Int) -> Int { Self.start + index * Self.childByteCount }

  @inline(__always)
  func child(_ index: Int) -> PageNumber {
    PageNumber(rawValue: bytes.load(offset(index), as: UInt32.self))
  }

  @inline(__always)
  func rowCount(under index: Int) -> Int { Int(bytes.load(offset(index) + 4, as: UInt32.self)) }

  /// A Boolean value that indicates whether rows under a child changed after its totals were
  /// computed.
  @inline(__always)
  func isStale(_ index: Int) -> Bool { bytes.load(offset(index) + 15, as: UInt8.self) != 0 }

  /// Records the page of a child and the number of rows under it, and marks its totals as stale.
  func set(_ child: PageNumber, rowCount: Int, at index: Int) {
    bytes.store(child.rawValue, at: offset(index))
    bytes.store(UInt32(rowCount), at: offset(index) + 4)
    bytes.store(1 as UInt8, at: offset(index) + 15)
  }

  /// Returns the totals of the rows under a child.
  @inline(__always)
  func totals(_ index: Int) -> FixedTotals {
    let offset = offset(index)
    let scale = bytes.load(offset + 12, as: UInt32.self)
    let high = Int64(bitPattern: bytes.load(offset + 40, as: UInt64.self))
    return FixedTotals(
      valueCount: Int(bytes.load(offset + 8, as: UInt32.self)),
      sum: FixedSum(
        integer: Int128(high) << 64 | Int128(bytes.load(offset + 32, as: UInt64.self)),
        exponent: Int32(Int16(truncatingIfNeeded: scale)),
        specials: UInt8(truncatingIfNeeded: scale >> 16)),
      least: bytes.load(offset + 16, as: UInt64.self),
      greatest: bytes.load(offset + 24, as: UInt64.self))
  }

  /// Records the totals of the rows under a child. Returns false, and records nothing, if they do
  /// not fit.
  func set(_ totals: ColumnTotals, at index: Int) -> Bool {
    let offset = offset(index)
    guard let fixed = totals.fixed, let exponent = Int16(exactly: fixed.sum.exponent) else {
      return false
    }
    bytes.store(UInt32(fixed.valueCount), at: offset + 8)
    bytes.store(
      UInt32(UInt16(bitPattern: exponent)) | UInt32(fixed.sum.specials) << 16, at: offset + 12)
    bytes.store(fixed.least, at: offset + 16)
    bytes.store(fixed.greatest, at: offset + 24)
    bytes.store(UInt64(truncatingIfNeeded: fixed.sum.integer), at: offset + 32)
    bytes.store(UInt64(truncatingIfNeeded: fixed.sum.integer >> 64), at: offset + 40)
    return true
  }

  // MARK: Editing

  /// Makes room for an item at a position. The caller then writes the item. The page must not be
  /// full.
  func makeRoom(at index: Int) {
    let count = count
    precondition(count < countMax && index <= count, "place \(index) of \(count) on a page")
    move(index..<count, of: self, to: index + 1)
    self.count = count + 1
  }

  func remove(at index: Int) {
    let count = count
    precondition(index < count, "place \(index) of \(count) on a page")
    move(index + 1..<count, of: self, to: index)
    self.count = count - 1
  }

  /// Appends the last items of a second page, from a position on, to this page.
  func moveIn(from index: Int, of other: NumberPage) {
    let (count, otherCount) = (count, other.count)
    precondition(isLeaf == other.isLeaf && index <= otherCount, "\(index) of \(otherCount)")
    move(index..<otherCount, of: other, to: count)
    self.count = count + otherCount - index
    other.count = index
  }

  /// Copies items of a page to a position of this page. The counts of the pages stay the same.
  private func move(_ range: Range<Int>, of other: NumberPage, to index: Int) {
    precondition(
      index + range.count <= countMax && range.upperBound <= countMax,
      "cannot move \(range) to \(index); the limit is \(countMax)")
    func move(_ start: Int, width: Int) {
      bytes.copy(
        to: start + index * width, byteCount: range.count * width, of: other.bytes,
        from: start + range.lowerBound * width)
    }
    guard isLeaf else { return move(Self.start, width: Self.childByteCount) }
    move(Self.start, width: 1)
    move(Self.numbersOffset, width: 8)
  }
}
