import Daybook

/// A printer for `daybook watch`, which prints the list and its changes.
struct WatchPrinter {
  private let request: ListRequest
  private let columns: String?
  private let format: String
  private let includesValues: Bool
  private let terminal: Terminal
  private let output: Output

  init(_ invocation: Invocation, request: ListRequest) {
    self.request = request
    columns = invocation.value("--columns")
    format = invocation.value("--format") ?? "table"
    includesValues = invocation.has(ShownDifference.valuesFlag.name)
    terminal = invocation.terminal
    output = invocation.output
  }

  /// Prints the complete list.
  ///
  /// - Parameter snapshot: The state of the list.
  func write(_ objects: ListObjects, of snapshot: StoreSnapshot) throws {
    let list = ShownList(
      objects, after: snapshot.sequence, columns: try columns(in: snapshot, readsAlong: false),
      of: request)
    _ = try list.columns.rows(of: objects, in: 0..<0)
    switch format {
    case "json": try list.writeJSON(to: output)
    case "jsonl": try list.writeJSONLines(to: output)
    default: try list.writeTable(to: output, on: terminal)
    }
  }

  /// Prints a change of the list.
  ///
  /// - Parameter snapshot: The state after the change.
  func write(_ event: ListWatch.Event, of snapshot: StoreSnapshot) throws {
    switch event {
    case .reset(let objects):
      if format == "table" { try output.line("") }
      try write(objects, of: snapshot)
    case .difference(let difference, let sequence, let time, let metadata):
      let shown = ShownDifference(
        difference, columns: try columns(in: snapshot, readsAlong: true),
        includesValues: includesValues)
      if format == "table" {
        try output.line("")
        let parts = ["tx \(sequence)", "\(time)", metadata.shownText]
        try output.line(terminal.heading(parts.compactMap { $0 }.joined(separator: "  ")))
        try shown.writeText(to: output, on: terminal)
      } else {
        try shown.writeJSON([("tx", sequence.rawValue)], to: output)
      }
    }
  }

  // The columns are computed for each output, because the schema may get new attributes while the
  // list is watched.
  private func columns(
    in snapshot: StoreSnapshot, readsAlong: Bool
  ) throws(ToolError) -> ListColumns {
    try ListColumns(columns, of: request, in: snapshot, readsAlong: readsAlong)
  }
}
