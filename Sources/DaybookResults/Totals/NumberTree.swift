import DaybookStore

/// The totals of a column of numbers of at most 64 bits, stored in pages. The tree contains the
/// totals of all rows of a list, and computes those of a range of ranks in logarithmic time.
///
/// The tree is a B-tree whose rows are inserted by their rank, like a ``RankTree``. The pages are
/// in the page space of the list, so a version of the tree is a page number, and a change copies
/// one page of each level.
///
/// An edit marks the totals of its path as stale. ``refresh(in:)`` computes them, once after any
/// number of edits. It must be called before the tree is read or copied.
struct NumberTree: Sendable {
  let column: TotalColumn
  private(set) var count = 0
  private var root = PageNumber.none
  /// The totals of all rows.
  private(set) var totals: ColumnTotals

  /// Creates the tree of some rows. Its totals are stale.
  ///
  /// - Parameter cell: A closure that returns the cell of the row at a rank, either `none` or
  ///   `word`.
  /// - Complexity: O(*n*)
  init(_ column: TotalColumn, count: Int, in space: PageSpace, cell: (Int) -> TotalCell) {
    self.column = column
    self.count = count
    totals = ColumnTotals(column)
    // Pages are filled to seven eighths, so that the first insertions do not split them.
    var pages = TotalTree.shares(of: count, upTo: NumberPage.rowCountMax * 7 / 8).map { ranks in
      let number = NumberTree.newPage(level: 0, in: space)
      let page = NumberPage(space.editableBytes(of: number))
      for rank in ranks { page.set(cell(rank), at: rank - ranks.lowerBound) }
      page.count = ranks.count
      return number
    }
    var level = 0
    while pages.count > 1 {
      level += 1
      let below = pages
      pages = TotalTree.shares(of: below.count, upTo: NumberPage.childCountMax * 7 / 8).map {
        NumberTree.newPage(level: level, above: Array(below[$0]), in: space)
      }
    }
    root = pages.first ?? .none
  }

  private static func newPage(
    level: Int, above children: [PageNumber] = [], in space: PageSpace
  ) -> PageNumber {
    let number = space.allocate()
    let page = NumberPage(space.editableBytes(of: number))
    page.level = level
    page.count = children.count
    for (index, child) in children.enumerated() {
      page.set(child, rowCount: NumberPage(space.bytes(of: child)).rowCount, at: index)
    }
    return number
  }

  /// Returns whether a second tree in the same space has the same pages.
  func isShared(with other: NumberTree) -> Bool { root == other.root }

  // MARK: Inserting

  /// Inserts a row at a rank.
  ///
  /// - Complexity: O(log *n*): at most one page of each level is copied and one added.
  mutating func insert(_ cell: TotalCell, at rank: Int, in space: PageSpace) {
    precondition(rank >= 0 && rank <= count, "rank \(rank) of \(count)")
    if count == 0 { root = NumberTree.newPage(level: 0, in: space) }
    count += 1
    let (page, added) = insert(cell, at: rank, under: root, in: space)
    root = page
    guard let added else { return }
    let level = NumberPage(space.bytes(of: page)).level + 1
    root = NumberTree.newPage(level: level, above: [page, added], in: space)
  }

  /// Inserts a row at a rank below a page.
  ///
  /// - Returns: The page that replaces the page, and the page that follows it if it was split.
  private func insert(
    _ cell: TotalCell, at rank: Int, under number: PageNumber, in space: PageSpace
  ) -> (page: PageNumber, added: PageNumber?) {
    let number = space.editable(number)
    let page = NumberPage(space.editableBytes(of: number))
    if page.isLeaf {
      return (number, put(at: rank, of: page, in: space) { $0.set(cell, at: $1) })
    }
    var (index, rank) = (0, rank)
    // A row between two children is inserted at the end of the first one.
    while rank > page.rowCount(under: index) {
      rank -= page.rowCount(under: index)
      index += 1
    }
    let below = insert(cell, at: rank, under: page.child(index), in: space)
    let rowCount = page.rowCount(under: index) + 1
    guard let added = below.added else {
      page.set(below.page, rowCount: rowCount, at: index)
      return (number, nil)
    }
    let addedCount = NumberPage(space.bytes(of: added)).rowCount
    page.set(below.page, rowCount: rowCount - addedCount, at: index)
    return (
      number,
      put(at: index + 1, of: page, in: space) { $0.set(added, rowCount: addedCount, at: $1) }
    )
  }

  /// Inserts an item at a position of a page.
  ///
  /// - Returns: The page that follows the page, if it was full and was split.
  private func put(
    at index: Int, of page: NumberPage, in space: PageSpace, _ set: (NumberPage, Int) -> Void
  ) -> PageNumber? {
    guard page.count == page.countMax else {
      page.makeRoom(at: index)
      set(page, index)
      return nil
    }
    let right = NumberTree.newPage(level: page.level, in: space)
    let rightPage = NumberPage(space.editableBytes(of: right))
    let half = page.count / 2
    rightPage.moveIn(from: half, of: page)
    let (target, targetIndex) = index <= half ? (page, index) : (rightPage, index - half)
    target.makeRoom(at: targetIndex)
    set(target, targetIndex)
    return right
  }

