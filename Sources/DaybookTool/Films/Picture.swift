import Daybook
import DaybookEssentials

/// A list after a transaction, with a mark at each row and section that the transaction changed.
///
/// Deleted rows and sections are shown at their old position: after the last row or section before
/// them that remains.
struct Picture {
  /// One line of the list.
  enum Line: Hashable {
    /// An empty line before a section.
    case gap
    /// The name of a section, by its index in the list after the transaction, or before it if the
    /// mark is `deleted`.
    case section(Mark, Int)
    /// A row, by its index in the list after the transaction, or before it if the mark is
    /// `deleted`.
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
  /// The marks of rows of the new list. All other rows are unchanged.
  private var marks: [IndexPath: Mark] = [:]
  /// The rows that left each section of the old list, ascending. They include rows that moved.
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

  /// Passes the lines to a closure, from top to bottom.
  ///
  /// - Complexity: O(*n*); no row is read
  func forEachLine(_ body: (Line) throws -> Void) rethrows {
    let deleted = difference.deletedSections.map(\.index).sorted()
    let inserted = Set(difference.insertedSections.map(\.index))
    let gone = Set(deleted)
    let staying = difference.before.sections.indices.filter { !gone.contains($0) }
    // For each deleted section: the number of remaining sections before it.
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
      try body(.row(.deleted, place(of: row.row, inOldSection: section)))
    }
  }

  /// - Parameters:
  ///   - section: The index of the section in the new list.
  ///   - mark: The mark of the section.
  ///   - old: The index of the section in the old list, or nil if it is new.
  ///   - body: The closure that receives the lines.
  private func forEachLine(
    ofSection section: Int, mark: Mark, before old: Int?, body: (Line) throws -> Void
  ) rethrows {
    if isSectioned {
      try body(.gap)
      try body(.section(mark, section))
    }
    let leaving = old.map { self.leaving[$0] ?? [] } ?? []
    // For each deleted row: the number of remaining rows before it.
    var rest = zip(leaving, leaving.indices)
      .filter { $0.0.isDeleted }.map { (row: $0.0.row, stayingBefore: $0.0.row - $0.1) }[...]
    var stayedCount = 0
    func forEachGone() throws {
      while let old, let row = rest.first, row.stayingBefore == stayedCount {
        rest.removeFirst()
        try body(.row(.deleted, place(of: row.row, inOldSection: old)))
      }
    }
    try forEachGone()
    let count = difference.after.sections[section].numberOfObjects
    // A list without section keys has one section, which can be empty.
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
  private func place(of row: Int, inOldSection section: Int) -> Int {
    difference.before.index(at: IndexPath(row: row, section: section))
  }
}
