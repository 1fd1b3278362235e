import DaybookResults
import DaybookStore

/// What happened to a list, as it is printed.
struct ShownDifference {
  let difference: Difference
  let columns: ListColumns

  init(_ difference: Difference, _ columns: ListColumns) {
    self.difference = difference
    self.columns = columns
  }

  /// Writes it as an object, in a line of its own.
  ///
  /// - Parameter moments: What stands before the lists: keys and transactions.
  func writeJSON(_ moments: [(key: String, sequence: UInt64)], to output: Output) throws {
    var writer = JSONWriter()
    writer.beginObject()
    for (key, sequence) in moments {
      writer.key(key)
      writer.write(sequence)
    }
    writer.key("sections")
    writer.beginObject()
    write("deleted", difference.deletedSections, to: &writer, section)
    write("inserted", difference.insertedSections, to: &writer, section)
    writer.endObject()
    writer.key("rows")
    writer.beginObject()
    write("deleted", difference.deleted, to: &writer, row)
    write("inserted", difference.inserted, to: &writer, row)
    write("moved", difference.moved, to: &writer, pair)
    write("updated", difference.updated, to: &writer, pair)
    writer.endObject()
    writer.endObject()
    writer.endLine()
    try output.write(writer.bytes)
  }

  private func write<Element>(
    _ key: String, _ elements: [Element], to writer: inout JSONWriter,
    _ body: (Element, inout JSONWriter) -> Void
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

  private func section(_ section: Difference.Section, to writer: inout JSONWriter) {
    writer.write(section.index)
    writer.write(section.name)
  }

  private func row(_ row: Difference.Row, to writer: inout JSONWriter) {
    write(row.path, to: &writer)
    writer.write(row.id)
  }

  private func pair(_ pair: Difference.Pair, to writer: inout JSONWriter) {
    write(pair.old, to: &writer)
    write(pair.new, to: &writer)
    writer.write(pair.id)
  }

  private func write(_ path: RowPath, to writer: inout JSONWriter) {
    writer.beginArray()
    writer.write(path.section)
    writer.write(path.row)
    writer.endArray()
  }
}
