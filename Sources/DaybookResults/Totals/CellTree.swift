/// The totals of a column of values of any size. The tree contains the totals of all rows of a
/// list, and computes those of a range of ranks in logarithmic time.
///
/// An edit marks the totals of its path as stale. ``refresh()`` computes them, once after any
/// number of edits. It must be called before the tree is read or copied. A node that a copy of the
/// tree shares is copied before it is changed.
struct CellTree: Sendable {
  private let column: TotalColumn
  private(set) var count: Int
  private var root: CellNode
  /// The totals of all rows.
  private var totals: ColumnTotals

  static let rowCountMax = 32
  static let childCountMax = 16

  /// Creates the tree of some rows. Its totals are stale.
  ///
  /// - Parameter cell: Returns the cell of the row at a rank.
  /// - Complexity: O(*n*)
  init(_ column: TotalColumn, count: Int, cell: (Int) -> TotalCell) {
    self.column = column
    self.count = count
    totals = ColumnTotals(column)
    var nodes = TotalTree.shares(of: count, upTo: CellTree.rowCountMax * 7 / 8).map { ranks in
      CellNode(cells: ranks.map { cell($0) })
    }
    while nodes.count > 1 {
      let below = nodes
      nodes = TotalTree.shares(of: below.count, upTo: CellTree.childCountMax * 7 / 8).map {
        CellNode(children: Array(below[$0]), of: column)
      }
    }
    root = nodes.first ?? CellNode(cells: [])
  }

  /// Returns whether a second tree has the same nodes.
  func isShared(with other: CellTree) -> Bool { root === other.root }

  // MARK: Editing

  /// Inserts a row at a rank.
  ///
  /// - Complexity: O(log *n*)
  mutating func insert(_ cell: TotalCell, at rank: Int) {
    count += 1
    guard let added = CellNode.insert(cell, at: rank, into: &root, of: column) else { return }
    root = CellNode(children: [root, added], of: column)
  }

  /// Removes the row at a rank.
  ///
  /// - Complexity: O(log *n*)
  mutating func remove(at rank: Int) {
    count -= 1
    CellNode.remove(at: rank, from: &root)
    while root.children.count == 1 { root = root.children[0].node }
  }

  /// Replaces the cell of the row at a rank, if it differs.
  ///
  /// - Complexity: O(log *n*)
  mutating func replace(at rank: Int, with cell: TotalCell) {
    if root.cell(at: rank).isSame(as: cell) { return }
    CellNode.replace(at: rank, with: cell, under: &root)
  }

  /// Computes the totals that edits made stale.
  ///
  /// - Complexity: O(nodes with stale totals)
  mutating func refresh() {
    root.refresh(of: column)
    totals = root.total(of: column)
  }

  // MARK: Reading

  /// Returns the cell of the row at a rank.
  ///
  /// - Complexity: O(log *n*)
  func cell(at rank: Int) -> TotalCell { root.cell(at: rank) }

  /// Returns the totals of the rows at a range of ranks.
  ///
  /// - Complexity: O(log *n*)
  func totals(of range: Range<Int>) -> ColumnTotals {
    if range == 0..<count { return totals }
    var totals = ColumnTotals(column)
    if !range.isEmpty { root.add(range, to: &totals, of: column) }
    return totals
  }

  /// Traps unless the totals of each node are those of its rows.
  ///
  /// - Complexity: O(*n*)
  func checkInvariants() {
    precondition(root.rowCount == count, "expected \(count) rows, found \(root.rowCount)")
    root.checkInvariants(of: column)
  }
}

/// A node of a ``CellTree``.
//
// Unchecked, because nodes are mutable. A tree changes a node only if it has the only reference to
// the node, and otherwise changes a copy.
final class CellNode: @unchecked Sendable {
  /// A child of an inner node, with the number and the totals of the rows under it.
  fileprivate struct Child {
    var node: CellNode
    var rowCount: Int
    var totals: ColumnTotals
    /// A Boolean value that indicates whether rows under the child changed after the totals were
    /// computed.
    var isStale = true

    init(_ node: CellNode, of column: TotalColumn) {
      self.node = node
      rowCount = node.rowCount
      totals = ColumnTotals(column)
    }
  }

  /// The cells of the rows of a leaf.
  private var cells: [TotalCell]
  /// The children of an inner node; empty for a leaf.
  fileprivate private(set) var children: [Child]

  init(cells: [TotalCell]) {
    self.cells = cells
    children = []
  }

  init(children: [CellNode], of column: TotalColumn) {
    cells = []
    self.children = children.map { Child($0, of: column) }
  }

  private init(copying other: CellNode) {
    (cells, children) = (other.cells, other.children)
  }

  private var isLeaf: Bool { children.isEmpty }

  /// The number of rows of a leaf, or of children of an inner node.
  private var itemCount: Int { isLeaf ? cells.count : children.count }

  var rowCount: Int { isLeaf ? cells.count : children.reduce(0) { $0 + $1.rowCount } }

  /// Returns the child with the row at a rank, and the rank of the row in it.
  ///
  /// - Parameter isInsertion: A Boolean value that indicates whether the row is inserted. Between
  ///   two children, it is inserted at the end of the first one.
  private func find(_ rank: Int, isInsertion: Bool = false) -> (index: Int, rank: Int) {
    let children = children
    var (index, rank) = (0, isInsertion ? rank - 1 : rank)
    while rank >= children[index].rowCount {
      rank -= children[index].rowCount
      index += 1
    }
    return (index, isInsertion ? rank + 1 : rank)
  }

