/// A hash table of slots, stored in pages.
///
/// A slot is a number that the caller assigns, below `UInt32.max`. The table contains only the hash
/// of a slot's key: a search returns candidates, and the caller's closure compares their keys. An
/// entry contains 32 bits of the hash. So a search among a million entries meets a false candidate
/// about once in four thousand searches, and no key needs to be hashed again when entries move.
///
/// The table grows by linear hashing: one bucket is split at a time, so that no insertion changes
/// more than a few pages. Buckets are split in sequence from the first. When all have been split,
/// their number has doubled, and one more bit of the tag is used. The lowest bits of the tag
/// determine the bucket:
///
/// ```
///   mask 0111, 6 buckets     000 001 010 011 100 101
///   tags ending in           000 001 ·10 ·11 100 101       bucket 2 is split next, into 2 and 6
/// ```
///
/// Invariants:
/// 1. A bucket without entries is represented by page none.
/// 2. If a bucket has more than one page, the first page and all pages after the second are full.
/// 3. The second page of a bucket, if it exists, has an entry.
///
/// The value consists of the root only, as with ``PageArray``, and the rules for copies are the
/// same.
@usableFromInline
package struct SlotTable: Hashable, Sendable, BitwiseCopyable {
  /// The number of entries.
  @usableFromInline package internal(set) var count = 0
  /// The first page of each bucket.
  @usableFromInline var buckets = PageArray(elementByteCount: 4)
  /// The bits of a tag that can determine the bucket, a mask of ones from the lowest bit.
  @usableFromInline var mask: UInt32 = 0

  /// Creates an empty table, which has no pages.
  package init() {}

  /// The number of buckets. An empty table may have none.
  package var bucketCount: Int { buckets.count }

  // MARK: Lookup

  /// Returns the slot with a hash for which a closure returns true; nil if there is none.
  ///
  /// - Complexity: O(1) on average; O(count) if all hashes are equal.
  @inlinable @inline(__always)
  package func find(
    hash: UInt64, in space: PageSpace, isMatch: (UInt32) -> Bool
  ) -> UInt32? {
    guard count > 0 else { return nil }
    let tag = Self.tag(hash)
    var page = firstPage(bucket(tag), in: space)
    while !page.isNone {
      let bucket = SlotBucket(space.bytes(of: page))
      if let place = bucket.place(of: tag, isMatch: { isMatch(Self.slot($0)) }) {
        return Self.slot(bucket.entry(place))
      }
      page = bucket.next
    }
    return nil
  }

  /// Returns the part of a hash that an entry contains. All bits of the hash influence it, so that
  /// hashes that differ in a few bits are also distributed.
  ///
  /// The lowest three bits of the hash change only the highest bits of the tag. Hashes that differ
  /// only in these bits are in one bucket, at distant places of its page.
  @inlinable @inline(__always)
  static func tag(_ hash: UInt64) -> UInt32 {
    let other = hash >> 3
    return UInt32(truncatingIfNeeded: ((other ^ other >> 32) &* 0x9E37_79B9_7F4A_7C15) >> 32)
      ^ UInt32(truncatingIfNeeded: hash & 7) << 29
  }

  /// Returns the bucket of a tag.
  @inlinable @inline(__always)
  func bucket(_ tag: UInt32) -> Int {
    let bucket = Int(tag & mask)
    return bucket < buckets.count ? bucket : Int(tag & mask >> 1)
  }

  @inlinable @inline(__always)
  func firstPage(_ bucket: Int, in space: PageSpace) -> PageNumber {
    PageNumber(rawValue: buckets.element(bucket, as: UInt32.self, in: space))
  }

  @inlinable @inline(__always)
  static func slot(_ entry: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: entry) &- 1 }

  @inlinable @inline(__always)
  static func entry(for slot: UInt32, tag: UInt32) -> UInt64 {
    UInt64(tag) << 32 | UInt64(slot &+ 1)
  }
}

extension SlotTable {
  /// Traps if one of the invariants in the type's documentation, or of the pages, is violated.
  ///
  /// - Complexity: O(count)
  package func checkInvariants(in space: PageSpace) {
    var entryCount = 0
    for bucket in 0..<buckets.count {
      var page = firstPage(bucket, in: space)
      var depth = 0
      while !page.isNone {
        let contents = SlotBucket(space.bytes(of: page))
        let count = contents.count
        precondition(count > 0, "invariants 1 and 3: page \(depth) of bucket \(bucket) is vacant")
        precondition(
          depth == 1 || contents.isFull || (depth == 0 && contents.next.isNone),
          "invariant 2: page \(depth) of bucket \(bucket) has \(count) entries")
        checkPlaces(contents, of: bucket)
        entryCount += count
        page = contents.next
        depth += 1
      }
    }
    precondition(entryCount == count, "expected \(count) entries, found \(entryCount)")
    let last = UInt32(max(buckets.count, 1) - 1)
    precondition(
      mask & (mask + 1) == 0 && last <= mask && (mask == 0 || last > mask >> 1),
      "the mask is \(mask) for \(buckets.count) buckets")
  }