  // MARK: Removing and replacing

  /// Removes the row at a rank.
  ///
  /// - Complexity: O(log *n*): at most two pages of each level are copied.
  mutating func remove(at rank: Int, in space: PageSpace) {
    precondition(rank >= 0 && rank < count, "rank \(rank) of \(count)")
    root = remove(at: rank, under: root, in: space)
    count -= 1
    while true {
      let page = NumberPage(space.bytes(of: root))
      guard page.count < (page.isLeaf ? 1 : 2) else { return }
      let child = page.isLeaf ? PageNumber.none : page.child(0)
      space.free(root)
      root = child
      if child.isNone { return }
    }
  }

  /// - Returns: The page that replaces the page.
  private func remove(
    at rank: Int, under number: PageNumber, in space: PageSpace
  ) -> PageNumber {
    let number = space.editable(number)
    let page = NumberPage(space.editableBytes(of: number))
    if page.isLeaf {
      page.remove(at: rank)
      return number
    }
    let (index, rank) = NumberTree.find(rank, in: page)
    let child = remove(at: rank, under: page.child(index), in: space)
    let rowCount = page.rowCount(under: index) - 1
    if rowCount == 0 {
      space.free(child)
      page.remove(at: index)
    } else {
      page.set(child, rowCount: rowCount, at: index)
      join(index, of: page, in: space)
    }
    return number
  }

  /// Joins a child that is less than half full with a neighbor, if their items fill at most five
  /// sixths of one page.
  private func join(_ index: Int, of page: NumberPage, in space: PageSpace) {
    let child = NumberPage(space.bytes(of: page.child(index)))
    guard child.count < child.countMax / 2 else { return }
    for left in [index - 1, index] where left >= 0 && left + 1 < page.count {
      let right = page.child(left + 1)
      let itemCount =
        NumberPage(space.bytes(of: page.child(left))).count
        + NumberPage(space.bytes(of: right)).count
      guard itemCount <= child.countMax * 5 / 6 else { continue }
      // The items are also removed from the right page. So a page that readers share is copied
      // first.
      let (joined, rest) = (space.editable(page.child(left)), space.editable(right))
      NumberPage(space.editableBytes(of: joined))
        .moveIn(from: 0, of: NumberPage(space.editableBytes(of: rest)))
      space.free(rest)
      let rowCount = page.rowCount(under: left) + page.rowCount(under: left + 1)
      page.set(joined, rowCount: rowCount, at: left)
      return page.remove(at: left + 1)
    }
  }

  /// Replaces the cell of the row at a rank, if it differs.
  ///
  /// - Complexity: O(log *n*): one page of each level is copied.
  mutating func replace(at rank: Int, with cell: TotalCell, in space: PageSpace) {
    if !self.cell(at: rank, in: space).isSame(as: cell) {
      root = replace(at: rank, with: cell, under: root, in: space)
    }
  }

  private func replace(
    at rank: Int, with cell: TotalCell, under number: PageNumber, in space: PageSpace
  ) -> PageNumber {
    let number = space.editable(number)
    let page = NumberPage(space.editableBytes(of: number))
    if page.isLeaf {
      page.set(cell, at: rank)
      return number
    }
    let (index, rank) = NumberTree.find(rank, in: page)
    let child = replace(at: rank, with: cell, under: page.child(index), in: space)
    page.set(child, rowCount: page.rowCount(under: index), at: index)
    return number
  }

  /// Removes all rows.
  ///
  /// - Complexity: O(pages)
  mutating func removeAll(in space: PageSpace) {
    func free(_ number: PageNumber) {
      let page = NumberPage(space.bytes(of: number))
      if !page.isLeaf { for index in 0..<page.count { free(page.child(index)) } }
      space.free(number)
    }
    if count > 0 { free(root) }
    (root, count) = (.none, 0)
  }

  // MARK: Totals

  /// Computes the totals that edits made stale. Returns false if the sum of some rows needs more
  /// than 128 bits: the tree cannot contain it.
  ///
  /// - Complexity: O(pages with stale totals)
  mutating func refresh(in space: PageSpace) -> Bool {
    guard count > 0 else {
      totals = ColumnTotals(column)
      return true
    }
    guard refresh(root, in: space) else { return false }
    totals = total(of: NumberPage(space.bytes(of: root)))
    return true
  }

  private func refresh(_ number: PageNumber, in space: PageSpace) -> Bool {
    let page = NumberPage(space.bytes(of: number))
    if page.isLeaf { return true }
    for index in 0..<page.count where page.isStale(index) {
      let child = page.child(index)
      // The edit that made the totals stale has made the page editable.
      guard refresh(child, in: space),
        NumberPage(space.editableBytes(of: number))
          .set(total(of: NumberPage(space.bytes(of: child))), at: index)
      else { return false }
    }
    return true
  }

