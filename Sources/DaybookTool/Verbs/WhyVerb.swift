import DaybookStore

/// `daybook why`: prints how one record got its values.
enum WhyVerb {
  static let verb = Verb(
    name: "why", summary: "explain how one record got its values",
    arguments: HistoryVerb.verb.arguments, flags: [],
    example: "daybook why Journal/Samples/games.jsonl Game 3",
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let journal = try invocation.openJournal()
    let log = try JournalLog(journal, ofRecordIn: invocation)
    var transactions: [LoggedTransaction] = []
    try log.forEach { transactions.append($0) }
    guard let last = transactions.last?.changes.last else {
      throw try log.unknownRecord(in: invocation)
    }
    let name = LoggedChange.name(last.entity.name, id: last.id)
    let count = transactions.count == 1 ? "1 transaction" : "\(transactions.count) transactions"
    try invocation.output.line(
      "\(name) \(last.kind == .delete ? "is deleted" : "exists"); \(count) changed it.")
    for transaction in transactions {
      try invocation.output.line("")
      try invocation.output.line(transaction.heading(invocation.terminal))
      for change in transaction.changes {
        for line in change.explanation(on: invocation.terminal) {
          try invocation.output.line("  \(line)")
        }
      }
    }
    return try invocation.end(with: journal)
  }
}

extension LoggedChange {
  /// The lines that explain the change: a title, and a line for each changed attribute.
  fileprivate func explanation(on terminal: Terminal) -> [String] {
    let places = changedPlaces
    let names = places.map { DisplayWidth.shown(entity.attributes[$0].name) }
    let width = names.map { DisplayWidth.columns($0) }.max() ?? 0
    let lines = zip(places, names).map { place, name in
      let padding = String(repeating: " ", count: width - DisplayWidth.columns(name))
      return "  \(name)\(padding)  \(DisplayWidth.shown(text(at: place)))"
    }
    return [terminal.colored(title(hasValues: !lines.isEmpty), in: kind.color)] + lines
  }

  private func title(hasValues: Bool) -> String {
    switch kind {
    case .insert: hasValues ? "inserted with" : "inserted without values"
    case .update: "updated"
    case .delete: hasValues ? "deleted; its last values were" : "deleted; it had no values"
    }
  }
}
