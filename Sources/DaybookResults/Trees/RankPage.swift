import DaybookStore

/// One page of a ``RankTree``.
///
/// ```
///   byte  0        4        8           16          352      520        688      856       1024
///         ├─ count ┼─ level ┼─ newest ┼──┼─ 84 keys, if the level is 0 ──┼─ 84 values ─────┤
///                                        ├─ 42 keys ┼ values ┼ children ┼ counts ┼ weights ┤
/// ```
///
/// *Newest* is the place at which something was put last: a hint for where to split the page. What
/// an inner page has for a child is the first entry under it, and how many entries there are and
/// what they weigh.
struct RankPage {
  let bytes: PageBytes

  @inline(__always)
  init(_ bytes: PageBytes) { self.bytes = bytes }

  /// How many entries a leaf has room for.
  static let leafCountMax = 84
  /// How many children an inner page has room for.
  static let childCountMax = 42
  private static let keysOffset = 16
  private static let leafValuesOffset = 688
  private static let valuesOffset = 352
  private static let childrenOffset = 520
  private static let countsOffset = 688
  private static let weightsOffset = 856

  /// What an inner page tells of a child.
  struct Child {
    var page: PageNumber
    var first: RankEntry
    var count: Int
    var weight: Int
  }

  /// How many entries or children the page has.
  var count: Int {
    @inline(__always) get { Int(bytes.load(0, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 0) }
  }

  /// How many levels lie below.
  var level: Int {
    get { Int(bytes.load(4, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 4) }
  }

  /// Where something was put last.
  var newestPlace: Int { Int(bytes.load(8, as: UInt32.self)) }

  var isLeaf: Bool { @inline(__always) get { bytes.load(4, as: UInt32.self) == 0 } }
  var countMax: Int { isLeaf ? Self.leafCountMax : Self.childCountMax }
  var isFull: Bool { count == countMax }
  /// With fewer the page is joined with a neighbour or filled up from it.
  var countMin: Int { countMax / 3 }
  /// Up to how many two neighbours may have for them to be joined: with room left, so that a page
  /// that was joined is not halved at once.
  var joinedCountMax: Int { countMax * 5 / 6 }

  // MARK: Reading

  @inline(__always)
  func entry(_ place: Int) -> RankEntry {
    RankEntry(
      bytes.load(Self.keysOffset + place << 3, as: UInt64.self),
      value: bytes.load(
        (isLeaf ? Self.leafValuesOffset : Self.valuesOffset) + place << 2, as: UInt32.self)
    )
  }

  /// The key of an entry, or of the first under a child.
  @inline(__always)
  func key(_ place: Int) -> UInt64 { bytes.load(Self.keysOffset + place << 3, as: UInt64.self) }

  /// The value of an entry of a leaf.
  @inline(__always)
  func value(_ place: Int) -> UInt32 {
    bytes.load(Self.leafValuesOffset + place << 2, as: UInt32.self)
  }

  /// Copies the values of some entries of a leaf.
  func copyValues(_ places: Range<Int>, to values: UnsafeMutableBufferPointer<UInt32>) {
    precondition(
      places.upperBound <= count && values.count == places.count, "\(places) of \(count)")
    bytes.copy(Self.leafValuesOffset + places.lowerBound << 2, to: values)
  }

  @inline(__always)
  func child(_ place: Int) -> PageNumber {
    PageNumber(rawValue: bytes.load(Self.childrenOffset + place << 2, as: UInt32.self))
  }

  /// How many entries there are under a child.
  @inline(__always)
  func childCount(_ place: Int) -> Int {
    Int(bytes.load(Self.countsOffset + place << 2, as: UInt32.self))
  }

  /// What the entries under a child weigh.
  @inline(__always)
  func childWeight(_ place: Int) -> Int {
    Int(bytes.load(Self.weightsOffset + place << 2, as: UInt32.self))
  }

  /// The sum of what a leaf's first entries weigh.
  func weight(before place: Int) -> Int {
    var weight = 0
    for place in 0..<place { weight += Int(value(place)) }
    return weight
  }

  /// What an inner page has to tell of this one.
  func summary(_ page: PageNumber, isWeighted: Bool) -> Child {
    let own = count
    var child = Child(page: page, first: entry(0), count: own, weight: 0)
    if isLeaf {
      if isWeighted { child.weight = weight(before: own) }
      return child
    }
    child.count = 0
    for place in 0..<own {
      child.count += childCount(place)
      child.weight += childWeight(place)
    }
    return child
  }

  // MARK: Finding

  /// The first of some places, which are in the order of their keys, whose entry is not before a key; their end if all
  /// are.
  ///
  /// - Parameter isBefore: Whether an entry that has the same key, told by its value, comes before what is looked for.
  @inline(__always)
  func firstPlace(
    of places: Range<Int>, notBefore key: UInt64, whereNot isBefore: (UInt32) -> Bool
  ) -> Int {
    var low = firstPlace(of: places, notBefore: key)
    guard low < places.upperBound, self.key(low) == key else { return low }
    let end = key == .max ? places.upperBound : firstPlace(of: places, notBefore: key + 1)
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

  /// The same without a look at entries that have the key.
  //
  // Every eighth key is looked at, then the seven that are left. So the lines of memory are asked for all at once,
  // where halving would wait for one after the other: in a great tree no leaf is in a cache.
  private func firstPlace(of places: Range<Int>, notBefore key: UInt64) -> Int {
    var eighths = 0
    for place in stride(from: places.lowerBound, to: places.upperBound, by: 8) {
      eighths += self.key(place) < key ? 1 : 0
    }
    guard eighths > 0 else { return places.lowerBound }
    let start = places.lowerBound + (eighths - 1) << 3 + 1
    var first = start
    for place in start..<min(start + 7, places.upperBound) {
      first += self.key(place) < key ? 1 : 0
    }
    return first
  }

  // MARK: Editing

  func set(_ entry: RankEntry, at place: Int) {
    bytes.store(entry.key, at: Self.keysOffset + place << 3)
    bytes.store(
      entry.value, at: (isLeaf ? Self.leafValuesOffset : Self.valuesOffset) + place << 2)
  }

  func set(_ child: Child, at place: Int) {
    set(child.first, at: place)
    bytes.store(child.page.rawValue, at: Self.childrenOffset + place << 2)
    bytes.store(UInt32(child.count), at: Self.countsOffset + place << 2)
    bytes.store(UInt32(child.weight), at: Self.weightsOffset + place << 2)
  }

  /// Notes that there are more entries under a child, or fewer, what they weigh more, and its page.
  func grow(_ place: Int, by count: Int, weight: Int, page: PageNumber) {
    bytes.store(page.rawValue, at: Self.childrenOffset + place << 2)
    bytes.store(UInt32(childCount(place) + count), at: Self.countsOffset + place << 2)
    bytes.store(UInt32(childWeight(place) + weight), at: Self.weightsOffset + place << 2)
  }

  /// Makes room at a place, for the caller to put something there; there must be room.
  func makeRoom(at place: Int) {
    let count = count
    precondition(!isFull && place <= count, "place \(place) of \(count) on a page")
    move(place..<count, of: self, to: place + 1)
    self.count = count + 1
    bytes.store(UInt32(place), at: 8)
  }

  /// Takes out what is at a place.
  func remove(at place: Int) {
    let count = count
    precondition(place < count, "place \(place) of \(count) on a page")
    move(place + 1..<count, of: self, to: place)
    self.count = count - 1
  }

  /// Moves the first or last of what a page has behind or before what this one has.
  func take(_ range: Range<Int>, of other: RankPage, at place: Int) {
    let otherCount = other.count
    let count = count
    precondition(
      range.upperBound <= otherCount && (range.lowerBound == 0 || range.upperBound == otherCount)
        && place <= count && count + range.count <= countMax && isLeaf == other.isLeaf,
      "\(range) of \(otherCount) go to \(place) of \(count)")
    move(place..<count, of: self, to: place + range.count)
    move(range, of: other, to: place)
    self.count = count + range.count
    if range.lowerBound == 0 { other.move(range.upperBound..<otherCount, of: other, to: 0) }
    other.count = otherCount - range.count
  }

  private func move(_ range: Range<Int>, of other: RankPage, to place: Int) {
    guard !range.isEmpty else { return }
    precondition(
      place + range.count <= countMax && range.upperBound <= countMax,
      "\(range) go to \(place), of \(countMax)")
    func move(_ offset: Int, by shift: Int) {
      bytes.copy(
        to: offset + place << shift, byteCount: range.count << shift, of: other.bytes,
        from: offset + range.lowerBound << shift)
    }
    move(Self.keysOffset, by: 3)
    guard !isLeaf else { return move(Self.leafValuesOffset, by: 2) }
    for offset in [Self.valuesOffset, Self.childrenOffset, Self.countsOffset, Self.weightsOffset] {
      move(offset, by: 2)
    }
  }
}

/// One entry of a ``RankTree``.
package struct RankEntry: Hashable, Sendable, BitwiseCopyable {
  package var key: UInt64
  package var value: UInt32

  package init(_ key: UInt64, value: UInt32) {
    self.key = key
    self.value = value
  }
}
