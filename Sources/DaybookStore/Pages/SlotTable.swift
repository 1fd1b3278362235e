/// Slots by the hash of what they hold, in pages.
///
/// A slot is a number of the caller's, below `UInt32.max`, and the table knows no more of what is
/// in it than its hash: a search offers candidates, and the caller says which one it is. An entry
/// keeps 32 bits of the hash. So a search among a million entries is offered a false candidate
/// once in four thousand times, and nothing has to be hashed again when entries move.
///
/// The table grows by linear hashing: one bucket is split at a time, so that no insertion costs
/// more than a few pages. Buckets are split in turn from the first, and when all have been, there
/// are twice as many and one more bit of the tag decides. The tag's lowest bits say which bucket:
///
/// ```
///   mask 0111, 6 buckets     000 001 010 011 100 101
///   tags ending in           000 001 ·10 ·11 100 101       bucket 2 is split next, into 2 and 6
/// ```
///
/// 1. Page none stands for a bucket without entries.
/// 2. A bucket of more pages than one has its first page and all behind the second full.
/// 3. The second page of a bucket, if there is one, has an entry.
///
/// The value is only the root, as with ``PageArray``, and the same holds for copies of it.
@usableFromInline
package struct SlotTable: Hashable, Sendable, BitwiseCopyable {
  /// How many entries there are.
  @usableFromInline package internal(set) var count = 0
  /// The first page of each bucket.
  @usableFromInline var buckets = PageArray(elementByteCount: 4)
  /// The bits of a tag that may decide; all ones from the lowest.
  @usableFromInline var mask: UInt32 = 0

  /// A table without entries, which has no pages.
  package init() {}

  /// How many buckets there are; an empty table may have none.
  package var bucketCount: Int { buckets.count }

  // MARK: Finding

  /// The slot with a hash that the caller says is the one.
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

  /// What is kept of a hash. All bits of the hash have a part in it, so that hashes that differ in
  /// some of their bits only are spread as well.
  ///
  /// The lowest three make nothing but the tag's highest: hashes that differ in no others are in one bucket, far
  /// from each other on its page.
  @inlinable @inline(__always)
  static func tag(_ hash: UInt64) -> UInt32 {
    let other = hash >> 3
    return UInt32(truncatingIfNeeded: ((other ^ other >> 32) &* 0x9E37_79B9_7F4A_7C15) >> 32)
      ^ UInt32(truncatingIfNeeded: hash & 7) << 29
  }

  /// The bucket to which a tag belongs.
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
