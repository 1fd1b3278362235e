import DaybookEssentials

/// The updates of one batch of a ``TableView``. The table collects them, and performs them together
/// at the end of the batch.
struct TableBatch {
  var insertedSections: [Int] = []
  var deletedSections: [Int] = []
  var inserted: [IndexPath] = []
  var deleted: [IndexPath] = []
  var reloaded: [IndexPath] = []
  var moved: [(from: IndexPath, to: IndexPath)] = []

  /// Returns the cells of a table after the updates. A cell is nil if the data source must create
  /// it.
  ///
  /// - Parameters:
  ///   - before: The cells of the table before the updates.
  ///   - counts: The number of rows of each section after the updates, as the data source reports
  ///     them.
  func applied(
    to before: [[TableViewCell?]], rowCounts counts: [Int]
  ) throws(TableViewError) -> [[TableViewCell?]] {
    let countsBefore = before.map(\.count)
    try checkBefore(countsBefore)
    try checkSections(countsBefore, after: counts)
    try checkRows(countsBefore, after: counts)
    var cells = before
    for path in reloaded { cells[path[0]][path[1]] = nil }
    var carried: [IndexPath: TableViewCell] = [:]
    for (from, to) in moved { carried[to] = cells[from[0]][from[1]] }
    for path in (deleted + moved.map(\.from)).sorted(by: >) { cells[path[0]].remove(at: path[1]) }
    for section in deletedSections.sorted(by: >) { cells.remove(at: section) }
    for section in insertedSections.sorted() {
      // An inserted section gets all its rows, also if the batch does not insert them one by one.
      cells.insert([TableViewCell?](repeating: nil, count: counts[section]), at: section)
    }
    for path in (inserted + moved.map(\.to)).sorted() where !insertedSections.contains(path[0]) {
      cells[path[0]].insert(carried[path], at: path[1])
    }
    return cells
  }

  // MARK: Checking

  private func checkBefore(_ before: [Int]) throws(TableViewError) {
    for section in deletedSections where !before.indices.contains(section) {
      throw TableViewError(.noSection(section, count: before.count, isBefore: true))
    }
    for path in deleted + reloaded + moved.map(\.from) {
      try TableBatch.check(path, against: before, isBefore: true)
    }
    if let section = TableBatch.twice(deletedSections) {
      throw TableViewError(.twice("section \(section)"))
    }
    if let path = TableBatch.twice(deleted + reloaded + moved.map(\.from)) {
      throw TableViewError(.twice("row \(path[0]), \(path[1])"))
    }
    for (from, _) in moved where deletedSections.contains(from[0]) {
      throw TableViewError(.moveFromDeletedSection(from))
    }
  }

  private func checkSections(_ before: [Int], after: [Int]) throws(TableViewError) {
    for section in insertedSections where !after.indices.contains(section) {
      throw TableViewError(.noSection(section, count: after.count, isBefore: false))
    }
    if let section = TableBatch.twice(insertedSections) {
      throw TableViewError(.twice("inserted section \(section)"))
    }
    guard before.count + insertedSections.count - deletedSections.count == after.count else {
      throw TableViewError(
        .sectionCount(
          before: before.count, after: after.count, inserted: insertedSections.count,
          deleted: deletedSections.count))
    }
    for path in inserted + moved.map(\.to) {
      try TableBatch.check(path, against: after, isBefore: false)
    }
    if let path = TableBatch.twice(inserted + moved.map(\.to)) {
      throw TableViewError(.twice("new row \(path[0]), \(path[1])"))
    }
    for (_, to) in moved where insertedSections.contains(to[0]) {
      throw TableViewError(.moveToInsertedSection(to))
    }
  }

  /// Checks that each section that is neither deleted nor inserted has the number of rows that
  /// results from the updates.
  private func checkRows(_ before: [Int], after: [Int]) throws(TableViewError) {
    let old = before.indices.filter { !deletedSections.contains($0) }
    let new = after.indices.filter { !insertedSections.contains($0) }
    for (section, newSection) in zip(old, new) {
      let counts = (
        inserted: inserted.count { $0[0] == newSection },
        deleted: deleted.count { $0[0] == section },
        movedIn: moved.count { $0.to[0] == newSection },
        movedOut: moved.count { $0.from[0] == section }
      )
      let expected =
        before[section] + counts.inserted - counts.deleted + counts.movedIn - counts.movedOut
      guard expected == after[newSection] else {
        throw TableViewError(
          .rowCount(
            section: section, before: before[section], after: after[newSection],
            inserted: counts.inserted, deleted: counts.deleted, movedIn: counts.movedIn,
            movedOut: counts.movedOut))
      }
    }
  }

  private static func check(
    _ path: IndexPath, against counts: [Int], isBefore: Bool
  ) throws(TableViewError) {
    guard path.count == 2, counts.indices.contains(path[0]) else {
      throw TableViewError(
        .noSection(path.first ?? -1, count: counts.count, isBefore: isBefore))
    }
    guard (0..<counts[path[0]]).contains(path[1]) else {
      throw TableViewError(.noRow(path, count: counts[path[0]], isBefore: isBefore))
    }
  }

  private static func twice<Element: Hashable>(_ elements: [Element]) -> Element? {
    var known: Set<Element> = []
    return elements.first { !known.insert($0).inserted }
  }
}
