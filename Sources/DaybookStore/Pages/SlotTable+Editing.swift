extension SlotTable {
  /// The largest average number of entries in a bucket. Above it, an insertion splits one bucket. A
  /// page contains up to 127 entries. Until a bucket is split, it has about twice as many entries
  /// as buckets that are split already.
  ///
  /// A lower value would take more memory for each entry. A higher value would make searches
  /// slower, because pages would be fuller.
  static var bucketLoadMax: Int { 76 }
  /// The smallest average number of entries in a bucket. Below it, a removal joins two buckets. The
  /// value is much lower than the average after a split, so that a table does not split and join
  /// buckets in alternation.
  static var bucketLoadMin: Int { 28 }

  /// Inserts a slot with the hash of its key. The table must not contain the same slot with the
  /// same hash.
  ///
  /// - Complexity: O(1). The method copies at most a few pages.
  package mutating func insert(_ slot: UInt32, hash: UInt64, in space: PageSpace) {
    precondition(slot < .max, "slot \(slot) is too large for a table")
    if buckets.count == 0 { buckets.grow(to: 1, in: space) }
    count += 1
    let tag = Self.tag(hash)
    add(Self.entry(for: slot, tag: tag), to: bucket(tag), in: space)
    if count > buckets.count * Self.bucketLoadMax { split(in: space) }
  }

  /// Inserts consecutive slots, with the same result as single insertions. If consecutive slots
  /// belong to one bucket, the method finds the page of the bucket only once.
  ///
  /// - Complexity: O(*n*) in the number of slots
  package mutating func insert(
    _ slots: Range<UInt32>, in space: PageSpace, hash: (_ slot: UInt32) -> UInt64
  ) {
    var page: SlotBucket?
    var bucketOfPage = 0
    for slot in slots {
      let hash = hash(slot)
      let tag = Self.tag(hash)
      if let page, !page.isFull, bucket(tag) == bucketOfPage,
        count < buckets.count * Self.bucketLoadMax
      {
        count += 1
        page.insert(Self.entry(for: slot, tag: tag))
      } else {
        insert(slot, hash: hash, in: space)
        bucketOfPage = bucket(tag)
        page = SlotBucket(space.editableBytes(of: firstPage(bucketOfPage, in: space)))
      }
    }
  }

  /// Removes an entry.
  ///
  /// - Returns: False if the table does not contain the slot with this hash.
  /// - Complexity: O(1) on average; O(count) if all hashes are equal.
  @discardableResult
  package mutating func remove(_ slot: UInt32, hash: UInt64, in space: PageSpace) -> Bool {
    guard count > 0 else { return false }
    let tag = Self.tag(hash)
    let entry = Self.entry(for: slot, tag: tag)
    let bucket = bucket(tag)
    guard let (depth, index) = find(entry, tag: tag, bucket: bucket, in: space) else {
      return false
    }
    remove(bucket, depth: depth, index: index, in: space)
    count -= 1
    if count == 0 {
      removeAll(in: space)
    } else if count < (buckets.count - 1) * Self.bucketLoadMin {
      join(in: space)
    }
    return true
  }

  /// Removes all entries.
  ///
  /// - Complexity: O(pages)
  package mutating func removeAll(in space: PageSpace) {
    buckets.forEach(as: UInt32.self, in: space) { _, first in
      free(PageNumber(rawValue: first), in: space)
    }
    buckets.removeAll(in: space)
    mask = 0
    count = 0
  }

  // MARK: Buckets

  mutating func add(_ entry: UInt64, to bucket: Int, in space: PageSpace) {
    let page = editableFirst(bucket, in: space)
    let first = SlotBucket(space.editableBytes(of: page))
    guard first.isFull else { return first.insert(entry) }
    // If the first page is full, a new entry goes to the second page of the bucket. If that page is
    // full too, a new second page is added. Therefore no insertion walks to the end of a long chain
    // of pages.
    var second = first.next
    if second.isNone || SlotBucket(space.bytes(of: second)).isFull {
      let added = space.allocate()
      SlotBucket(space.editableBytes(of: added)).next = second
      second = added
    } else {
      second = space.editable(second)
    }
    if second != first.next { first.next = second }
    SlotBucket(space.editableBytes(of: second)).insert(entry)
  }

  /// Makes the first page of a bucket editable, and returns the page. If the bucket had no page,
  /// the method allocates one.
  private mutating func editableFirst(_ bucket: Int, in space: PageSpace) -> PageNumber {
    let old = firstPage(bucket, in: space)
    let page = old.isNone ? space.allocate() : space.editable(old)
    if page != old { buckets.set(bucket, to: page.rawValue, in: space) }
    return page
  }

  /// Returns the position of an entry: the index of the page in the bucket's chain, and the index
  /// on the page.
  private func find(
    _ entry: UInt64, tag: UInt32, bucket: Int, in space: PageSpace
  ) -> (depth: Int, index: Int)? {
    var page = firstPage(bucket, in: space)
    var depth = 0
    while !page.isNone {
      let bucket = SlotBucket(space.bytes(of: page))
      if let index = bucket.index(of: tag, isMatch: { $0 == entry }) { return (depth, index) }
      page = bucket.next
      depth += 1
    }
    return nil
  }

  private mutating func remove(
    _ bucket: Int, depth: Int, index: Int, in space: PageSpace
  ) {
    let firstPage = editableFirst(bucket, in: space)
    let first = SlotBucket(space.editableBytes(of: firstPage))
    var found = first
    for _ in 0..<depth {
      let old = found.next
      let page = space.editable(old)
      if page != old { found.next = page }
      found = SlotBucket(space.editableBytes(of: page))
    }
    found.remove(index)
    guard !first.next.isNone else {
      if first.count == 0 {
        space.free(firstPage)
        buckets.set(bucket, to: PageNumber.none.rawValue, in: space)
      }
      return
    }
    // An entry of the second page replaces the removed one, so that all other pages stay full, as
    // invariant 2 requires.
    let secondPage = space.editable(first.next)
    if secondPage != first.next { first.next = secondPage }
    let second = SlotBucket(space.editableBytes(of: secondPage))
    if depth != 1 { found.insert(second.removeAny()) }
    if second.count == 0 {
      first.next = second.next
      space.free(secondPage)
    }
  }

  private func free(_ first: PageNumber, in space: PageSpace) {
    var page = first
    while !page.isNone {
      let next = SlotBucket(space.bytes(of: page)).next
      space.free(page)
      page = next
    }
  }

  // MARK: Growing and shrinking

  /// Adds a bucket, and moves some entries of the bucket that is split to the new bucket: those
  /// with a 1 as the next bit of the tag.
  private mutating func split(in space: PageSpace) {
    let added = buckets.count
    if added > mask { mask = mask << 1 | 1 }
    let source = added & Int(mask >> 1)
    buckets.grow(to: added + 1, in: space)
    let entries = drain(source, in: space)
    // The loop finds the first page of each bucket once, and inserts directly into this page until
    // it is full.
    for (bucket, isAdded) in [(source, false), (added, true)] {
      var page: SlotBucket?
      for entry in entries where (Int(entry >> 32) & Int(mask) == added) == isAdded {
        if let page, !page.isFull {
          page.insert(entry)
        } else {
          add(entry, to: bucket, in: space)
          page = page ?? SlotBucket(space.editableBytes(of: firstPage(bucket, in: space)))
        }
      }
      if !isAdded, page == nil { dropVacant(source, in: space) }
    }
  }

  /// Removes the last bucket, and moves its entries back to the bucket that was split to create it.
  private mutating func join(in space: PageSpace) {
    let last = buckets.count - 1
    let entries = drain(last, in: space)
    dropVacant(last, in: space)
    buckets.removeLast(in: space)
    if last - 1 <= mask >> 1 { mask >>= 1 }
    for entry in entries {
      add(entry, to: bucket(UInt32(truncatingIfNeeded: entry >> 32)), in: space)
    }
  }

  /// Removes all entries from a bucket and returns them. If the bucket has pages, it keeps its
  /// first page.
  private mutating func drain(_ bucket: Int, in space: PageSpace) -> [UInt64] {
    guard !firstPage(bucket, in: space).isNone else { return [] }
    let first = SlotBucket(
      space.editableBytes(of: editableFirst(bucket, in: space)))
    var entries: [UInt64] = []
    entries.reserveCapacity(first.count)
    first.drain(into: &entries)
    var page = first.next
    while !page.isNone {
      let bucket = SlotBucket(space.bytes(of: page))
      let next = bucket.next
      for index in 0..<SlotBucket.capacity where bucket.entry(index) != 0 {
        entries.append(bucket.entry(index))
      }
      space.free(page)
      page = next
    }
    first.next = .none
    return entries
  }

  /// Frees the empty first page of a bucket, as invariant 1 requires.
  private mutating func dropVacant(_ bucket: Int, in space: PageSpace) {
    let page = firstPage(bucket, in: space)
    guard !page.isNone else { return }
    space.free(page)
    buckets.set(bucket, to: PageNumber.none.rawValue, in: space)
  }
}

extension SlotTable {
  /// Calls a closure with each page that can be reached from the root.
  ///
  /// - Complexity: O(pages)
  package func forEachPage(in space: PageSpace, _ body: (PageNumber) -> Void) {
    buckets.forEachPage(in: space, body)
    buckets.forEach(as: UInt32.self, in: space) { _, first in
      var page = PageNumber(rawValue: first)
      while !page.isNone {
        body(page)
        page = SlotBucket(space.bytes(of: page)).next
      }
    }
  }

  /// Calls a closure with each slot, in no particular order.
  ///
  /// - Complexity: O(count)
  package func forEachSlot(in space: PageSpace, _ body: (UInt32) -> Void) {
    buckets.forEach(as: UInt32.self, in: space) { _, first in
      var page = PageNumber(rawValue: first)
      while !page.isNone {
        let bucket = SlotBucket(space.bytes(of: page))
        for index in 0..<SlotBucket.capacity where bucket.entry(index) != 0 {
          body(Self.slot(bucket.entry(index)))
        }
        page = bucket.next
      }
    }
  }
}
