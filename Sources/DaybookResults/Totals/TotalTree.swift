import DaybookStore

/// The totals of a list: of all its rows, and of any range of ranks in logarithmic time.
///
/// There is one tree for each column. It stores the cell of each row, in the order of the list, and
/// no other data of a row. A leaf has the cells of a block of rows. An inner node has its children,
/// and the totals of the rows under each. After a change, the totals of each node on the path from
/// the changed row to the root are computed again from the cells of the leaf and the totals of the
/// children. Nothing is ever subtracted, so the totals do not depend on the history of the list.
///
/// A column of numbers of at most 64 bits has a ``NumberTree``, whose nodes have a fixed size. Any
/// other column has a ``CellTree``. So has a column of numbers after a sum of some of its rows has
/// needed more than 128 bits.
///
/// Edits make totals stale. ``refresh(in:)`` must be called before the tree is read or copied.
struct TotalTree: Sendable {
  /// The tree of a column: one of the two.
  private struct Column {
    var numbers: NumberTree?
    var cells: CellTree?
  }

  let plan: TotalPlan
  private var columns: [Column]

  /// Creates the tree of some rows.
  ///
  /// - Parameters:
  ///   - slots: The slots of the rows, in order.
  ///   - space: The space of the pages.
  /// - Complexity: O(*n*)
  init(
    _ plan: TotalPlan, slots: [UInt32], of entity: Int, state: FrozenState, in space: PageSpace
  ) {
    self.plan = plan
    columns = plan.columns.map { column in
      func cell(_ rank: Int) -> TotalCell {
        column.cell(of: state.reader.row(inSlot: slots[rank], of: entity).location, in: state)
      }
      return column.hasNumbers
        ? Column(numbers: NumberTree(column, count: slots.count, in: space, cell: cell))
        : Column(cells: CellTree(column, count: slots.count, cell: cell))
    }
    refresh(in: space)
  }

  /// Divides a count into the fewest shares of at most `limit` items, as evenly as possible.
  static func shares(of count: Int, upTo limit: Int) -> [Range<Int>] {
    let shareCount = (count + limit - 1) / limit
    return (0..<shareCount).map { count * $0 / shareCount..<count * ($0 + 1) / shareCount }
  }

  // MARK: Editing

  /// Inserts a row at a rank.
  ///
  /// - Complexity: O(log *n*)
  mutating func insert(_ row: [TotalCell], at rank: Int, in space: PageSpace) {
    for (index, cell) in row.enumerated() {
      columns[index].numbers?.insert(cell, at: rank, in: space)
      columns[index].cells?.insert(cell, at: rank)
    }
  }

  /// Removes the row at a rank.
  ///
  /// - Complexity: O(log *n*)
  mutating func remove(at rank: Int, in space: PageSpace) {
    for index in columns.indices {
      columns[index].numbers?.remove(at: rank, in: space)
      columns[index].cells?.remove(at: rank)
    }
  }

  /// Replaces the cells of the row at a rank, if they differ.
  ///
  /// - Complexity: O(log *n*)
  mutating func replace(at rank: Int, with row: [TotalCell], in space: PageSpace) {
    for (index, cell) in row.enumerated() {
      columns[index].numbers?.replace(at: rank, with: cell, in: space)
      columns[index].cells?.replace(at: rank, with: cell)
    }
  }

  /// Computes the totals that edits made stale.
  ///
  /// - Complexity: O(nodes with stale totals); O(*n*) the first time that a sum of numbers needs
  ///   more than 128 bits
  mutating func refresh(in space: PageSpace) {
    for index in columns.indices {
      if columns[index].numbers?.refresh(in: space) == false, let numbers = columns[index].numbers {
        columns[index].cells = CellTree(numbers.column, count: numbers.count) {
          numbers.cell(at: $0, in: space)
        }
        columns[index].numbers?.removeAll(in: space)
        columns[index].numbers = nil
      }
      columns[index].cells?.refresh()
    }
  }

  // MARK: Reading

  /// Returns the totals of the rows at a range of ranks.
  ///
  /// - Complexity: O(log *n*)
  func totals(of range: Range<Int>, in space: PageSpace) -> [ColumnTotals] {
    columns.indices.map { index in
      columns[index].numbers?.totals(of: range, in: space)
        ?? columns[index].cells?.totals(of: range) ?? ColumnTotals(plan.columns[index])
    }
  }

  /// Returns whether the tree has all nodes in common with a second tree in the same space. It then
  /// has the same cells, in the same order.
  func isShared(with other: TotalTree) -> Bool {
    columns.count == other.columns.count
      && zip(columns, other.columns).allSatisfy { one, other in
        if let one = one.numbers, let other = other.numbers { return one.isShared(with: other) }
        if let one = one.cells, let other = other.cells { return one.isShared(with: other) }
        return false
      }
  }

  /// Traps unless the totals of each node are those of its rows, and the rows have the given cells.
  ///
  /// - Complexity: O(*n* log *n*)
  func checkInvariants(cells rows: [[TotalCell]], in space: PageSpace) {
    for (index, column) in columns.enumerated() {
      let count = column.numbers?.count ?? column.cells?.count ?? 0
      precondition(count == rows.count, "expected totals of \(rows.count) rows, found \(count)")
      column.numbers?.checkInvariants(in: space)
      column.cells?.checkInvariants()
      for (rank, row) in rows.enumerated() {
        let cell =
          column.numbers?.cell(at: rank, in: space) ?? column.cells?.cell(at: rank) ?? .none
        precondition(
          cell.isSame(as: row[index]), "the totals have another value for the row at \(rank)")
      }
    }
  }
}
