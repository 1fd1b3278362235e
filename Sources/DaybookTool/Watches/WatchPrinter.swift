import DaybookJournal
import DaybookResults
import DaybookStore

/// Prints what there is to tell of a list that is watched.
struct WatchPrinter {
  private let request: ResultRequest
  private let columns: String?
  private let format: String
  private let terminal: Terminal
  private let output: Output

  init(_ invocation: Invocation, _ request: ResultRequest) {
    self.request = request
    columns = invocation.value("--columns")
    format = invocation.value("--format") ?? "table"
    terminal = invocation.terminal
    output = invocation.output
  }

  /// Prints the whole list.
  func write(_ snapshot: ResultSnapshot, _ catalog: Catalog) throws {
    let list = ShownList(
      snapshot, try columns(catalog, readsAlong: false), isSectioned: request.sectioning != nil)
    switch format {
    case "json": try list.writeJSON(to: output)
    case "jsonl": try list.writeJSONLines(to: output)
    default: try list.writeTable(to: output, terminal)
    }
  }

  func write(_ event: ListWatch.Event, _ catalog: Catalog) throws {
    switch event {
    case .reset(let snapshot):
      if format == "table" { try output.line("") }
      try write(snapshot, catalog)
    case .difference(let difference, let sequence, let time, let metadata):
      let shown = ShownDifference(difference, try columns(catalog, readsAlong: true))
      if format == "table" {
        try output.line("")
        let parts = ["tx \(sequence)", JournalTimeText.text(of: time), metadata.shownText]
        try output.line(terminal.heading(parts.compactMap { $0 }.joined(separator: "  ")))
        try shown.writeText(to: output)
      } else {
        try shown.writeJSON([("tx", sequence.rawValue)], to: output)
      }
    }
  }

  // The schema may grow while somebody watches.
  private func columns(_ catalog: Catalog, readsAlong: Bool) throws(RequestError) -> ListColumns {
    try ListColumns(
      columns, of: request, try request.plan(catalog), in: catalog, readsAlong: readsAlong)
  }
}
