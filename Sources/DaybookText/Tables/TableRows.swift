import DaybookStore

/// A cell of a row of a table.
struct TableCell {
  enum Content {
    /// The text of a cell of CSV.
    case text(String)
    /// The value of a key of a JSON object.
    case json(TextValue)
  }

  /// The index of the column.
  var column: Int
  /// The content; nil if the cell has no value.
  var content: Content?
  var position: TextPosition
}

/// A row of a table.
struct TableRow {
  var position: TextPosition
  var cells: [TableCell]
  /// The parser of the JSON object of the row, for errors; nil for CSV.
  var reader: TextReader?
}

/// A reader of the rows of a table in CSV or JSON.
struct TableRows {
  private enum Source {
    case csv(CSVReader)
    case json(JSONElements)
  }

  let path: String
  private var source: Source
  /// The names of the columns. The columns of JSON are the keys of the objects that were read, in
  /// order of their first appearance.
  private(set) var columns: [String] = []
  private var indexes: [String: Int] = [:]

  init(_ input: ImportText) throws(TextJournalError) {
    path = input.path
    guard let delimiter = input.delimiter else {
      source = .json(try JSONElements(input.pieces(), path: path))
      return
    }
    var reader = try CSVReader(input.pieces(), delimiter: delimiter, path: path)
    let start = TextPosition(line: 1, column: 1)
    guard let names = try reader.next() else {
      throw reader.error(at: start, sentence: "expected a line with the names of the columns.")
    }
    source = .csv(reader)
    for cell in names {
      guard !cell.contents.isEmpty else {
        throw reader.error(at: cell.position, sentence: "the name of a column is empty.")
      }
      guard indexes[cell.contents] == nil else {
        throw reader.error(
          at: cell.position, sentence: "two columns are named \(TextReader.quoted(cell.contents)).")
      }
      indexes[cell.contents] = columns.count
      columns.append(cell.contents)
    }
  }

  /// Returns the next row; nil after the last one.
  mutating func next() throws(TextJournalError) -> TableRow? {
    switch source {
    case .csv(var reader):
      defer { source = .csv(reader) }
      return try next(&reader)
    case .json(var elements):
      defer { source = .json(elements) }
      guard let reader = try elements.next() else { return nil }
      return try row(reader)
    }
  }

  private func next(_ reader: inout CSVReader) throws(TextJournalError) -> TableRow? {
    while let cells = try reader.next() {
      // In a table with one column, a blank line is a row with a missing value. In other tables it
      // is skipped.
      if cells.count == 1, columns.count > 1, cells[0].isMissing { continue }
      guard cells.count == columns.count else {
        throw reader.error(
          at: cells[0].position,
          sentence: "the row has \(cells.count) \(cells.count == 1 ? "cell" : "cells"), but the "
            + "table has \(columns.count) \(columns.count == 1 ? "column" : "columns").")
      }
      return TableRow(
        position: cells[0].position,
        cells: cells.enumerated().map { column, cell in
          TableCell(
            column: column, content: cell.isMissing ? nil : .text(cell.contents),
            position: cell.position)
        })
    }
    return nil
  }

  private mutating func row(_ reader: TextReader) throws(TextJournalError) -> TableRow {
    var reader = reader
    var cells: [TableCell] = []
    var keys = JSONKeys()
    try reader.beginObject()
    let position = reader.position(at: reader.offset)
    while let name = try reader.nextKey(&keys) {
      guard !name.isEmpty else {
        throw reader.error(.table, at: reader.offset, sentence: "the name of a column is empty.")
      }
      let column: Int
      if let known = indexes[name] {
        column = known
      } else {
        guard columns.count < CSVReader.cellCountMax else {
          throw reader.error(
            .table, at: reader.offset,
            sentence: "a table has at most \(CSVReader.cellCountMax) columns.")
        }
        column = columns.count
        indexes[name] = column
        columns.append(name)
      }
      let value = try reader.readValue()
      var content: TableCell.Content?
      if case .null = value.content {} else { content = .json(value) }
      cells.append(
        TableCell(column: column, content: content, position: reader.position(at: value.offset)))
    }
    try reader.finish()
    return TableRow(position: position, cells: cells, reader: reader)
  }
}