  // MARK: Editing

  private static func own(_ node: inout CellNode) {
    if !isKnownUniquelyReferenced(&node) { node = CellNode(copying: node) }
  }

  /// Records that the rows under a child changed.
  private func mark(_ index: Int, rowCount: Int) {
    children[index].rowCount = rowCount
    children[index].isStale = true
  }

  /// - Returns: The node that follows the given one, if it was split.
  static func insert(
    _ cell: TotalCell, at rank: Int, into node: inout CellNode, of column: TotalColumn
  ) -> CellNode? {
    own(&node)
    if node.isLeaf {
      node.cells.insert(cell, at: rank)
      let count = node.cells.count
      guard count > CellTree.rowCountMax else { return nil }
      let added = CellNode(cells: Array(node.cells[(count / 2)...]))
      node.cells.removeSubrange((count / 2)...)
      return added
    }
    let (index, rank) = node.find(rank, isInsertion: true)
    let rowCount = node.children[index].rowCount + 1
    let added = insert(cell, at: rank, into: &node.children[index].node, of: column)
    guard let added else {
      node.mark(index, rowCount: rowCount)
      return nil
    }
    let child = Child(added, of: column)
    node.mark(index, rowCount: rowCount - child.rowCount)
    node.children.insert(child, at: index + 1)
    let count = node.children.count
    guard count > CellTree.childCountMax else { return nil }
    let right = CellNode(copying: node)
    right.children.removeSubrange(..<(count / 2))
    node.children.removeSubrange((count / 2)...)
    return right
  }

  static func remove(at rank: Int, from node: inout CellNode) {
    own(&node)
    if node.isLeaf {
      node.cells.remove(at: rank)
      return
    }
    let (index, rank) = node.find(rank)
    remove(at: rank, from: &node.children[index].node)
    let rowCount = node.children[index].rowCount - 1
    node.mark(index, rowCount: rowCount)
    if rowCount == 0 { node.children.remove(at: index) } else { node.join(index) }
  }

  /// Joins a child that is less than half full with a neighbor, if their items fill at most five
  /// sixths of one node.
  private func join(_ index: Int) {
    let child = children[index].node
    let limit = child.isLeaf ? CellTree.rowCountMax : CellTree.childCountMax
    guard child.itemCount < limit / 2 else { return }
    for left in [index - 1, index] where left >= 0 && left + 1 < children.count {
      let right = children[left + 1]
      guard children[left].node.itemCount + right.node.itemCount <= limit * 5 / 6 else { continue }
      CellNode.own(&children[left].node)
      children[left].node.cells += right.node.cells
      children[left].node.children += right.node.children
      mark(left, rowCount: children[left].rowCount + right.rowCount)
      children.remove(at: left + 1)
      return
    }
  }

  static func replace(at rank: Int, with cell: TotalCell, under node: inout CellNode) {
    own(&node)
    if node.isLeaf {
      node.cells[rank] = cell
      return
    }
    let (index, rank) = node.find(rank)
    replace(at: rank, with: cell, under: &node.children[index].node)
    node.children[index].isStale = true
  }

  // MARK: Totals

  /// Computes the stale totals below the node. A node with stale totals below it belongs to one
  /// tree only.
  func refresh(of column: TotalColumn) {
    for index in children.indices where children[index].isStale {
      let child = children[index].node
      child.refresh(of: column)
      children[index].totals = child.total(of: column)
      children[index].isStale = false
    }
  }

  /// Returns the totals of all rows.
  func total(of column: TotalColumn) -> ColumnTotals {
    var total = ColumnTotals(column)
    add(0..<itemCount, to: &total, column: column)
    return total
  }

  /// Adds the rows of a leaf, or the children of an inner node, at some indexes.
  private func add(_ indexes: Range<Int>, to total: inout ColumnTotals, column: TotalColumn) {
    if isLeaf {
      for index in indexes { total.add(cells[index], of: column) }
    } else {
      for index in indexes { total.add(children[index].totals, of: column) }
    }
  }

  /// Adds the rows at a range of ranks, which is not empty, to totals.
  func add(_ range: Range<Int>, to totals: inout ColumnTotals, of column: TotalColumn) {
    if isLeaf { return add(range, to: &totals, column: column) }
    var start = 0
    for child in children {
      if start >= range.upperBound { return }
      let end = start + child.rowCount
      let rows = range.clamped(to: start..<end)
      if rows == start..<end {
        totals.add(child.totals, of: column)
      } else if !rows.isEmpty {
        child.node.add(
          rows.lowerBound - start..<rows.upperBound - start, to: &totals, of: column)
      }
      start = end
    }
  }

  // MARK: Reading

  func cell(at rank: Int) -> TotalCell {
    if isLeaf { return cells[rank] }
    let (index, rank) = find(rank)
    return children[index].node.cell(at: rank)
  }

  func checkInvariants(of column: TotalColumn) {
    for child in children {
      child.node.checkInvariants(of: column)
      let count = child.node.rowCount
      precondition(
        !child.isStale && child.rowCount == count && count > 0,
        "the totals of a node are stale, or of \(child.rowCount) rows, not \(count)")
      child.totals.checkEqual(to: child.node.total(of: column), of: column)
    }
  }
}
