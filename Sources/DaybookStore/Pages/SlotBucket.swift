/// One page of a bucket of a ``SlotTable``: a small hash table of its own.
///
/// ```
///   byte  0        4            8                                        1024
///         ├─ count ┼─ next page ┼─ 127 places of 8 bytes ─────────────────┤
///   place: tag, 32 bits ┊ slot + 1, 32 bits; zero if vacant
/// ```
///
/// The high bits of an entry's tag decide its home, and it lies there or in one of the places that
/// follow, round the end. Whoever is farther from home takes the place ("Robin Hood"), so that a
/// search can stop at the first entry that is nearer to its home than the one looked for would be.
/// Removing moves the followers back: there are no tombstones.
@usableFromInline
struct SlotBucket {
  @usableFromInline let bytes: PageBytes

  @inlinable @inline(__always)
  init(_ bytes: PageBytes) { self.bytes = bytes }

  /// How many entries a page has room for.
  @inlinable static var placeCount: Int { 127 }

  /// How many entries the page has.
  @inlinable var count: Int {
    @inline(__always) get { Int(bytes.load(0, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 0) }
  }

  /// Where the number of the next page stands.
  @inlinable static var nextOffset: Int { 4 }

  /// The page on which the bucket goes on.
  @inlinable var next: PageNumber {
    @inline(__always) get { PageNumber(rawValue: bytes.load(Self.nextOffset, as: UInt32.self)) }
    nonmutating set { bytes.store(newValue.rawValue, at: Self.nextOffset) }
  }

  @inlinable var isFull: Bool { count == Self.placeCount }

  /// The entry at a place; zero if it is vacant.
  @inlinable @inline(__always)
  func entry(_ place: Int) -> UInt64 { bytes.load(8 + place << 3, as: UInt64.self) }

  @inlinable @inline(__always)
  func setEntry(at place: Int, to entry: UInt64) { bytes.store(entry, at: 8 + place << 3) }

  /// Where an entry would lie if it were alone.
  @inlinable @inline(__always)
  static func home(_ tag: UInt32) -> Int { Int((UInt64(tag) * UInt64(placeCount)) >> 32) }

  @inlinable @inline(__always)
  static func following(_ place: Int) -> Int { place == placeCount - 1 ? 0 : place + 1 }

  /// How far from its home an entry is.
  @inlinable @inline(__always)
  static func distance(of entry: UInt64, at place: Int) -> Int {
    let distance = place - home(UInt32(truncatingIfNeeded: entry >> 32))
    return distance < 0 ? distance + placeCount : distance
  }

  /// The place of the first entry with a tag that is the one.
  @inlinable @inline(__always)
  func place(of tag: UInt32, isMatch: (UInt64) -> Bool) -> Int? {
    var place = Self.home(tag)
    var entry = entry(place)
    var walked = 0
    while entry != 0 {
      if UInt32(truncatingIfNeeded: entry >> 32) == tag, isMatch(entry) { return place }
      // Most searches end sooner, so that it does not pay to look at distances from the beginning.
      if walked >= 8, walked == Self.placeCount - 1 || Self.distance(of: entry, at: place) < walked
      {
        return nil
      }
      place = Self.following(place)
      entry = self.entry(place)
      walked += 1
    }
    return nil
  }

  /// Puts an entry in; there must be room.
  func insert(_ newEntry: UInt64) {
    precondition(count < Self.placeCount, "an entry for a page of \(count)")
    count += 1
    var entry = newEntry
    var place = Self.home(UInt32(truncatingIfNeeded: entry >> 32))
    var walked = 0
    while true {
      let other = self.entry(place)
      guard other != 0 else { break }
      let distance = Self.distance(of: other, at: place)
      if distance < walked {
        setEntry(at: place, to: entry)
        entry = other
        walked = distance
      }
      place = Self.following(place)
      walked += 1
    }
    setEntry(at: place, to: entry)
  }

  /// Takes the entry at a place out.
  func remove(_ place: Int) {
    precondition(entry(place) != 0, "place \(place) is vacant")
    count -= 1
    var hole = place
    while true {
      let following = Self.following(hole)
      let entry = entry(following)
      // Each step brings an entry nearer to its home, so there is a last one.
      guard entry != 0, Self.distance(of: entry, at: following) > 0 else { break }
      setEntry(at: hole, to: entry)
      hole = following
    }
    setEntry(at: hole, to: 0)
  }

  /// Takes some entry out; there must be one.
  func removeAny() -> UInt64 {
    for place in 0..<Self.placeCount {
      let entry = entry(place)
      if entry != 0 {
        remove(place)
        return entry
      }
    }
    preconditionFailure("a page of \(count) entries has none")
  }

  /// Puts all entries at the end of an array, and leaves none.
  func drain(into entries: inout [UInt64]) {
    for place in 0..<Self.placeCount {
      let entry = entry(place)
      if entry != 0 {
        entries.append(entry)
        setEntry(at: place, to: 0)
      }
    }
    count = 0
  }
}

/// Hashes for tables in pages: the same on every machine, in every process and in every release.
///
/// They keep no secret. Whoever chooses keys can choose ones that collide, which makes a table slow
/// and never wrong.
package enum SlotHash {
  /// The hash of a whole number.
  ///
  /// Different numbers have different hashes, and each bit of the number changes each bit of the
  /// hash about half of the time.
  @inlinable @inline(__always)
  package static func hash(_ key: UInt64) -> UInt64 {
    // The finalizer of SplitMix64: David Stafford's thirteenth mix of MurmurHash3's.
    var mixed = key
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The hash of a whole number of which others that are near are looked for and added at the same time.
  ///
  /// Eight numbers in a row differ in the lowest three bits of their hashes only, so that a ``SlotTable`` has them in
  /// one bucket.
  @inlinable @inline(__always)
  package static func hash(near key: UInt64) -> UInt64 { hash(key >> 3) & ~7 | key & 7 }

  /// The hash of two words, in this order.
  ///
  /// Pairs that differ in one of the words only have different hashes.
  @inlinable @inline(__always)
  package static func hash(_ first: UInt64, and second: UInt64) -> UInt64 {
    // The addend keeps a pair of zeros, and a pair whose words are each other's hash, from zero.
    hash(hash(first &+ 0x9E37_79B9_7F4A_7C15) ^ second)
  }
}
