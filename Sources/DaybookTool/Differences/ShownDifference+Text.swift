import Daybook
import DaybookEssentials

extension ShownDifference {
  /// Writes a line for each changed section and row. The line starts with `-` for deleted, `+` for
  /// inserted, `>` for moved, or `~` for updated in place.
  ///
  /// The values of the columns follow the identifier of a row. For a moved or updated row, the line
  /// contains only changed values.
  func writeLines(to output: Output, on terminal: Terminal) throws {
    func write(_ words: [String], values: [String] = [], in color: Terminal.Color? = nil) throws {
      let title = words.joined(separator: " ")
      var line = color.map { terminal.colored(title, in: $0) } ?? StyledLine(title)
      if !values.isEmpty { line.append("  \(values.joined(separator: ", "))") }
      try output.line(line)
    }
    func write(
      _ sign: String, of change: RecordDifference.Change, in color: Terminal.Color
    ) throws {
      let paths = "\(change.indexPath) -> \(change.newIndexPath)"
      try write(
        [sign, paths, IdentifierText.text(of: change.id)], values: values(of: change), in: color)
    }
    for section in difference.deletedSections { try write(["-", label(of: section)], in: .red) }
    for section in difference.insertedSections { try write(["+", label(of: section)], in: .green) }
    for row in difference.deleted {
      try write(
        ["-", "\(row.indexPath)", IdentifierText.text(of: row.id)],
        values: values(of: row, in: difference.before), in: .red)
    }
    for row in difference.inserted {
      try write(
        ["+", "\(row.indexPath)", IdentifierText.text(of: row.id)],
        values: values(of: row, in: difference.after), in: .green)
    }
    for change in difference.moved { try write(">", of: change, in: .cyan) }
    for change in difference.updated { try write("~", of: change, in: .yellow) }
    for line in totalLines { try write([line]) }
  }

  /// Returns the heading of the difference between two moments.
  ///
  /// - Parameter summary: The summary; nil if nothing changed.
  static func heading(
    of entity: String, from first: UInt64, to last: UInt64, summary: String?
  ) -> String {
    "\(entity) from transaction \(first) to \(last): "
      + (summary ?? "no changes")
  }

  /// A summary such as `1 section inserted, 2 rows deleted`; nil if the difference is empty.
  var summary: String? {
    let counts = [
      ("section", "deleted", difference.deletedSections.count),
      ("section", "inserted", difference.insertedSections.count),
      ("row", "deleted", difference.deleted.count),
      ("row", "inserted", difference.inserted.count),
      ("row", "moved", difference.moved.count),
      ("row", "updated", difference.updated.count),
    ].filter { $0.2 > 0 }
    if counts.isEmpty { return difference.isEmpty ? nil : "totals changed" }
    return counts.map { what, fate, count in "\(count) \(what)\(count == 1 ? "" : "s") \(fate)" }
      .joined(separator: ", ")
  }

  private func label(of section: RecordDifference.Section) -> String {
    "section \(section.index) \(ValueText.json(of: .string(section.name)))"
  }

  // MARK: Values

  /// Returns the values of the columns that are not nil, for example `name: "Kiwi"`.
  private func values(of row: RecordDifference.Row, in objects: ListObjects) throws -> [String] {
    zip(columns.names, try values(at: row.indexPath, in: objects)).compactMap { name, value in
      value == .null ? nil : "\(name): \(ValueText.json(of: value))"
    }
  }

  /// Returns the values of the columns that changed, for example `name: "Apple" -> "My Item"`.
  private func values(of change: RecordDifference.Change) throws -> [String] {
    try changedValues(of: change).map { name, old, new in
      "\(name): \(ValueText.json(of: old)) -> \(ValueText.json(of: new))"
    }
  }
}
