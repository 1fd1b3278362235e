import DaybookStore

/// The totals of a list: of all its rows, and of any range of ranks in logarithmic time.
///
/// The tree stores the cells of each row, in the order of the list. It stores no other data of a
/// row. A leaf has the cells of a block of rows. An inner node has its children, and the totals of
/// the rows under each. After a change, the totals of each node on the path from the changed row to
/// the root are computed again from the cells of the leaf and the totals of the children. Nothing
/// is ever subtracted, so the totals do not depend on the history of the list.
///
/// An edit marks the totals of its path as stale. ``refresh()`` computes them, once after any
/// number of edits. It must be called before the tree is read or copied.
///
/// Nodes that a copy of the tree also has are copied before they are changed.
struct TotalTree: Sendable {
  let plan: TotalPlan
  private var root: TotalNode
  /// The totals of all rows.
  private(set) var totals: [ColumnTotals]

  static let rowCountMax = 32
  static let childCountMax = 16

  /// Creates the tree of some rows.
  ///
  /// - Parameter slots: The slots of the rows, in order.
  /// - Complexity: O(*n*)
  init(_ plan: TotalPlan, slots: [UInt32], of entity: Int, in state: FrozenState) {
    self.plan = plan
    totals = []
    var nodes = TotalTree.shares(of: slots.count, upTo: TotalTree.rowCountMax * 7 / 8).map { rows in
      var cells: [TotalCell] = []
      cells.reserveCapacity(TotalTree.rowCountMax * plan.columns.count)
      for slot in slots[rows] {
        let row = state.reader.row(inSlot: slot, of: entity).location
        for column in plan.columns { cells.append(column.cell(of: row, in: state)) }
      }
      return TotalNode(cells: cells)
    }
    while nodes.count > 1 {
      let below = nodes
      nodes = TotalTree.shares(of: below.count, upTo: TotalTree.childCountMax * 7 / 8).map {
        TotalNode(children: Array(below[$0]), by: plan)
      }
    }
    root = nodes.first ?? TotalNode(cells: [])
    refresh()
  }

  /// Divides a count into the fewest shares of at most `limit` items, as evenly as possible.
  private static func shares(of count: Int, upTo limit: Int) -> [Range<Int>] {
    let shareCount = (count + limit - 1) / limit
    return (0..<shareCount).map { count * $0 / shareCount..<count * ($0 + 1) / shareCount }
  }

  // MARK: Editing

  /// Inserts a row at a rank.
  ///
  /// - Complexity: O(log *n*)
  mutating func insert(_ cells: [TotalCell], at rank: Int) {
    guard let added = TotalNode.insert(cells, at: rank, into: &root, by: plan) else { return }
    root = TotalNode(children: [root, added], by: plan)
  }

  /// Removes the row at a rank.
  ///
  /// - Complexity: O(log *n*)
  mutating func remove(at rank: Int) {
    TotalNode.remove(at: rank, from: &root, by: plan)
    while root.children.count == 1 { root = root.children[0] }
  }

  /// Replaces the cells of the row at a rank, if they differ.
  ///
  /// - Complexity: O(log *n*)
  mutating func replace(at rank: Int, with cells: [TotalCell]) {
    if root.hasCells(cells, at: rank, by: plan) { return }
    TotalNode.replace(at: rank, with: cells, under: &root, by: plan)
  }

  /// Computes the totals that edits made stale.
  ///
  /// - Complexity: O(nodes with stale totals)
  mutating func refresh() {
    root.refresh(by: plan)
    totals = root.totals(by: plan)
  }

  // MARK: Reading

  /// Returns the totals of the rows at a range of ranks.
  ///
  /// - Complexity: O(log *n*)
  func totals(of range: Range<Int>) -> [ColumnTotals] {
    if range == 0..<root.rowCount(by: plan) { return totals }
    var totals = plan.none
    if !range.isEmpty { root.add(range, to: &totals, by: plan) }
    return totals
  }

  /// Traps unless the totals of each node are those of its rows, and the rows have the given cells.
  ///
  /// - Complexity: O(*n*)
  func checkInvariants(cells: [[TotalCell]]) {
    precondition(
      root.rowCount(by: plan) == cells.count,
      "expected the totals of \(cells.count) rows, found \(root.rowCount(by: plan))")
    root.checkInvariants(by: plan)
    for (rank, row) in cells.enumerated() {
      precondition(
        root.hasCells(row, at: rank, by: plan),
        "the totals have another value for the row at \(rank)")
    }
  }
}

