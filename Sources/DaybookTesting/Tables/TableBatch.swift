import FoundationEssentials

/// The updates of one batch, to be made at once.
struct TableBatch {
  var insertedSections: [Int] = []
  var deletedSections: [Int] = []
  var inserted: [IndexPath] = []
  var deleted: [IndexPath] = []
  var reloaded: [IndexPath] = []
  var moved: [(from: IndexPath, to: IndexPath)] = []

  /// What a table shows after the updates.
  ///
  /// - Parameters:
  ///   - before: What it shows before them.
  ///   - source: What its source has: new cells are made of it, and it has to be of the same form.
  func applied(
    to before: [TableView.Section], _ source: [TableView.Section]
  ) throws(TableViewError) -> [TableView.Section] {
    try checkBefore(before)
    try checkSections(before, source)
    try checkRows(before, source)
    var sections = before.indices.map { section in
      before[section].rows.indices.map { row in
        Cell(text: before[section].rows[row], origin: IndexPath(indexes: [section, row]))
      }
    }
    var carried: [IndexPath: Cell] = [:]
    for (from, to) in moved { carried[to] = sections[from[0]][from[1]] }
    for path in (deleted + moved.map(\.from)).sorted(by: >) {
      sections[path[0]].remove(at: path[1])
    }
    for section in deletedSections.sorted(by: >) { sections.remove(at: section) }
    for section in insertedSections.sorted() {
      // It brings its rows along, whether they are told of or not.
      sections.insert(source[section].rows.map { Cell(text: $0) }, at: section)
    }
    for path in (inserted + moved.map(\.to)).sorted() where !insertedSections.contains(path[0]) {
      let cell = carried[path] ?? Cell(text: source[path[0]].rows[path[1]])
      sections[path[0]].insert(cell, at: path[1])
    }
    return sections.indices.map { section in
      TableView.Section(
        title: source[section].title,
        rows: sections[section].indices.map { row in
          let cell = sections[section][row]
          let isReloaded = cell.origin.map { reloaded.contains($0) } ?? false
          return isReloaded ? source[section].rows[row] : cell.text
        })
    }
  }

  /// A cell on the screen, and where it was before the batch if it was there.
  private struct Cell {
    var text: String
    var origin: IndexPath?
  }

  // MARK: Checking

  private func checkBefore(_ before: [TableView.Section]) throws(TableViewError) {
    for section in deletedSections where !before.indices.contains(section) {
      throw TableViewError(.noSection(section, count: before.count, isBefore: true))
    }
    for path in deleted + reloaded + moved.map(\.from) {
      try TableBatch.check(path, before, isBefore: true)
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

  private func checkSections(
    _ before: [TableView.Section], _ source: [TableView.Section]
  ) throws(TableViewError) {
    for section in insertedSections where !source.indices.contains(section) {
      throw TableViewError(.noSection(section, count: source.count, isBefore: false))
    }
    if let section = TableBatch.twice(insertedSections) {
      throw TableViewError(.twice("inserted section \(section)"))
    }
    guard before.count + insertedSections.count - deletedSections.count == source.count else {
      throw TableViewError(
        .sectionCount(
          before: before.count, after: source.count, inserted: insertedSections.count,
          deleted: deletedSections.count))
    }
    for path in inserted + moved.map(\.to) { try TableBatch.check(path, source, isBefore: false) }
    if let path = TableBatch.twice(inserted + moved.map(\.to)) {
      throw TableViewError(.twice("new row \(path[0]), \(path[1])"))
    }
    for (_, to) in moved where insertedSections.contains(to[0]) {
      throw TableViewError(.moveToInsertedSection(to))
    }
  }

  /// Each section that stays has as many rows as come of the updates.
  private func checkRows(
    _ before: [TableView.Section], _ source: [TableView.Section]
  ) throws(TableViewError) {
    let old = before.indices.filter { !deletedSections.contains($0) }
    let new = source.indices.filter { !insertedSections.contains($0) }
    for (section, newSection) in zip(old, new) {
      let counts = (
        inserted: inserted.count { $0[0] == newSection },
        deleted: deleted.count { $0[0] == section },
        movedIn: moved.count { $0.to[0] == newSection },
        movedOut: moved.count { $0.from[0] == section }
      )
      let expected =
        before[section].rows.count + counts.inserted - counts.deleted + counts.movedIn
        - counts.movedOut
      guard expected == source[newSection].rows.count else {
        throw TableViewError(
          .rowCount(
            section: section, before: before[section].rows.count,
            after: source[newSection].rows.count, inserted: counts.inserted,
            deleted: counts.deleted, movedIn: counts.movedIn, movedOut: counts.movedOut))
      }
    }
  }

  private static func check(
    _ path: IndexPath, _ sections: [TableView.Section], isBefore: Bool
  ) throws(TableViewError) {
    guard path.count == 2, sections.indices.contains(path[0]) else {
      throw TableViewError(
        .noSection(path.first ?? -1, count: sections.count, isBefore: isBefore))
    }
    guard sections[path[0]].rows.indices.contains(path[1]) else {
      throw TableViewError(
        .noRow(path, count: sections[path[0]].rows.count, isBefore: isBefore))
    }
  }

  private static func twice<Element: Hashable>(_ elements: [Element]) -> Element? {
    var known: Set<Element> = []
    return elements.first { !known.insert($0).inserted }
  }
}
