import Daybook
@_spi(Tools) import DaybookStore

/// The totals of groups of records, as they are printed.
struct ShownGroups {
  private let entity: String
  /// The names of the key.
  private let key: [String]
  private let sequence: UInt64
  private let measures: [Measure<DynamicRecord>]
  private let groups: [GroupTotals<DynamicRecord>]

  /// - Parameters:
  ///   - key: The key of `--group-by`.
  ///   - having: The filter of `--having`; nil for all groups.
  /// - Throws: ``RequestError`` and ``StoreError``
  init(
    _ request: DynamicRequest, by key: String, having: Filter?, in snapshot: StoreSnapshot
  ) throws {
    entity = request.entity
    self.key = KeyText.names(key[...])
    sequence = snapshot.sequence.rawValue
    measures = request.totals.isEmpty ? [.count] : request.totals
    groups = try snapshot.aggregate(
      request, by: .attribute(path: self.key), measures: measures, having: having)
  }

  /// Writes the groups as one JSON object.
  func writeJSON(to output: Output) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("entity")
    writer.write(entity)
    writer.key("at")
    writer.write(sequence)
    writer.key("groups")
    writer.beginArray()
    for group in groups { write(group, to: &writer) }
    writer.endArray()
    writer.endObject()
    writer.endLine()
    try output.write(writer.bytes)
  }

  /// Writes each group as a line with one JSON object.
  func writeJSONLines(to output: Output) throws {
    for group in groups {
      var writer = JSONWriter()
      write(group, to: &writer)
      writer.endLine()
      try output.write(writer.bytes)
    }
  }

  private func write(_ group: GroupTotals<DynamicRecord>, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("key")
    writer.write(group.key)
    writer.key("totals")
    writer.write(group.totals)
    writer.endObject()
  }

  private var heads: [String] { [key.joined(separator: ".")] + measures.map(\.name) }

  private func cells(_ group: GroupTotals<DynamicRecord>, nothing: String) -> [String] {
    [ValueText.text(of: group.key) ?? nothing]
      + group.totals.map { $0 == .null ? nothing : ShownTotals.cell($0) }
  }

  /// Writes a title and a table of the groups.
  func writeTable(to output: Output, on terminal: Terminal) throws {
    let count = Counted.phrase(groups.count, one: "group", several: "groups")
    try output.line(
      terminal.heading(
        "\(entity) after transaction \(sequence): \(count)"))
    if groups.isEmpty { return }
    var table = TextTable(
      heads, alignsRight: [false] + measures.map { _ in true }, on: terminal)
    let rows = groups.map { cells($0, nothing: "nil").map { DisplayWidth.shown($0) } }
    for row in rows { table.measure(row) }
    table.fit()
    try output.line(terminal.heading(table.head))
    for row in rows { try output.line(table.line(row)) }
  }

  /// Writes the groups as comma-separated values.
  func writeCSV(to output: Output, on terminal: Terminal) throws {
    try output.write(ShownList.csv(heads))
    for group in groups {
      let cells = cells(group, nothing: "")
      try output.write(
        ShownList.csv(terminal.columnCount == nil ? cells : cells.map { DisplayWidth.shown($0) }))
    }
  }
}
