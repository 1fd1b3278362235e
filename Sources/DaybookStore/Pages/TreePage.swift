/// One page of a ``PageTree``.
///
/// ```
///   byte  0        4        8            16                          772                   1024
///         ├─ count ┼─ level ┼─ newest ┼──┼─ 84 pairs, if the level is 0 ───────────────────┤
///                                        ├─ 63 keys ─────────────────┼─ 63 child pages ────┤
/// ```
///
/// A pair or a key takes 12 bytes: a 64-bit integer and a 32-bit integer.
///
/// *Newest* is the index of the last insertion. When the page is full, the tree uses this index to
/// detect a run of ascending insertions.
///
/// The entries of a leaf are its pairs. The entries of an inner page are its children, each with a
/// key.
struct TreePage {
  let bytes: PageBytes

  @inline(__always)
  init(_ bytes: PageBytes) { self.bytes = bytes }

  /// The number of pairs that fit into a leaf.
  static let leafCountMax = 84
  /// The number of children that fit into an inner page.
  static let childCountMax = 63
  private static let keysOffset = 16
  private static let childrenOffset = 772

  private static let keyByteCount = 12

  @inline(__always)
  private static func offset(ofKey index: Int) -> Int { keysOffset + index &* keyByteCount }

  /// Returns the offset of the number of the child at an index.
  @inline(__always)
  static func offset(ofChild index: Int) -> Int { childrenOffset + index << 2 }

  /// The number of pairs or children in the page.
  var count: Int {
    @inline(__always) get { Int(bytes.load(0, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 0) }
  }

  /// The number of levels below the page.
  var level: Int {
    get { Int(bytes.load(4, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 4) }
  }

  /// The index of the last insertion.
  var newestIndex: Int { Int(bytes.load(8, as: UInt32.self)) }

  var isLeaf: Bool { @inline(__always) get { bytes.load(4, as: UInt32.self) == 0 } }
  var countMax: Int { isLeaf ? Self.leafCountMax : Self.childCountMax }
  var isFull: Bool { count == countMax }
  /// The smallest number of entries of a page. After a removal, a page with fewer entries is joined
  /// with a neighbor, or gets entries from the neighbor.
  var countMin: Int { countMax / 3 }
  /// The largest number of entries that two neighbors may have together to be joined. It is less
  /// than a full page, so that the next insertions do not split the joined page again.
  var joinedCountMax: Int { countMax * 5 / 6 }

  // MARK: Reading

  @inline(__always)
  func key(_ index: Int) -> TreePair {
    let offset = Self.offset(ofKey: index)
    return TreePair(
      bytes.load(offset, as: UInt64.self), second: bytes.load(offset + 8, as: UInt32.self))
  }

  @inline(__always)
  func child(_ index: Int) -> PageNumber {
    PageNumber(rawValue: bytes.load(Self.offset(ofChild: index), as: UInt32.self))
  }

  /// Returns the index of the first key that is greater than or equal to a pair; the count of the
  /// page if all keys are less.
  @inline(__always)
  func lowerBound(_ pair: TreePair) -> Int {
    var low = 0
    var length = count
    while length > 0 {
      let half = length >> 1
      if key(low + half) < pair {
        low += half + 1
        length -= half + 1
      } else {
        length = half
      }
    }
    return low
  }

  /// Returns the index of the child that contains a pair if the tree contains the pair. It is the
  /// last child whose key is not greater than the pair.
  @inline(__always)
  func childIndex(_ pair: TreePair) -> Int {
    var low = 1
    var length = count - 1
    while length > 0 {
      let half = length >> 1
      if pair < key(low + half) {
        length = half
      } else {
        low += half + 1
        length -= half + 1
      }
    }
    return low - 1
  }

  // MARK: Editing

  func setKey(at index: Int, to key: TreePair) {
    let offset = Self.offset(ofKey: index)
    bytes.store(key.first, at: offset)
    bytes.store(key.second, at: offset + 8)
  }

  func setChild(at index: Int, to child: PageNumber) {
    bytes.store(child.rawValue, at: Self.offset(ofChild: index))
  }

  /// Inserts a pair, or a child with its key, at an index. The page must not be full.
  func insert(_ key: TreePair, child: PageNumber = .none, at index: Int) {
    let count = count
    precondition(!isFull && index <= count, "place \(index) of \(count) on a page")
    move(index..<count, to: index + 1)
    self.count = count + 1
    bytes.store(UInt32(index), at: 8)
    setKey(at: index, to: key)
    if !isLeaf { setChild(at: index, to: child) }
  }

  /// Removes the entry at an index.
  func remove(at index: Int) {
    let count = count
    precondition(index < count, "place \(index) of \(count) on a page")
    move(index + 1..<count, to: index)
    self.count = count - 1
  }

  /// Moves entries from a second page to an index of this page. The entries must be the first or
  /// the last ones of the second page.
  func moveIn(_ range: Range<Int>, of other: TreePage, at index: Int) {
    let otherCount = other.count
    let count = count
    precondition(
      range.upperBound <= otherCount && (range.lowerBound == 0 || range.upperBound == otherCount)
        && index <= count && count + range.count <= countMax && isLeaf == other.isLeaf,
      "cannot move \(range) of \(otherCount) to \(index) of \(count)")
    move(index..<count, to: index + range.count)
    copy(range, of: other, to: index)
    self.count = count + range.count
    if range.lowerBound == 0 { other.move(range.upperBound..<otherCount, to: 0) }
    other.count = otherCount - range.count
  }

  private func move(_ range: Range<Int>, to index: Int) {
    if !range.isEmpty { copy(range, of: self, to: index) }
  }

  private func copy(_ range: Range<Int>, of other: TreePage, to index: Int) {
    precondition(
      range.lowerBound >= 0 && index >= 0 && index + range.count <= countMax
        && range.upperBound <= countMax,
      "cannot move \(range) to \(index); the limit is \(countMax)")
    (bytes.start + Self.offset(ofKey: index)).copyMemory(
      from: other.bytes.start + Self.offset(ofKey: range.lowerBound),
      byteCount: range.count * Self.keyByteCount)
    guard !isLeaf else { return }
    (bytes.start + Self.childrenOffset + index << 2).copyMemory(
      from: other.bytes.start + Self.childrenOffset + range.lowerBound << 2,
      byteCount: range.count << 2)
  }
}

/// An element of a ``PageTree``: a 64-bit integer and a 32-bit integer. Pairs are ordered by the
/// first integer, and pairs with equal first integers by the second one.
package struct TreePair: Hashable, Comparable, BitwiseCopyable, Sendable {
  package var first: UInt64
  package var second: UInt32

  @inline(__always)
  package init(_ first: UInt64, second: UInt32) {
    self.first = first
    self.second = second
  }

  /// The least pair.
  package static var zero: TreePair { TreePair(0, second: 0) }

  /// The greatest pair.
  static var greatest: TreePair { TreePair(.max, second: .max) }

  /// Returns whether a pair is ordered before a second pair.
  @inline(__always)
  package static func < (one: TreePair, other: TreePair) -> Bool {
    one.first < other.first || one.first == other.first && one.second < other.second
  }

  /// The next greater pair; nil for the greatest pair.
  var following: TreePair? {
    if second < .max { return TreePair(first, second: second + 1) }
    return first < .max ? TreePair(first + 1, second: 0) : nil
  }
}
