import Daybook
import DaybookEssentials
import DaybookJournal
@_spi(Tools) import DaybookStore

/// One step of a recording: a transaction that changed the list, and its difference.
///
/// The step is a JSON object. A deleted section or row has its index before the step. An inserted
/// section or row has its index after the step.
///
/// | key | value |
/// | --- | --- |
/// | `tx`, `time`, `meta` | the transaction; `meta` is an array of keys and texts |
/// | `v` | the new row versions: `[row, cells, origins]`, or `[row, {"column": cell}]` |
/// | `sd`, `si` | deleted and inserted sections: `[index, name, totals]` |
/// | `d`, `i` | deleted and inserted rows: `[section, row, version]` |
/// | `m`, `u` | moved and updated rows: `[section, row, section, row, version, version]` |
/// | `t`, `a` | the totals of the list and of all that match: `[before, after]` |
/// | `st` | totals of sections after the step: `[index, measure, before, after]` |
struct RecordedStep {
  private let step: ListReplay<DynamicRecord>.Step
  private let columns: ListColumns
  private let hasTotals: Bool

  private var difference: RecordDifference { step.difference }

  init(_ step: ListReplay<DynamicRecord>.Step, columns: ListColumns, hasTotals: Bool) {
    self.step = step
    self.columns = columns
    self.hasTotals = hasTotals
  }

  /// Returns the step as JSON, and adds its versions to the rows.
  func json(
    addingVersionsTo rows: inout RecordedRows, origins: ValueOrigins
  ) throws -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.write(headingOf: step.transaction)
    let sequence = step.transaction.sequence?.rawValue ?? 0
    let deleted = difference.deleted.map { row in
      path(row.indexPath) + [rows.delete(row.id)]
    }
    writer.key("v")
    writer.beginArray()
    var inserted: [[Int]] = []
    try forEachInserted { path, row in
      let version = rows.insert(
        row, origins: origins.sequences(of: row.id), sequence: sequence, to: &writer)
      inserted.append(self.path(path) + [version])
    }
    func changed(_ changes: [RecordDifference.Change]) throws -> [[Int]] {
      try changes.map { change in
        let old = rows.version(of: change.id)
        let index = difference.after.index(at: change.newIndexPath)
        let row = try columns.rows(of: difference.after, in: index..<index + 1)[0]
        let new = rows.update(row, to: &writer)
        return path(change.indexPath) + path(change.newIndexPath) + [old, new]
      }
    }
    let (moved, updated) = (try changed(difference.moved), try changed(difference.updated))
    writer.endArray()
    write(difference.deletedSections, of: difference.before, as: "sd", to: &writer)
    write(difference.insertedSections, of: difference.after, as: "si", to: &writer)
    for (key, numbers) in [("d", deleted), ("i", inserted), ("m", moved), ("u", updated)] {
      write(numbers, as: key, to: &writer)
    }
    if hasTotals { writeTotals(to: &writer) }
    writer.endObject()
    return writer.bytes
  }

  /// Calls a closure with the inserted rows. Rows that follow each other in the list are read
  /// together.
  private func forEachInserted(
    _ body: (IndexPath, ShownList.Row) throws -> Void
  ) throws {
    let inserted = difference.inserted
    let indexes = inserted.map { difference.after.index(at: $0.indexPath) }
    var start = 0
    while start < inserted.count {
      var end = start + 1
      while end < inserted.count, end - start < 64, indexes[end] == indexes[end - 1] + 1 {
        end += 1
      }
      let rows = try columns.rows(of: difference.after, in: indexes[start]..<indexes[end - 1] + 1)
      for (row, change) in zip(rows, inserted[start..<end]) { try body(change.indexPath, row) }
      start = end
    }
  }

  private func path(_ path: IndexPath) -> [Int] { [path.section, path.row] }

  private func write(_ lists: [[Int]], as key: String, to writer: inout JSONWriter) {
    if lists.isEmpty { return }
    writer.key(key)
    writer.beginArray()
    for numbers in lists {
      writer.beginArray()
      for number in numbers { writer.write(number) }
      writer.endArray()
    }
    writer.endArray()
  }

  private func write(
    _ sections: [RecordDifference.Section], of objects: ListObjects, as key: String,
    to writer: inout JSONWriter
  ) {
    if sections.isEmpty { return }
    writer.key(key)
    writer.beginArray()
    for section in sections {
      writer.beginArray()
      writer.write(section.index)
      writer.write(DisplayWidth.shown(section.name))
      if hasTotals { writer.write(cells: objects.sections[section.index].totals) }
      writer.endArray()
    }
    writer.endArray()
  }

  private func writeTotals(to writer: inout JSONWriter) {
    let (before, after) = (difference.before, difference.after)
    let changes = difference.changedTotals
    for (key, old, new, isChanged) in [
      ("t", before.totals, after.totals, changes.contains { $0.scope == .list }),
      ("a", before.allTotals, after.allTotals, changes.contains { $0.scope == .all }),
    ] where isChanged {
      writer.key(key)
      writer.beginArray()
      writer.write(cells: old)
      writer.write(cells: new)
      writer.endArray()
    }
    let names = after.totals.measures.map(\.name)
    writer.key("st")
    writer.beginArray()
    for change in changes {
      guard case .section(let section) = change.scope, let old = change.old,
        let index = names.firstIndex(of: change.measure.name)
      else { continue }
      writer.beginArray()
      writer.write(section.index)
      writer.write(index)
      writer.write(ShownTotals.cell(old))
      writer.write(ShownTotals.cell(change.new))
      writer.endArray()
    }
    writer.endArray()
  }
}

extension JSONWriter {
  /// Writes the totals as an array of texts.
  mutating func write(cells totals: Totals<DynamicRecord>) {
    beginArray()
    for total in totals { write(DisplayWidth.shown(ShownTotals.cell(total))) }
    endArray()
  }

  /// Writes the number, the time and the metadata of a transaction as members of an object.
  mutating func write(headingOf transaction: StoreTransaction) {
    guard let sequence = transaction.sequence, let time = transaction.time else {
      preconditionFailure("a transaction of a journal has no number")
    }
    key("tx")
    write(sequence.rawValue)
    key("time")
    write("\(time)")
    let entries = transaction.metadata.shownEntries
    if entries.isEmpty { return }
    key("meta")
    beginArray()
    for entry in entries {
      beginArray()
      write(DisplayWidth.shown(entry.key))
      write(DisplayWidth.shown(entry.text))
      endArray()
    }
    endArray()
  }
}
