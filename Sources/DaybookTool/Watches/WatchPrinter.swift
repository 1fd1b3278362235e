import Daybook

/// A printer for `daybook watch`, which prints the list and its changes.
struct WatchPrinter {
  private let request: DynamicRequest
  private let columns: String?
  private let format: String
  private let includesValues: Bool
  private let terminal: Terminal
  private let output: Output

  /// A Boolean value that indicates whether each list replaces the previous one on the terminal.
  private let isLive: Bool

  /// - Throws: ``ToolError`` with `usage` if options cannot be combined
  init(_ invocation: Invocation, request: DynamicRequest) throws(ToolError) {
    isLive = invocation.has("--live")
    if invocation.value("--exec") == nil {
      _ = try invocation.includesValues(for: ["json", "jsonl"])
    }
    if isLive, !invocation.terminal.isScreen || invocation.value("--format") ?? "table" != "table" {
      throw ToolError(
        .usage,
        sentence: "--live redraws a table on a terminal. Leave it out for files, pipes and JSON.",
        advice: "daybook watch --help")
    }
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
    if isLive {
      return try show(
        try snapshot.difference(to: snapshot, of: request), after: snapshot.sequence,
        time: snapshot.time,
        metadata: TransactionMetadata(), in: snapshot)
    }
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
      if isLive {
        return try show(
          difference, after: sequence, time: time, metadata: metadata, in: snapshot)
      }
      let shown = try self.shown(difference, in: snapshot)
      if format == "table" {
        try output.line("")
        let parts = ["tx \(sequence)", time.shownString, metadata.shownString]
        try output.line(terminal.heading(parts.compactMap { $0 }.joined(separator: "  ")))
        try shown.writeLines(to: output, on: terminal)
      } else {
        try shown.writeJSON([("tx", sequence.rawValue)], to: output)
      }
    }
  }

  /// Writes the buffered output.
  func flush() throws { try output.flush() }

  /// Returns the difference as an object in one line.
  func json(
    _ difference: RecordDifference, after sequence: SequenceNumber, in snapshot: StoreSnapshot
  ) throws -> [UInt8] {
    let part = Output(keeping: 0..<Int.max)
    try shown(difference, in: snapshot).writeJSON([("tx", sequence.rawValue)], to: part)
    try part.flush()
    return part.retainedBytes
  }

  private func shown(
    _ difference: RecordDifference, in snapshot: StoreSnapshot
  ) throws -> ShownDifference {
    ShownDifference(
      difference, columns: try columns(in: snapshot, readsAlong: true),
      includesValues: includesValues)
  }

  /// Draws the list in the place of the previous one.
  private func show(
    _ difference: RecordDifference, after sequence: SequenceNumber, time: JournalTime,
    metadata: TransactionMetadata, in snapshot: StoreSnapshot
  ) throws {
    var film = Film(
      try columns(in: snapshot, readsAlong: false), isSectioned: request.sectioning != nil,
      isSlow: true, on: terminal)
    try film.show(
      difference, after: Film.Moment(sequence: sequence, time: time, metadata: metadata), to: output
    )
    try output.flush()
  }

  // The columns are computed for each output, because the schema may get new attributes while the
  // list is watched.
  private func columns(
    in snapshot: StoreSnapshot, readsAlong: Bool
  ) throws(ToolError) -> ListColumns {
    try ListColumns(columns, of: request, in: snapshot, readsAlong: readsAlong)
  }
}
