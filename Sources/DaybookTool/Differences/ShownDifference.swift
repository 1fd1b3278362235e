import Daybook
import DaybookEssentials
@_spi(Tools) import DaybookStore

/// A difference of a list, which several commands print as text or JSON.
struct ShownDifference {
  let difference: RecordDifference
  let columns: ListColumns
  /// A Boolean value that indicates whether JSON contains the values of the changed rows.
  let includesValues: Bool

  init(_ difference: RecordDifference, columns: ListColumns, includesValues: Bool = false) {
    self.difference = difference
    self.columns = columns
    self.includesValues = includesValues
  }

  /// The option that adds values to differences in JSON.
  static let valuesFlag = Verb.Flag(
    name: "--values", value: nil,
    summary: "add the values of the rows to each difference in JSON, old and new")

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
    try write(difference.deleted, as: "deleted", to: &writer) { row, writer in
      try write(row, of: difference.before, to: &writer)
    }
    try write(difference.inserted, as: "inserted", to: &writer) { row, writer in
      try write(row, of: difference.after, to: &writer)
    }
    try write(difference.moved, as: "moved", to: &writer, element: change)
    try write(difference.updated, as: "updated", to: &writer, element: change)
    writer.endObject()
    writeTotals(to: &writer)
    writer.endObject()
    writer.endLine()
    try output.write(writer.bytes)
  }

  private func write<Element>(
    _ elements: [Element], as key: String, to writer: inout JSONWriter,
    element body: (Element, inout JSONWriter) throws -> Void
  ) rethrows {
    writer.key(key)
    writer.beginArray()
    for element in elements {
      writer.beginArray()
      try body(element, &writer)
      writer.endArray()
    }
    writer.endArray()
  }

  private func section(_ section: RecordDifference.Section, to writer: inout JSONWriter) {
    writer.write(section.index)
    writer.write(section.name)
  }

  /// Writes a deleted or inserted row, which is a row of one of the two lists.
  private func write(
    _ row: RecordDifference.Row, of objects: ListObjects, to writer: inout JSONWriter
  ) throws {
    write(row.indexPath, to: &writer)
    writer.write(row.id)
    guard includesValues else { return }
    writer.beginObject()
    for (name, value) in zip(columns.names, try values(at: row.indexPath, in: objects)) {
      writer.key(name)
      writer.write(value)
    }
    writer.endObject()
  }

  private func change(_ change: RecordDifference.Change, to writer: inout JSONWriter) throws {
    write(change.indexPath, to: &writer)
    write(change.newIndexPath, to: &writer)
    writer.write(change.id)
    guard includesValues else { return }
    writer.beginObject()
    for (name, old, new) in try changedValues(of: change) {
      writer.key(name)
      writer.beginArray()
      writer.write(old)
      writer.write(new)
      writer.endArray()
    }
    writer.endObject()
  }

  private func write(_ path: IndexPath, to writer: inout JSONWriter) {
    writer.beginArray()
    writer.write(path.section)
    writer.write(path.row)
    writer.endArray()
  }

  // MARK: Values

  /// Returns the values of the columns of a row.
  func values(at path: IndexPath, in objects: ListObjects) throws -> [AttributeValue] {
    let index = objects.index(at: path)
    return try columns.rows(of: objects, in: index..<index + 1)[0].values
  }

  /// Returns the columns whose values a change of a row changed, with the old and the new values.
  func changedValues(
    of change: RecordDifference.Change
  ) throws -> [(name: String, old: AttributeValue, new: AttributeValue)] {
    let old = try values(at: change.indexPath, in: difference.before)
    let new = try values(at: change.newIndexPath, in: difference.after)
    return columns.names.indices.compactMap { column in
      old[column] == new[column] ? nil : (columns.names[column], old[column], new[column])
    }
  }
}

extension Invocation {
  /// Returns whether the user typed `--values`.
  ///
  /// - Parameter formats: The formats that contain values.
  /// - Throws: ``ToolError`` with `usage` if the format is a different one.
  func includesValues(for formats: [String]) throws(ToolError) -> Bool {
    guard has(ShownDifference.valuesFlag.name) else { return false }
    guard let format = value("--format"), formats.contains(format) else {
      throw ToolError(
        .usage, sentence: "--values needs --format \(Invocation.list(formats)).",
        advice: "daybook \(verb.name) --help")
    }
    return true
  }
}
