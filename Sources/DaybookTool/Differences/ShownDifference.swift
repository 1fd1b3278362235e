import Daybook
import DaybookEssentials
@_spi(Tools) import DaybookStore

/// A difference of a list, which several commands print as text or JSON.
struct ShownDifference {
  let difference: RecordDifference
  let columns: ListColumns

  init(_ difference: RecordDifference, columns: ListColumns) {
    self.difference = difference
    self.columns = columns
  }

  /// Writes the difference as a line with one JSON object.
  ///
  /// - Parameters:
  ///   - moments: The keys and transaction numbers to write before the changes, for example `from`
  ///     and `to`.
  ///   - output: The output to write to.
  func writeJSON(_ moments: [(key: String, sequence: UInt64)], to output: Output) throws {
    var writer = JSONWriter()
    writer.beginObject()
    for (key, sequence) in moments {
      writer.key(key)
      writer.write(sequence)
    }
    writer.key("sections")
    writer.beginObject()
    write(difference.deletedSections, as: "deleted", to: &writer, element: section)
    write(difference.insertedSections, as: "inserted", to: &writer, element: section)
    writer.endObject()
    writer.key("rows")
    writer.beginObject()
    write(difference.deleted, as: "deleted", to: &writer, element: row)
    write(difference.inserted, as: "inserted", to: &writer, element: row)
    write(difference.moved, as: "moved", to: &writer, element: change)
    write(difference.updated, as: "updated", to: &writer, element: change)
    writer.endObject()
    writeTotals(to: &writer)
    writer.endObject()
    writer.endLine()
    try output.write(writer.bytes)
  }

  private func write<Element>(
    _ elements: [Element], as key: String, to writer: inout JSONWriter,
    element body: (Element, inout JSONWriter) -> Void
  ) {
    writer.key(key)
    writer.beginArray()
    for element in elements {
      writer.beginArray()
      body(element, &writer)
      writer.endArray()
    }
    writer.endArray()
  }

  private func section(_ section: RecordDifference.Section, to writer: inout JSONWriter) {
    writer.write(section.index)
    writer.write(section.name)
  }

  private func row(_ row: RecordDifference.Row, to writer: inout JSONWriter) {
    write(row.indexPath, to: &writer)
    writer.write(row.id)
  }

  private func change(_ change: RecordDifference.Change, to writer: inout JSONWriter) {
    write(change.indexPath, to: &writer)
    write(change.newIndexPath, to: &writer)
    writer.write(change.id)
  }

  private func write(_ path: IndexPath, to writer: inout JSONWriter) {
    writer.beginArray()
    writer.write(path.section)
    writer.write(path.row)
    writer.endArray()
  }
}
