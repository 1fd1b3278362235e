import DaybookResults
import DaybookStore

/// A list after a transaction, with a mark at what the transaction did to it.
///
/// Rows and sections that went stand where they were: behind what stood before them and is still there.
struct Picture {
  /// One line of the list.
  enum Line: Hashable {
    /// An empty one, before a section.
    case gap
    /// The name of a section, by its place in the list after, or if it went in the list before.
    case section(Mark, Int)
    /// A row, by its rank in the list after, or if it went in the list before.
    case row(Mark, Int)

    /// Whether the transaction did anything to it.
    var isChanged: Bool {
      switch self {
      case .gap: false
      case .section(let mark, _), .row(let mark, _): mark != .none
      }
    }
  }

  let difference: Difference
  private let isSectioned: Bool
  /// What became of the rows of the list after; of all others, nothing.
  private var marks: [RowPath: Mark] = [:]
  /// The rows that left each section of the list before, ascending; those that moved away included.
  private var leaving: [Int: [(row: Int, isDeleted: Bool)]] = [:]

  init(_ difference: Difference, isSectioned: Bool) {
    self.difference = difference
    self.isSectioned = isSectioned
    for row in difference.inserted { marks[row.path] = .inserted }
    for pair in difference.moved { marks[pair.new] = .moved }
    for pair in difference.updated { marks[pair.new] = .updated }
    for row in difference.deleted {
      leaving[row.path.section, default: []].append((row.path.row, true))
    }
    for pair in difference.moved {
      leaving[pair.old.section, default: []].append((pair.old.row, false))
    }
    for section in leaving.keys { leaving[section]?.sort { $0.row < $1.row } }
  }

  /// Hands out the lines from the top to the bottom.
  ///
  /// - Complexity: O(*n*); no row is read
  func forEachLine(_ body: (Line) throws -> Void) rethrows {
    let deleted = difference.deletedSections.map(\.index).sorted()
    let inserted = Set(difference.insertedSections.map(\.index))
    let gone = Set(deleted)
    let staying = (0..<difference.before.sectionCount).filter { !gone.contains($0) }
    // How many sections that are still there stand before each that went.
    var rest = zip(deleted, deleted.indices).map { (index: $0, stayingBefore: $0 - $1) }[...]
    var stayedCount = 0
    func forEachGone() throws {
      while let section = rest.first, section.stayingBefore == stayedCount {
        rest.removeFirst()
        try forEachLine(ofGoneSection: section.index, body)
      }
    }
    try forEachGone()
    for section in 0..<difference.after.sectionCount {
      let isNew = inserted.contains(section)
      try forEachLine(
        ofSection: section, mark: isNew ? .inserted : .none,
        before: isNew ? nil : staying[stayedCount], body)
      guard !isNew else { continue }
      stayedCount += 1
      try forEachGone()
    }
  }

  private func forEachLine(ofGoneSection section: Int, _ body: (Line) throws -> Void) rethrows {
    if isSectioned {
      try body(.gap)
      try body(.section(.deleted, section))
    }
    for row in leaving[section] ?? [] where row.isDeleted {
      try body(.row(.deleted, rank(before: section, row.row)))
    }
  }

  /// - Parameter old: Where the section stood; nil if it was not there.
  private func forEachLine(
    ofSection section: Int, mark: Mark, before old: Int?, _ body: (Line) throws -> Void
  ) rethrows {
    if isSectioned {
      try body(.gap)
      try body(.section(mark, section))
    }
    let leaving = old.map { self.leaving[$0] ?? [] } ?? []
    // How many rows that are still there stand before each that went.
    var rest = zip(leaving, leaving.indices)
      .filter { $0.0.isDeleted }.map { (row: $0.0.row, stayingBefore: $0.0.row - $0.1) }[...]
    var stayedCount = 0
    func forEachGone() throws {
      while let old, let row = rest.first, row.stayingBefore == stayedCount {
        rest.removeFirst()
        try body(.row(.deleted, rank(before: old, row.row)))
      }
    }
    try forEachGone()
    let ranks = difference.after.ranks(ofSection: section)
    for (row, rank) in ranks.enumerated() {
      let mark = marks[RowPath(section: section, row: row)] ?? .none
      try body(.row(mark, rank))
      guard mark == .none || mark == .updated else { continue }
      stayedCount += 1
      try forEachGone()
    }
  }

  private func rank(before section: Int, _ row: Int) -> Int {
    difference.before.rank(at: RowPath(section: section, row: row))
  }
}