  private func total(of page: NumberPage) -> ColumnTotals {
    var total = ColumnTotals(column)
    add(0..<page.count, of: page, to: &total)
    return total
  }

  /// Adds the rows of a leaf, or the children of an inner page, at some indexes.
  //
  // Sums of a fixed size are added for as long as they fit, and only then become an exact sum. The
  // integers of floating-point cells have the order of the numbers, but cannot be added.
  private func add(_ indexes: Range<Int>, of page: NumberPage, to total: inout ColumnTotals) {
    var fixed = FixedTotals()
    if !page.isLeaf {
      for index in indexes {
        let part = page.totals(index)
        if fixed.add(part) { continue }
        total.add(ColumnTotals(column, fixed: fixed), of: column)
        fixed = part
      }
    } else if column.isSummed, column.arithmetic == .floating {
      for index in indexes { total.add(page.cell(index), of: column) }
    } else {
      var sum: UInt128 = 0
      for index in indexes {
        guard let word = page.word(index) else { continue }
        fixed.valueCount += 1
        sum += UInt128(word)
        fixed.least = min(fixed.least, word)
        fixed.greatest = max(fixed.greatest, word)
      }
      fixed.sum = column.sum(ofWords: sum, count: fixed.valueCount)
    }
    total.add(ColumnTotals(column, fixed: fixed), of: column)
  }

  /// Returns the totals of the rows at a range of ranks.
  ///
  /// - Complexity: O(log *n*)
  func totals(of range: Range<Int>, in space: PageSpace) -> ColumnTotals {
    if range == 0..<count { return totals }
    var totals = ColumnTotals(column)
    if !range.isEmpty { add(range, under: root, to: &totals, in: space) }
    return totals
  }

  /// Adds the rows at a range of ranks, which is not empty, below a page.
  private func add(
    _ range: Range<Int>, under number: PageNumber, to totals: inout ColumnTotals,
    in space: PageSpace
  ) {
    let page = NumberPage(space.bytes(of: number))
    if page.isLeaf { return add(range, of: page, to: &totals) }
    let (first, start) = NumberTree.find(range.lowerBound, in: page)
    let (last, end) = NumberTree.find(range.upperBound - 1, in: page)
    let lastCount = page.rowCount(under: last)
    var complete = first..<last + 1
    if first == last, start > 0 || end + 1 < lastCount {
      return add(start..<end + 1, under: page.child(first), to: &totals, in: space)
    }
    if start > 0 {
      let count = page.rowCount(under: first)
      add(start..<count, under: page.child(first), to: &totals, in: space)
      complete = first + 1..<complete.upperBound
    }
    if end + 1 < lastCount { complete = complete.lowerBound..<last }
    add(complete, of: page, to: &totals)
    if end + 1 < lastCount { add(0..<end + 1, under: page.child(last), to: &totals, in: space) }
  }

  // MARK: Finding

  /// Returns the child of an inner page with the row at a rank, and the rank of the row in it.
  @inline(__always)
  private static func find(_ rank: Int, in page: NumberPage) -> (index: Int, rank: Int) {
    var (index, rank) = (0, rank)
    while rank >= page.rowCount(under: index) {
      rank -= page.rowCount(under: index)
      index += 1
    }
    return (index, rank)
  }

  /// Returns the cell of the row at a rank.
  ///
  /// - Complexity: O(log *n*)
  func cell(at rank: Int, in space: PageSpace) -> TotalCell {
    precondition(rank >= 0 && rank < count, "rank \(rank) of \(count)")
    var (rank, page) = (rank, NumberPage(space.bytes(of: root)))
    while !page.isLeaf {
      let found = NumberTree.find(rank, in: page)
      (rank, page) = (found.rank, NumberPage(space.bytes(of: page.child(found.index))))
    }
    return page.cell(rank)
  }

  // MARK: Checking

  /// Traps unless the totals of each page are those of its rows.
  ///
  /// - Complexity: O(*n*)
  func checkInvariants(in space: PageSpace) {
    precondition((count == 0) == root.isNone, "\(count) rows under \(root)")
    guard count > 0 else { return }
    let rowCount = NumberPage(space.bytes(of: root)).rowCount
    precondition(rowCount == count, "expected \(count) rows, found \(rowCount)")
    check(root, in: space)
  }

  private func check(_ number: PageNumber, in space: PageSpace) {
    let page = NumberPage(space.bytes(of: number))
    precondition(
      page.count > 0 && page.count <= page.countMax, "\(number) has \(page.count) items")
    if page.isLeaf { return }
    for index in 0..<page.count {
      let child = NumberPage(space.bytes(of: page.child(index)))
      precondition(
        child.level == page.level - 1 && child.rowCount == page.rowCount(under: index)
          && !page.isStale(index),
        "a page has \(child.rowCount) rows, not \(page.rowCount(under: index)), or is stale")
      check(page.child(index), in: space)
      ColumnTotals(column, fixed: page.totals(index)).checkEqual(to: total(of: child), of: column)
    }
  }
}
