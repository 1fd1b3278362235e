import DaybookStore

/// One page of a ``RankTree``.
///
/// ```
///   byte  0        4        8           16          352      520        688      856       1024
///         ├─ count ┼─ level ┼─ newest ┼──┼─ 84 keys, if the level is 0 ──┼─ 84 values ─────┤
///                                        ├─ 42 keys ┼ values ┼ children ┼ counts ┼ weights ┤
/// ```
///
/// *Newest* is the position of the last insertion, which decides where a full page is split. A
/// leaf, which has level 0, contains entries. An inner page contains children. For each child, it
/// records the first entry below the child, the number of entries below it, and their total weight.
struct RankPage {
  let bytes: PageBytes

  @inline(__always)
  init(_ bytes: PageBytes) { self.bytes = bytes }

  /// The number of entries that a leaf has room for.
  static let leafCountMax = 84
  /// The number of children that an inner page has room for.
  static let childCountMax = 42
  private static let keysOffset = 16
  private static let leafValuesOffset = 688
  private static let valuesOffset = 352
  private static let childrenOffset = 520
  private static let countsOffset = 688
  private static let weightsOffset = 856

  /// The information about a child that an inner page records.
  struct Child {
    var page: PageNumber
    var first: RankEntry
    var count: Int
    var weight: Int
  }

