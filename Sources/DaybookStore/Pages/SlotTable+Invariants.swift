extension SlotTable {
  /// Traps unless the invariants hold that are numbered in the type's documentation, and those of
  /// its pages.
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
    precondition(entryCount == count, "\(entryCount) entries in a table of \(count)")
    let last = UInt32(max(buckets.count, 1) - 1)
    precondition(
      mask & (mask + 1) == 0 && last <= mask && (mask == 0 || last > mask >> 1),
      "the mask is \(mask) for \(buckets.count) buckets")
  }

  /// Every entry belongs to the bucket, and is found from its home.
  private func checkPlaces(_ contents: SlotBucket, of bucket: Int) {
    var count = 0
    for place in 0..<SlotBucket.placeCount {
      let entry = contents.entry(place)
      guard entry != 0 else { continue }
      count += 1
      let tag = UInt32(truncatingIfNeeded: entry >> 32)
      precondition(
        self.bucket(tag) == bucket, "an entry of bucket \(self.bucket(tag)) is in \(bucket)")
      precondition(
        contents.place(of: tag) { $0 == entry } == place,
        "slot \(Self.slot(entry)) at place \(place) is not found")
    }
    precondition(count == contents.count, "\(count) entries on a page of \(contents.count)")
  }
}
