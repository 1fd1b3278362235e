/// A check that the structures in pages of an untrusted file can be traversed safely. A store runs
/// this check when it opens a checkpoint, before it uses the pages.
///
/// Each page that a structure refers to must exist, and only one reference may lead to it. Then
/// every traversal stays inside the pages and ends.
struct PageCheck {
  private let space: PageSpace
  private let pageCount: Int
  /// A Boolean value for each page, which is true if a structure that was checked refers to the
  /// page.
  private var isReached: [Bool]

  /// Creates a check of pages that a file contains.
  ///
  /// - Parameters:
  ///   - space: The space of the pages.
  ///   - pageCount: The number of pages, including page 0, which means no page.
  init(_ space: PageSpace, pageCount: Int) {
    self.space = space
    self.pageCount = pageCount
    isReached = Array(repeating: false, count: pageCount)
  }

  /// Marks a page as reached. Returns false if the page does not exist or was reached before.
  private mutating func markReached(_ page: PageNumber) -> Bool {
    let index = Int(page.rawValue)
    guard index > 0, index < pageCount, !isReached[index] else { return false }
    isReached[index] = true
    return true
  }

  private func number(_ page: PageNumber, at offset: Int) -> PageNumber {
    PageNumber(rawValue: space.load(page, at: offset, as: UInt32.self))
  }

  /// Returns whether a reader can read all elements of an array.
  mutating func isSound(_ array: PageArray) -> Bool {
    isSound(array.root, levels: Int(array.height), chains: nil)
  }

  /// Returns whether a reader can traverse the pages of an array under a page.
  ///
  /// - Parameter slotCount: A limit for slots, if the elements of the array are the first pages of
  ///   buckets; otherwise nil. All slots in the buckets must be below the limit.
  private mutating func isSound(_ page: PageNumber, levels: Int, chains slotCount: Int?) -> Bool {
    if page.isNone { return true }
    guard markReached(page) else { return false }
    if levels == 1, slotCount == nil { return true }
    for offset in stride(from: 0, to: PageSpace.pageByteCount, by: 4) {
      let child = number(page, at: offset)
      let isSound =
        if levels > 1 {
          isSound(child, levels: levels - 1, chains: slotCount)
        } else {
          isSound(chainFrom: child, slotCount ?? 0)
        }
      guard isSound else { return false }
    }
    return true
  }

  private mutating func isSound(chainFrom first: PageNumber, _ slotCount: Int) -> Bool {
    var page = first
    while !page.isNone {
      guard markReached(page) else { return false }
      let bucket = SlotBucket(space.bytes(of: page))
      for index in 0..<SlotBucket.capacity {
        let entry = bucket.entry(index)
        if entry != 0, Int(SlotTable.slot(entry)) >= slotCount { return false }
      }
      page = bucket.next
    }
    return true
  }

  /// Returns whether a reader can search a table, and whether all its slots are below a number.
  mutating func isSound(_ table: SlotTable, slotCount: Int) -> Bool {
    let bucketCount = table.buckets.count
    guard bucketCount > 0 ? Int(table.mask >> 1) < bucketCount : table.count == 0 else {
      return false
    }
    return isSound(table.buckets.root, levels: Int(table.buckets.height), chains: slotCount)
  }

  /// Returns whether a reader can visit all pairs of a tree.
  mutating func isSound(_ tree: PageTree) -> Bool {
    tree.count == 0 || isSound(tree.root, level: tree.height - 1)
  }

  private mutating func isSound(_ number: PageNumber, level: Int) -> Bool {
    guard level >= 0, markReached(number) else { return false }
    let page = TreePage(space.bytes(of: number))
    guard page.level == level, page.count <= page.countMax, page.count > 0 else { return false }
    if page.isLeaf { return true }
    for index in 0..<page.count {
      guard isSound(page.child(index), level: level - 1) else { return false }
    }
    return true
  }
}
