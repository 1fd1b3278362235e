/// A hash table of slots, stored in pages. For example, an entity's table finds the slot of a
/// record by the hash of its identifier.
///
/// A slot is a number below `UInt32.max`, which the caller assigns. The table does not contain
/// keys. An entry contains the slot, and 32 bits of the hash of its key: the *tag*. A search passes
/// slots with equal tags to a closure of the caller, which compares the keys. In a table with a
/// million entries, about one search in four thousand calls the closure for a wrong slot. When
/// entries move to a different bucket, their tags are enough, so no key is hashed again.
///
/// The lowest bits of the tag determine the bucket. The table grows by linear hashing: an insertion
/// splits at most one bucket, so that it changes only a few pages. Buckets are split in order, from
/// the first one on. After all have been split, their number has doubled, and the table uses one
/// more bit of the tag. For example:
///
/// ```
///   mask 0111, 6 buckets     000 001 010 011 100 101
///   tags ending in           000 001 ·10 ·11 100 101       bucket 2 is split next, into 2 and 6
/// ```
///
/// Invariants:
/// 1. A bucket without entries has no page: its element in `buckets` is `PageNumber.none`.
/// 2. If a bucket has more than one page, the first page is full, and so are all pages after the
///   second.
/// 3. If a bucket has a second page, this page is not empty.
///
/// The struct contains only the root, like ``PageArray``: a snapshot is a copy with a pin, and only
/// one of two copies may be edited.
@usableFromInline
package struct SlotTable: Hashable, Sendable, BitwiseCopyable {
  /// The number of entries.
  @usableFromInline package internal(set) var count = 0
  /// The first page of each bucket.
  @usableFromInline var buckets = PageArray(elementByteCount: 4)
  /// A mask of the tag bits that determine the bucket: its lowest bits are 1.
  @usableFromInline var mask: UInt32 = 0

  /// Creates an empty table, which has no pages.
  package init() {}

  /// The number of buckets; 0 if the table is empty.
  package var bucketCount: Int { buckets.count }

  // MARK: Lookup

  /// Returns a slot with a hash for which a closure returns true; nil if the table has no such
  /// slot.
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
      if let index = bucket.index(of: tag, isMatch: { isMatch(Self.slot($0)) }) {
        return Self.slot(bucket.entry(index))
      }
      page = bucket.next
    }
    return nil
  }

  /// Returns the tag of a hash: the 32 bits that an entry contains. All bits of the hash influence
  /// the tag, so that hashes that differ in only a few bits are distributed too.
  ///
  /// The lowest three bits of the hash change only the highest bits of the tag. Hashes that differ
  /// only in these three bits are therefore in one bucket, at distant indexes of its page; see
  /// ``SlotHash/hash(near:)``.
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
        checkEntries(contents, of: bucket)
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

  /// Traps if an entry does not belong to the bucket, or if a search does not find it.
  private func checkEntries(_ contents: SlotBucket, of bucket: Int) {
    var count = 0
    for index in 0..<SlotBucket.capacity {
      let entry = contents.entry(index)
      guard entry != 0 else { continue }
      count += 1
      let tag = UInt32(truncatingIfNeeded: entry >> 32)
      precondition(
        self.bucket(tag) == bucket, "an entry of bucket \(self.bucket(tag)) is in bucket \(bucket)")
      precondition(
        contents.index(of: tag) { $0 == entry } == index,
        "slot \(Self.slot(entry)) at place \(index) is not found")
    }
    precondition(
      count == contents.count, "expected \(contents.count) entries on the page, found \(count)")
  }
}

extension SlotTable {
  /// The binary logarithm of the number of adjacent buckets that `build` fills together. The pages
  /// of these 128 buckets fit into the processor's inner caches.
  private static var groupShift: Int { 7 }

  /// Builds the table for all slots below a number. The buckets get the same entries as with single
  /// insertions.
  ///
  /// Single insertions would access the buckets in random order, and wait for memory at each one.
  /// This method first sorts the entries into groups of adjacent buckets, and then fills one group
  /// after the other.
  ///
  /// - Parameters:
  ///   - slotCount: The number of slots.
  ///   - space: The space of the table.
  ///   - forEach: A function that calls a closure with all slots and the hashes of their keys. The
  ///     method calls this function twice.
  ///   - isSame: A closure that returns whether two slots with equal tags have the same key.
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

  /// Adds entries that are sorted by groups of adjacent buckets.
  @inline(__always)
  private mutating func add(
    _ entries: [UInt64], in space: PageSpace, isSame: (UInt32, UInt32) -> Bool
  ) -> Bool {
    var isWithoutDuplicates = true
    var pages: [SlotBucket?] = Array(repeating: nil, count: 1 << Self.groupShift)
    var group = 0
    for entry in entries {
      let tag = UInt32(truncatingIfNeeded: entry >> 32)
      let bucket = bucket(tag)
      if bucket >> Self.groupShift != group {
        group = bucket >> Self.groupShift
        for index in pages.indices { pages[index] = nil }
      }
      let index = bucket & (1 << Self.groupShift - 1)
      guard let page = pages[index] else {
        add(entry, to: bucket, in: space)
        pages[index] = SlotBucket(space.editableBytes(of: firstPage(bucket, in: space)))
        continue
      }
      let slot = Self.slot(entry)
      var next: SlotBucket? = page
      while let other = next {
        if other.index(of: tag, isMatch: { isSame(Self.slot($0), slot) }) != nil {
          isWithoutDuplicates = false
        }
        next = other.next.isNone ? nil : SlotBucket(space.bytes(of: other.next))
      }
      if page.isFull {
        add(entry, to: bucket, in: space)
      } else {
        page.insert(entry)
      }
    }
    return isWithoutDuplicates
  }
}
