import DaybookResults
import DaybookStore

extension ShownDifference {
  /// Writes a line for each section and row, with a sign before it: `-` for what went, `+` for what came,
  /// `>` for what moved and `~` for what changed where it stands.
  ///
  /// Behind the identifier of a row stand its values in the columns; of a row that was there before and
  /// after, those that have changed.
  func writeText(to output: Output) throws {
    for section in difference.deletedSections { try line(["-", text(of: section)], to: output) }
    for section in difference.insertedSections { try line(["+", text(of: section)], to: output) }
    for row in difference.deleted {
      try line(["-", "\(row.path)", row.id.calledText], values(of: row, in: .before), to: output)
    }
    for row in difference.inserted {
      try line(["+", "\(row.path)", row.id.calledText], values(of: row, in: .after), to: output)
    }
    for pair in difference.moved {
      try line([">", text(of: pair), pair.id.calledText], changes(of: pair), to: output)
    }
    for pair in difference.updated {
      try line(["~", text(of: pair), pair.id.calledText], changes(of: pair), to: output)
    }
  }

  /// `1 section inserted, 2 rows deleted`; nil if nothing happened.
  var summary: String? {
    let counts = [
      ("section", "deleted", difference.deletedSections.count),
      ("section", "inserted", difference.insertedSections.count),
      ("row", "deleted", difference.deleted.count),
      ("row", "inserted", difference.inserted.count),
      ("row", "moved", difference.moved.count),
      ("row", "updated", difference.updated.count),
    ].filter { $0.2 > 0 }
    if counts.isEmpty { return nil }
    return counts.map { what, fate, count in "\(count) \(what)\(count == 1 ? "" : "s") \(fate)" }
      .joined(separator: ", ")
  }

  private func line(_ words: [String], _ values: [String] = [], to output: Output) throws {
    var line = words.joined(separator: " ")
    if !values.isEmpty { line += "  " + values.joined(separator: ", ") }
    try output.line(DisplayWidth.shown(line))
  }

  private func text(of section: Difference.Section) -> String {
    "section \(section.index) \(ValueText.json(of: .string(section.name)))"
  }

  private func text(of pair: Difference.Pair) -> String { "\(pair.old) -> \(pair.new)" }

  // MARK: Values

  private enum Moment { case before, after }

  private func values(at path: RowPath, in moment: Moment) -> [AttributeValue] {
    let snapshot = moment == .before ? difference.before : difference.after
    let rank = snapshot.rank(at: path)
    return snapshot.values(in: columns.values, atRanks: rank..<rank + 1)[0]
  }

  /// `name: "Kiwi"`, of each column that is not nil.
  private func values(of row: Difference.Row, in moment: Moment) -> [String] {
    zip(columns.names, values(at: row.path, in: moment)).compactMap { name, value in
      value == .null ? nil : "\(name): \(ValueText.json(of: value))"
    }
  }

  /// `name: "Apple" -> "My Item"`, of each column that has changed.
  private func changes(of pair: Difference.Pair) -> [String] {
    let (old, new) = (values(at: pair.old, in: .before), values(at: pair.new, in: .after))
    return columns.names.indices.compactMap { column in
      old[column] == new[column]
        ? nil
        : "\(columns.names[column]): \(ValueText.json(of: old[column])) -> "
          + ValueText.json(of: new[column])
    }
  }
}
