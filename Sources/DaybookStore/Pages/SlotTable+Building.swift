extension SlotTable {
  /// The logarithm of how many buckets are filled together: so many that their pages stay in the processor's
  /// nearer memory meanwhile.
  private static var groupShift: Int { 7 }

  /// Makes a table of all slots below a number at once, with the buckets that it would have if they had been added
  /// one after the other.
  ///
  /// To add them so would touch one bucket after the other, anywhere; here those are filled together that lie
  /// together.
  ///
  /// - Parameters:
  ///   - forEach: Goes through all slots with the hashes of what they hold, each time it is called.
  ///   - isSame: Whether two slots with equal tags hold the same.
  /// - Returns: False if two slots hold the same. Both are in the table then.
  /// - Complexity: O(*n*), and meanwhile 8 bytes of memory for each
  @inline(__always)
  package mutating func build(
    slotCount: Int, in space: PageSpace,
    _ forEach: (_ body: (_ slot: UInt32, _ hash: UInt64) -> Void) -> Void,
    isSame: (UInt32, UInt32) -> Bool
  ) -> Bool {
    precondition(buckets.count == 0, "a table of \(count) entries was to be built")
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

  /// Adds entries of which those lie together whose buckets do.
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