/// A node of a ``TotalTree``.
//
// Unchecked, because nodes are mutable: a node is changed only through the one tree that has a
// reference to it, and copied before that if there are more references.
final class TotalNode: @unchecked Sendable {
  /// The cells of a leaf, row by row.
  private var cells: [TotalCell]
  /// The children of an inner node; empty for a leaf.
  fileprivate private(set) var children: [TotalNode]
  /// The totals of the columns of each child, child by child.
  private var parts: [ColumnTotals]

  init(cells: [TotalCell]) {
    self.cells = cells
    (children, parts) = ([], [])
  }

  init(children: [TotalNode], by plan: TotalPlan) {
    cells = []
    self.children = children
    parts = children.flatMap { child in stalePart(child, by: plan) }
  }

  private init(copying other: TotalNode) {
    (cells, children, parts) = (other.cells, other.children, other.parts)
  }

  private var isLeaf: Bool { children.isEmpty }

  /// The number of rows of a leaf, or of children of an inner node.
  private func itemCount(by plan: TotalPlan) -> Int {
    isLeaf ? cells.count / plan.columns.count : children.count
  }

  func rowCount(by plan: TotalPlan) -> Int {
    if isLeaf { return cells.count / plan.columns.count }
    var count = 0
    for place in children.indices { count += rowCount(under: place, by: plan) }
    return count
  }

  private func rowCount(under place: Int, by plan: TotalPlan) -> Int {
    parts[place * plan.columns.count].rowCount
  }

  /// Returns the child with the row at a rank, and the rank of the row in it.
  private func find(_ rank: Int, by plan: TotalPlan) -> (place: Int, rank: Int) {
    var (place, rank) = (0, rank)
    while rank >= rowCount(under: place, by: plan) {
      rank -= rowCount(under: place, by: plan)
      place += 1
    }
    return (place, rank)
  }

  // MARK: Editing

  private static func own(_ node: inout TotalNode) {
    if !isKnownUniquelyReferenced(&node) { node = TotalNode(copying: node) }
  }

  /// Records that the rows under a child changed.
  private func mark(_ place: Int, by plan: TotalPlan) {
    let width = plan.columns.count
    let count = children[place].rowCount(by: plan)
    for index in place * width..<(place + 1) * width {
      parts[index].rowCount = count
      parts[index].isStale = true
    }
  }

  /// - Returns: The node that follows the given one, if it was split.
  static func insert(
    _ row: [TotalCell], at rank: Int, into node: inout TotalNode, by plan: TotalPlan
  ) -> TotalNode? {
    own(&node)
    let width = plan.columns.count
    if node.isLeaf {
      node.cells.insert(contentsOf: row, at: rank * width)
      let count = node.cells.count / width
      guard count > TotalTree.rowCountMax else { return nil }
      let added = TotalNode(cells: Array(node.cells[(count / 2 * width)...]))
      node.cells.removeSubrange((count / 2 * width)...)
      return added
    }
    var (place, rank) = (0, rank)
    while rank > node.rowCount(under: place, by: plan) {
      rank -= node.rowCount(under: place, by: plan)
      place += 1
    }
    let added = insert(row, at: rank, into: &node.children[place], by: plan)
    node.mark(place, by: plan)
    guard let added else { return nil }
    node.children.insert(added, at: place + 1)
    node.parts.insert(contentsOf: stalePart(added, by: plan), at: (place + 1) * width)
    let count = node.children.count
    guard count > TotalTree.childCountMax else { return nil }
    let right = TotalNode(copying: node)
    right.children.removeSubrange(..<(count / 2))
    right.parts.removeSubrange(..<(count / 2 * width))
    node.children.removeSubrange((count / 2)...)
    node.parts.removeSubrange((count / 2 * width)...)
    return right
  }

  static func remove(at rank: Int, from node: inout TotalNode, by plan: TotalPlan) {
    own(&node)
    let width = plan.columns.count
    if node.isLeaf {
      node.cells.removeSubrange(rank * width..<(rank + 1) * width)
      return
    }
    let (place, rank) = node.find(rank, by: plan)
    remove(at: rank, from: &node.children[place], by: plan)
    node.mark(place, by: plan)
    if node.children[place].itemCount(by: plan) == 0 {
      node.removeChild(place, by: plan)
    } else {
      node.join(place, by: plan)
    }
  }

  private func removeChild(_ place: Int, by plan: TotalPlan) {
    let width = plan.columns.count
    children.remove(at: place)
    parts.removeSubrange(place * width..<(place + 1) * width)
  }