  /// The number of entries in a leaf, or of children in an inner page.
  var count: Int {
    @inline(__always) get { Int(bytes.load(0, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 0) }
  }

  /// The number of levels below the page; 0 for a leaf.
  var level: Int {
    get { Int(bytes.load(4, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 4) }
  }

  var newestIndex: Int { Int(bytes.load(8, as: UInt32.self)) }

  var isLeaf: Bool { @inline(__always) get { bytes.load(4, as: UInt32.self) == 0 } }
  var countMax: Int { isLeaf ? Self.leafCountMax : Self.childCountMax }
  var isFull: Bool { count == countMax }
  /// The smallest number of items. A page with fewer items is joined with a neighbor, or receives
  /// items from the neighbor.
  var countMin: Int { countMax / 3 }
  /// The largest total number of items of two neighbors that are joined. The limit leaves room in
  /// the joined page, so that the next insertion does not split the page again.
  var joinedCountMax: Int { countMax * 5 / 6 }

  // MARK: Reading

  @inline(__always)
  func entry(_ index: Int) -> RankEntry {
    RankEntry(
      bytes.load(Self.keysOffset + index << 3, as: UInt64.self),
      value: bytes.load(
        (isLeaf ? Self.leafValuesOffset : Self.valuesOffset) + index << 2, as: UInt32.self)
    )
  }

  /// The key of an entry, or of the first entry below a child.
  @inline(__always)
  func key(_ index: Int) -> UInt64 { bytes.load(Self.keysOffset + index << 3, as: UInt64.self) }

  /// The value of an entry of a leaf.
  @inline(__always)
  func value(_ index: Int) -> UInt32 {
    bytes.load(Self.leafValuesOffset + index << 2, as: UInt32.self)
  }

  func copyValues(_ indexes: Range<Int>, to values: UnsafeMutableBufferPointer<UInt32>) {
    precondition(
      indexes.upperBound <= count && values.count == indexes.count, "\(indexes) of \(count)")
    bytes.copy(Self.leafValuesOffset + indexes.lowerBound << 2, to: values)
  }

  @inline(__always)
  func child(_ index: Int) -> PageNumber {
    PageNumber(rawValue: bytes.load(Self.childrenOffset + index << 2, as: UInt32.self))
  }

  /// The number of entries below a child.
  @inline(__always)
  func childCount(_ index: Int) -> Int {
    Int(bytes.load(Self.countsOffset + index << 2, as: UInt32.self))
  }

  /// The total weight of the entries below a child.
  @inline(__always)
  func childWeight(_ index: Int) -> Int {
    Int(bytes.load(Self.weightsOffset + index << 2, as: UInt32.self))
  }

  /// Returns the total weight of a leaf's entries before a position.
  func weight(before index: Int) -> Int {
    var weight = 0
    for index in 0..<index { weight += Int(value(index)) }
    return weight
  }

  /// Returns the information about this page that its parent records.
  func summary(_ page: PageNumber, isWeighted: Bool) -> Child {
    let own = count
    var child = Child(page: page, first: entry(0), count: own, weight: 0)
    if isLeaf {
      if isWeighted { child.weight = weight(before: own) }
      return child
    }
    child.count = 0
    for index in 0..<own {
      child.count += childCount(index)
      child.weight += childWeight(index)
    }
    return child
  }

  // MARK: Finding

  /// Returns the position of the first entry in a range that is not before a key; the end of the
  /// range if all its entries are before the key. The entries in the range are in the order of
  /// their keys.
  ///
  /// - Parameter isBefore: A closure that receives the value of an entry with an equal key, and
  ///   returns whether that entry precedes the searched entry.
  @inline(__always)
  func firstIndex(
    of indexes: Range<Int>, notBefore key: UInt64, whereNot isBefore: (UInt32) -> Bool
  ) -> Int {
    var low = firstIndex(of: indexes, notBefore: key)
    guard low < indexes.upperBound, self.key(low) == key else { return low }
    let end = key == .max ? indexes.upperBound : firstIndex(of: indexes, notBefore: key + 1)
    var length = end - low
    while length > 0 {
      let half = length >> 1
      if isBefore(entry(low + half).value) {
        low += half + 1
        length -= half + 1
      } else {
        length = half
      }
    }
    return low
  }

  /// Returns the first position with a key that is not less than the given key. Only keys are
  /// compared.
  //
  // The search compares every eighth key, and then the seven keys after the last of these keys that
  // is smaller. These reads do not depend on each other, so the processor can read several cache
  // lines at the same time. A binary search would wait for one cache line after the other, because
  // the leaves of a large tree are not in a cache.
  private func firstIndex(of indexes: Range<Int>, notBefore key: UInt64) -> Int {
    var eighths = 0
    for index in stride(from: indexes.lowerBound, to: indexes.upperBound, by: 8) {
      eighths += self.key(index) < key ? 1 : 0
    }
    guard eighths > 0 else { return indexes.lowerBound }
    let start = indexes.lowerBound + (eighths - 1) << 3 + 1
    var first = start
    for index in start..<min(start + 7, indexes.upperBound) {
      first += self.key(index) < key ? 1 : 0
    }
    return first
  }

  // MARK: Editing

  func set(_ entry: RankEntry, at index: Int) {
    bytes.store(entry.key, at: Self.keysOffset + index << 3)
    bytes.store(
      entry.value, at: (isLeaf ? Self.leafValuesOffset : Self.valuesOffset) + index << 2)
  }

  func set(_ child: Child, at index: Int) {
    set(child.first, at: index)
    bytes.store(child.page.rawValue, at: Self.childrenOffset + index << 2)
    bytes.store(UInt32(child.count), at: Self.countsOffset + index << 2)
    bytes.store(UInt32(child.weight), at: Self.weightsOffset + index << 2)
  }

  /// Increases the recorded entry count and weight of a child, and records the child's page.
  func grow(_ index: Int, by count: Int, weight: Int, page: PageNumber) {
    bytes.store(page.rawValue, at: Self.childrenOffset + index << 2)
    bytes.store(UInt32(childCount(index) + count), at: Self.countsOffset + index << 2)
    bytes.store(UInt32(childWeight(index) + weight), at: Self.weightsOffset + index << 2)
  }

  /// Makes room for an item at a position. The caller then writes the item. The page must not be
  /// full.
  func makeRoom(at index: Int) {
    let count = count
    precondition(!isFull && index <= count, "place \(index) of \(count) on a page")
    move(index..<count, of: self, to: index + 1)
    self.count = count + 1
    bytes.store(UInt32(index), at: 8)
  }

  func remove(at index: Int) {
    let count = count
    precondition(index < count, "place \(index) of \(count) on a page")
    move(index + 1..<count, of: self, to: index)
    self.count = count - 1
  }

  /// Moves the first or the last items of a second page to a position of this page.
  func moveIn(_ range: Range<Int>, of other: RankPage, at index: Int) {
    let otherCount = other.count
    let count = count
    precondition(
      range.upperBound <= otherCount && (range.lowerBound == 0 || range.upperBound == otherCount)
        && index <= count && count + range.count <= countMax && isLeaf == other.isLeaf,
      "cannot move \(range) of \(otherCount) to \(index) of \(count)")
    move(index..<count, of: self, to: index + range.count)
    move(range, of: other, to: index)
    self.count = count + range.count
    if range.lowerBound == 0 { other.move(range.upperBound..<otherCount, of: other, to: 0) }
    other.count = otherCount - range.count
  }

  /// Copies items of a page to a position of this page. The counts of the pages stay the same.
  private func move(_ range: Range<Int>, of other: RankPage, to index: Int) {
    guard !range.isEmpty else { return }
    precondition(
      index + range.count <= countMax && range.upperBound <= countMax,
      "cannot move \(range) to \(index); the limit is \(countMax)")
    func move(_ offset: Int, by shift: Int) {
      bytes.copy(
        to: offset + index << shift, byteCount: range.count << shift, of: other.bytes,
        from: offset + range.lowerBound << shift)
    }
    move(Self.keysOffset, by: 3)
    guard !isLeaf else { return move(Self.leafValuesOffset, by: 2) }
    for offset in [Self.valuesOffset, Self.childrenOffset, Self.countsOffset, Self.weightsOffset] {
      move(offset, by: 2)
    }
  }
}

/// An entry of a ``RankTree``: eight bytes to compare, and a value.
///
/// In the tree of rows, the key is the first eight bytes of the row's own key, and the value is the
/// slot of the row. In the tree of sections, the key is the first eight bytes of the section's key,
/// and the value is the number of rows in the section.
package struct RankEntry: Hashable, Sendable, BitwiseCopyable {
  package var key: UInt64
  package var value: UInt32

  package init(_ key: UInt64, value: UInt32) {
    self.key = key
    self.value = value
  }
}
