/// One page of a bucket of a ``SlotTable``. The page is itself a small hash table with open
/// addressing.
///
/// ```
///   byte  0        4            8                                        1024
///         ├─ count ┼─ next page ┼─ 127 entries of 8 bytes ────────────────┤
///   entry: tag, 32 bits ┊ slot + 1, 32 bits; zero if vacant
/// ```
///
/// The high bits of an entry's tag determine its *home*, an index in the page. The entry is at its
/// home, or at one of the indexes after it; the first index follows the last one. If two entries
/// need one index, the entry that is farther from its home gets the index. The second entry moves
/// to the next index ("Robin Hood hashing"). Therefore a search can stop at the first entry that is
/// nearer to its home than the requested entry would be. A removal moves the following entries back
/// by one index, so that the page needs no tombstones.
@usableFromInline
struct SlotBucket {
  @usableFromInline let bytes: PageBytes

  @inlinable @inline(__always)
  init(_ bytes: PageBytes) { self.bytes = bytes }

  /// The number of entries that fit into a page.
  @inlinable static var capacity: Int { 127 }

  /// The number of entries in the page.
  @inlinable var count: Int {
    @inline(__always) get { Int(bytes.load(0, as: UInt32.self)) }
    nonmutating set { bytes.store(UInt32(newValue), at: 0) }
  }

  /// The offset of the next page's number.
  @inlinable static var nextOffset: Int { 4 }

  /// The next page of the bucket; `none` for the last page.
  @inlinable var next: PageNumber {
    @inline(__always) get { PageNumber(rawValue: bytes.load(Self.nextOffset, as: UInt32.self)) }
    nonmutating set { bytes.store(newValue.rawValue, at: Self.nextOffset) }
  }

  @inlinable var isFull: Bool { count == Self.capacity }

  /// Returns the entry at an index; 0 if none is there.
  @inlinable @inline(__always)
  func entry(_ index: Int) -> UInt64 { bytes.load(8 + index << 3, as: UInt64.self) }

  @inlinable @inline(__always)
  func setEntry(at index: Int, to entry: UInt64) { bytes.store(entry, at: 8 + index << 3) }

  /// Returns the home of entries with a tag.
  @inlinable @inline(__always)
  static func home(_ tag: UInt32) -> Int { Int((UInt64(tag) * UInt64(capacity)) >> 32) }

  @inlinable @inline(__always)
  static func following(_ index: Int) -> Int { index == capacity - 1 ? 0 : index + 1 }

  /// Returns the distance in indexes from the home of an entry to the entry.
  @inlinable @inline(__always)
  static func distance(of entry: UInt64, at index: Int) -> Int {
    let distance = index - home(UInt32(truncatingIfNeeded: entry >> 32))
    return distance < 0 ? distance + capacity : distance
  }

  /// Returns the index of the first entry with a tag for which a closure returns true.
  @inlinable @inline(__always)
  func index(of tag: UInt32, isMatch: (UInt64) -> Bool) -> Int? {
    var index = Self.home(tag)
    var entry = entry(index)
    var walked = 0
    while entry != 0 {
      if UInt32(truncatingIfNeeded: entry >> 32) == tag, isMatch(entry) { return index }
      // Most searches end within eight entries. For them, a comparison of distances at each entry
      // would cost more than it saves.
      if walked >= 8, walked == Self.capacity - 1 || Self.distance(of: entry, at: index) < walked {
        return nil
      }
      index = Self.following(index)
      entry = self.entry(index)
      walked += 1
    }
    return nil
  }

  /// Inserts an entry. The page must not be full.
  func insert(_ newEntry: UInt64) {
    precondition(count < Self.capacity, "no room for an entry: the page has \(count)")
    count += 1
    var entry = newEntry
    var index = Self.home(UInt32(truncatingIfNeeded: entry >> 32))
    var walked = 0
    while true {
      let other = self.entry(index)
      guard other != 0 else { break }
      let distance = Self.distance(of: other, at: index)
      if distance < walked {
        setEntry(at: index, to: entry)
        entry = other
        walked = distance
      }
      index = Self.following(index)
      walked += 1
    }
    setEntry(at: index, to: entry)
  }

  /// Removes the entry at an index.
  func remove(_ index: Int) {
    precondition(entry(index) != 0, "place \(index) is vacant")
    count -= 1
    var hole = index
    while true {
      let following = Self.following(hole)
      let entry = entry(following)
      // The loop ends at an entry that is at its home, because such an entry must not move back.
      guard entry != 0, Self.distance(of: entry, at: following) > 0 else { break }
      setEntry(at: hole, to: entry)
      hole = following
    }
    setEntry(at: hole, to: 0)
  }

  /// Removes the first entry of the page and returns it. The page must not be empty.
  func removeAny() -> UInt64 {
    for index in 0..<Self.capacity {
      let entry = entry(index)
      if entry != 0 {
        remove(index)
        return entry
      }
    }
    preconditionFailure("no entry on a page of \(count) entries")
  }

  /// Appends all entries to an array, and removes them from the page.
  func drain(into entries: inout [UInt64]) {
    for index in 0..<Self.capacity {
      let entry = entry(index)
      if entry != 0 {
        entries.append(entry)
        setEntry(at: index, to: 0)
      }
    }
    count = 0
  }
}

/// Hash functions for tables in pages. Checkpoints contain such tables, so the results must be the
/// same on every machine, in every process and in every release.
///
/// The functions have no secret seed. An attacker who chooses the keys can choose keys with equal
/// hashes. Such keys make a table slow, but never wrong.
package enum SlotHash {
  /// Returns the hash of an integer.
  ///
  /// Different integers have different hashes, and each bit of the integer changes each bit of the
  /// hash about half of the time.
  @inlinable @inline(__always)
  package static func hash(_ key: UInt64) -> UInt64 {
    // The finalizer of SplitMix64: David Stafford's mix 13 of MurmurHash3.
    var mixed = key
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns the hash of an integer, such as an identifier, that programs often look up or insert
  /// together with adjacent integers.
  ///
  /// The eight integers from a multiple of 8 on, for example 16 to 23, have hashes that differ only
  /// in the lowest three bits. A ``SlotTable`` keeps such hashes in one bucket, so that fewer pages
  /// are read and copied.
  @inlinable @inline(__always)
  package static func hash(near key: UInt64) -> UInt64 { hash(key >> 3) & ~7 | key & 7 }

  /// Returns the hash of two integers. The hash depends on their order.
  ///
  /// Pairs that differ in only one of the two integers have different hashes.
  @inlinable @inline(__always)
  package static func hash(_ first: UInt64, and second: UInt64) -> UInt64 {
    // Without the constant, a pair of zeros, and every pair of an integer and its hash, would have
    // the hash 0.
    hash(hash(first &+ 0x9E37_79B9_7F4A_7C15) ^ second)
  }
}
