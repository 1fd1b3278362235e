import Daybook
@_spi(Tools) import DaybookStore

/// The rows of a recording. Each row has a number, and each of its versions a number of its own.
///
/// Each version is written once. It has all cells when the row enters the list, and only the
/// changed cells when the row changes. All other parts of the data refer to the number of the
/// version.
struct RecordedRows {
  private struct Version {
    var number: Int
    var cells: [String?]
  }

  private var rows: [RecordIdentifier: Int] = [:]
  /// The current versions of the rows that are in the list.
  private var versions: [RecordIdentifier: Version] = [:]
  private var versionCount = 0
  /// The identifiers of all rows, by their numbers.
  private(set) var names: [String] = []
  /// The transactions before the recording that set values of its rows.
  private(set) var earlierOrigins: Set<UInt64> = []

  /// The number of the current version of a row in the list.
  func version(of id: RecordIdentifier) -> Int {
    guard let version = versions[id] else {
      preconditionFailure("the row \(id) is not in the list")
    }
    return version.number
  }

  /// An estimate of the size of a picture that contains all cells.
  var byteCount: Int {
    versions.values.reduce(0) { sum, version in
      version.cells.reduce(sum + 40) { $0 + 4 + ($1.map(ReportText.byteCount(inScript:)) ?? 4) }
    }
  }

  /// Writes the first version of a row that enters the list.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - origins: The transactions that set its values.
  ///   - sequence: The transaction that is recorded; 0 for the first picture.
  ///   - writer: The writer, inside an array of versions.
  /// - Returns: The number of the version
  mutating func insert(
    _ row: ShownList.Row, origins: [UInt64], sequence: UInt64, to writer: inout JSONWriter
  ) -> Int {
    let cells = RecordedRows.cells(row)
    writer.beginArray()
    writer.write(number(of: row.id))
    writer.beginArray()
    for cell in cells { writer.write(cell: cell) }
    writer.endArray()
    if origins.contains(where: { $0 != sequence }) {
      writer.beginArray()
      for origin in origins { writer.write(origin) }
      writer.endArray()
      earlierOrigins.formUnion(origins.filter { $0 != sequence })
    }
    writer.endArray()
    return add(cells, of: row.id)
  }

  /// Writes the next version of a row, if its cells changed.
  ///
  /// - Returns: The number of the version after the change
  mutating func update(_ row: ShownList.Row, to writer: inout JSONWriter) -> Int {
    let cells = RecordedRows.cells(row)
    guard let old = versions[row.id] else {
      preconditionFailure("the row \(row.id) is not in the list")
    }
    if old.cells == cells { return old.number }
    writer.beginArray()
    writer.write(number(of: row.id))
    writer.beginObject()
    for (column, cell) in cells.enumerated() where cell != old.cells[column] {
      writer.key("\(column)")
      writer.write(cell: cell)
    }
    writer.endObject()
    writer.endArray()
    return add(cells, of: row.id)
  }

  /// Removes a row that leaves the list.
  ///
  /// - Returns: The number of its last version
  mutating func delete(_ id: RecordIdentifier) -> Int {
    defer { versions[id] = nil }
    return version(of: id)
  }

  private mutating func number(of id: RecordIdentifier) -> Int {
    if let number = rows[id] { return number }
    rows[id] = names.count
    names.append(DisplayWidth.shown(ValueText.text(of: id)))
    return names.count - 1
  }

  private mutating func add(_ cells: [String?], of id: RecordIdentifier) -> Int {
    versions[id] = Version(number: versionCount, cells: cells)
    versionCount += 1
    return versionCount - 1
  }

  /// Returns the cells of a row, nil for null. Control characters are escaped as in a table.
  static func cells(_ row: ShownList.Row) -> [String?] {
    row.values.map { ValueText.text(of: $0).map { DisplayWidth.shown($0) } }
  }
}

extension JSONWriter {
  /// Writes a cell as a string, and a missing value as null.
  fileprivate mutating func write(cell: String?) {
    if let cell { write(cell) } else { writeNull() }
  }
}
