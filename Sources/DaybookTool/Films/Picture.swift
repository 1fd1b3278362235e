import Daybook
import DaybookEssentials

/// The lines of a list after a transaction, with a mark at each row and section that the
/// transaction changed. ``Film`` prints them.
///
/// The lines include deleted rows and sections. Each follows the last row or section before it that
/// the transaction did not remove.
struct Picture {
  /// One line of the list.
  enum Line: Hashable {
    /// An empty line before a section.
    case gap
    /// The name of a section. The index is the index in the list after the transaction; for a
    /// deleted section, it is the index in the list before the transaction.
    case section(Mark, Int)
    /// A row. The index is the index in the list after the transaction; for a deleted row, it is
    /// the index in the list before the transaction.
    case row(Mark, Int)

    /// A Boolean value that indicates whether the transaction changed the section or row.
    var isChanged: Bool {
      switch self {
      case .gap: false
      case .section(let mark, _), .row(let mark, _): mark != .none
      }
    }
  }

  let difference: RecordDifference
  private let isSectioned: Bool
  /// The marks of the inserted, moved and updated rows, by their paths in the new list.
  private var marks: [IndexPath: Mark] = [:]
  /// The rows that each section of the old list has lost, in ascending order. They include moved
  /// rows, which are not shown at their old position.
  private var leaving: [Int: [(row: Int, isDeleted: Bool)]] = [:]

  init(_ difference: RecordDifference, isSectioned: Bool) {
    self.difference = difference
    self.isSectioned = isSectioned
    for row in difference.inserted { marks[row.indexPath] = .inserted }
    for change in difference.moved { marks[change.newIndexPath] = .moved }
    for change in difference.updated { marks[change.newIndexPath] = .updated }
    for row in difference.deleted {
      leaving[row.indexPath.section, default: []].append((row.indexPath.row, true))
    }
    for change in difference.moved {
      leaving[change.indexPath.section, default: []].append((change.indexPath.row, false))
    }
    for section in leaving.keys { leaving[section]?.sort { $0.row < $1.row } }
  }

  /// Calls a closure with each line, from top to bottom.
  ///
  /// - Complexity: O(*n*). The method reads no values of rows.
  func forEachLine(_ body: (Line) throws -> Void) rethrows {
    let deleted = difference.deletedSections.map(\.index).sorted()
    let inserted = Set(difference.insertedSections.map(\.index))
    let gone = Set(deleted)
    let staying = difference.before.sections.indices.filter { !gone.contains($0) }
    // The deleted sections, each with the number of sections before it that are not deleted.
    var rest = zip(deleted, deleted.indices).map { (index: $0, stayingBefore: $0 - $1) }[...]
    var stayedCount = 0
    func forEachGone() throws {
      while let section = rest.first, section.stayingBefore == stayedCount {
        rest.removeFirst()
        try forEachLine(ofGoneSection: section.index, body: body)
      }
    }
    try forEachGone()
    for section in difference.after.sections.indices {
      let isNew = inserted.contains(section)
      try forEachLine(
        ofSection: section, mark: isNew ? .inserted : .none,
        before: isNew ? nil : staying[stayedCount], body: body)
      guard !isNew else { continue }
      stayedCount += 1
      try forEachGone()
    }
  }

  private func forEachLine(ofGoneSection section: Int, body: (Line) throws -> Void) rethrows {
    if isSectioned {
      try body(.gap)
      try body(.section(.deleted, section))
    }
    for row in leaving[section] ?? [] where row.isDeleted {
      try body(.row(.deleted, index(of: row.row, inOldSection: section)))
    }
  }

  /// - Parameters:
  ///   - section: The index of the section in the new list.
  ///   - mark: The mark of the section.
  ///   - old: The index of the section in the old list; nil if the section was inserted.
  ///   - body: The closure that receives the lines.
  private func forEachLine(
    ofSection section: Int, mark: Mark, before old: Int?, body: (Line) throws -> Void
  ) rethrows {
    if isSectioned {
      try body(.gap)
      try body(.section(mark, section))
    }
    let leaving = old.map { self.leaving[$0] ?? [] } ?? []
    // The deleted rows, each with the number of rows before it that stay in the section.
    var rest = zip(leaving, leaving.indices)
      .filter { $0.0.isDeleted }.map { (row: $0.0.row, stayingBefore: $0.0.row - $0.1) }[...]
    var stayedCount = 0
    func forEachGone() throws {
      while let old, let row = rest.first, row.stayingBefore == stayedCount {
        rest.removeFirst()
        try body(.row(.deleted, index(of: row.row, inOldSection: old)))
      }
    }
    try forEachGone()
    let count = difference.after.sections[section].numberOfObjects
    // A list without a section key has exactly one section, which can be empty.
    let start = count == 0 ? 0 : difference.after.index(at: IndexPath(row: 0, section: section))
    for row in 0..<count {
      let mark = marks[IndexPath(row: row, section: section)] ?? .none
      try body(.row(mark, start + row))
      guard mark == .none || mark == .updated else { continue }
      stayedCount += 1
      try forEachGone()
    }
  }

  /// Returns the index of a row in the old list.
  private func index(of row: Int, inOldSection section: Int) -> Int {
    difference.before.index(at: IndexPath(row: row, section: section))
  }
}