  /// Traps unless every entry belongs to the bucket and is found from its home.
  private func checkPlaces(_ contents: SlotBucket, of bucket: Int) {
    var count = 0
    for place in 0..<SlotBucket.placeCount {
      let entry = contents.entry(place)
      guard entry != 0 else { continue }
      count += 1
      let tag = UInt32(truncatingIfNeeded: entry >> 32)
      precondition(
        self.bucket(tag) == bucket, "an entry of bucket \(self.bucket(tag)) is in bucket \(bucket)")
      precondition(
        contents.place(of: tag) { $0 == entry } == place,
        "slot \(Self.slot(entry)) at place \(place) is not found")
    }
    precondition(
      count == contents.count, "expected \(contents.count) entries on the page, found \(count)")
  }
}

extension SlotTable {
  /// The binary logarithm of the number of buckets that are filled together. Their pages must fit
  /// into the processor's inner caches.
  private static var groupShift: Int { 7 }

  /// Builds the table for all slots below a number at once. It gets the same buckets as with single
  /// insertions.
  ///
  /// Single insertions would touch buckets in random order. Here adjacent buckets are filled
  /// together.
  ///
  /// - Parameters:
  ///   - slotCount: The number of slots.
  ///   - space: The space of the table.
  ///   - forEach: Calls a closure with all slots and the hashes of their keys, each time that it is
  ///     called.
  ///   - isSame: Returns whether two slots with equal tags have the same key.
  /// - Returns: False if two slots have the same key. The table then contains both.
  /// - Complexity: O(*n*), with 8 bytes of temporary memory for each slot.
  @inline(__always)
  package mutating func build(
    slotCount: Int, in space: PageSpace,
    _ forEach: (_ body: (_ slot: UInt32, _ hash: UInt64) -> Void) -> Void,
    isSame: (UInt32, UInt32) -> Bool
  ) -> Bool {
    precondition(buckets.count == 0, "a table that has \(count) entries cannot be built again")
    guard slotCount > 0 else { return true }
    let bucketCount = (slotCount + Self.bucketLoadMax - 1) / Self.bucketLoadMax
    buckets.grow(to: bucketCount, in: space)
    mask = bucketCount == 1 ? 0 : .max >> UInt32(bucketCount - 1).leadingZeroBitCount
    count = slotCount
    let table = self
    var ends = [Int](repeating: 0, count: (bucketCount - 1) >> Self.groupShift + 1)
    forEach { _, hash in ends[table.bucket(Self.tag(hash)) >> Self.groupShift] += 1 }
    var end = 0
    for group in ends.indices {
      end += ends[group]
      ends[group] = end - ends[group]
    }
    precondition(end == slotCount, "\(end) hashes for \(slotCount) slots")
    var entries = [UInt64](repeating: 0, count: slotCount)
    forEach { slot, hash in
      let tag = Self.tag(hash)
      let group = table.bucket(tag) >> Self.groupShift
      entries[ends[group]] = Self.entry(for: slot, tag: tag)
      ends[group] += 1
    }
    return add(entries, in: space, isSame: isSame)
  }

  /// Adds entries that are grouped by adjacent buckets.
  @inline(__always)
  private mutating func add(
    _ entries: [UInt64], in space: PageSpace, isSame: (UInt32, UInt32) -> Bool
  ) -> Bool {
    var isWithoutTwins = true
    var pages: [SlotBucket?] = Array(repeating: nil, count: 1 << Self.groupShift)
    var group = 0
    for entry in entries {
      let tag = UInt32(truncatingIfNeeded: entry >> 32)
      let bucket = bucket(tag)
      if bucket >> Self.groupShift != group {
        group = bucket >> Self.groupShift
        for place in pages.indices { pages[place] = nil }
      }
      let place = bucket & (1 << Self.groupShift - 1)
      guard let page = pages[place] else {
        add(entry, to: bucket, in: space)
        pages[place] = SlotBucket(space.editableBytes(of: firstPage(bucket, in: space)))
        continue
      }
      let slot = Self.slot(entry)
      var next: SlotBucket? = page
      while let other = next {
        if other.place(of: tag, isMatch: { isSame(Self.slot($0), slot) }) != nil {
          isWithoutTwins = false
        }
        next = other.next.isNone ? nil : SlotBucket(space.bytes(of: other.next))
      }
      if page.isFull {
        add(entry, to: bucket, in: space)
      } else {
        page.insert(entry)
      }
    }
    return isWithoutTwins
  }
}