  /// Joins a child that is less than half full with a neighbor, if their items fill at most five
  /// sixths of one node.
  private func join(_ place: Int, by plan: TotalPlan) {
    let child = children[place]
    let limit = child.isLeaf ? TotalTree.rowCountMax : TotalTree.childCountMax
    guard child.itemCount(by: plan) < limit / 2 else { return }
    for left in [place - 1, place] where left >= 0 && left + 1 < children.count {
      let right = children[left + 1]
      guard children[left].itemCount(by: plan) + right.itemCount(by: plan) <= limit * 5 / 6 else {
        continue
      }
      TotalNode.own(&children[left])
      children[left].cells += right.cells
      children[left].children += right.children
      children[left].parts += right.parts
      removeChild(left + 1, by: plan)
      return mark(left, by: plan)
    }
  }

  static func replace(
    at rank: Int, with row: [TotalCell], under node: inout TotalNode, by plan: TotalPlan
  ) {
    own(&node)
    if node.isLeaf {
      let start = rank * row.count
      for (column, cell) in row.enumerated() { node.cells[start + column] = cell }
      return
    }
    let (place, rank) = node.find(rank, by: plan)
    replace(at: rank, with: row, under: &node.children[place], by: plan)
    node.mark(place, by: plan)
  }

  // MARK: Totals

  /// Computes the stale totals below the node. Nodes with stale totals below them have no other
  /// references.
  func refresh(by plan: TotalPlan) {
    let width = plan.columns.count
    for place in children.indices where parts[place * width].isStale {
      let child = children[place]
      child.refresh(by: plan)
      for index in 0..<width { parts[place * width + index] = child.total(index, by: plan) }
    }
  }

  /// Returns the totals of all rows.
  func totals(by plan: TotalPlan) -> [ColumnTotals] {
    plan.columns.indices.map { total($0, by: plan) }
  }

  private func total(_ index: Int, by plan: TotalPlan) -> ColumnTotals {
    let column = plan.columns[index]
    var total = ColumnTotals(column)
    let items = stride(from: index, to: max(cells.count, parts.count), by: plan.columns.count)
    if isLeaf {
      for item in items { total.add(cells[item], of: column) }
    } else {
      for item in items { total.add(parts[item], of: column) }
    }
    return total
  }

  /// Adds the rows at a range of ranks, which is not empty, to totals.
  func add(_ range: Range<Int>, to totals: inout [ColumnTotals], by plan: TotalPlan) {
    let width = plan.columns.count
    for (index, column) in plan.columns.enumerated() where isLeaf {
      for rank in range { totals[index].add(cells[rank * width + index], of: column) }
    }
    var start = 0
    for place in children.indices {
      if start >= range.upperBound { return }
      let end = start + rowCount(under: place, by: plan)
      let rows = range.clamped(to: start..<end)
      if rows == start..<end {
        for (index, column) in plan.columns.enumerated() {
          totals[index].add(parts[place * width + index], of: column)
        }
      } else if !rows.isEmpty {
        children[place].add(
          rows.lowerBound - start..<rows.upperBound - start, to: &totals, by: plan)
      }
      start = end
    }
  }

  // MARK: Checking

  func hasCells(_ row: [TotalCell], at rank: Int, by plan: TotalPlan) -> Bool {
    guard isLeaf else {
      let (place, rank) = find(rank, by: plan)
      return children[place].hasCells(row, at: rank, by: plan)
    }
    return row.indices.allSatisfy { cells[rank * row.count + $0].isSame(as: row[$0]) }
  }

  func checkInvariants(by plan: TotalPlan) {
    let width = plan.columns.count
    for (place, child) in children.enumerated() {
      child.checkInvariants(by: plan)
      precondition(child.itemCount(by: plan) > 0, "a node of the totals is empty")
      for (index, column) in plan.columns.enumerated() {
        let (known, found) = (parts[place * width + index], child.total(index, by: plan))
        precondition(
          !known.isStale && known.rowCount == found.rowCount,
          "the totals of a node are stale, or of \(known.rowCount) rows, not \(found.rowCount)")
        for function in TotalFunction.allCases where function != .distinct {
          if function == .sum || function == .average, !column.isSummed { continue }
          precondition(
            known.value(function, of: column) == found.value(function, of: column),
            "the \(function.rawValue) of a node is \(known.value(function, of: column))")
        }
      }
    }
  }
}

/// Returns totals of a child that contain only the number of rows and are marked as stale.
private func stalePart(_ child: TotalNode, by plan: TotalPlan) -> [ColumnTotals] {
  plan.columns.map { column in
    var part = ColumnTotals(column)
    part.rowCount = child.rowCount(by: plan)
    part.isStale = true
    return part
  }
}
