@_spi(Tools) import DaybookStore

/// The transactions that set the values of one record, as `daybook why` prints them.
struct RecordStory {
  private let transactions: [LoggedTransaction]
  /// The attribute whose changes are printed; nil for all attributes.
  private let attribute: String?
  /// The last change of the record, also if it did not change the attribute.
  private let last: LoggedChange

  /// Creates the story of the record to which a log is restricted.
  ///
  /// - Parameters:
  ///   - log: The log.
  ///   - attribute: The attribute; nil for all attributes. An unknown attribute is an error.
  /// - Returns: nil if no transaction changed the record.
  init?(_ log: JournalLog, of attribute: String? = nil) throws {
    var transactions = try log.versions()
    guard let last = transactions.last?.changes.last else { return nil }
    if let attribute {
      transactions.removeAll { !$0.changes.contains { $0.changes(attribute) } }
    }
    if let attribute, last.entity.index(of: attribute) == nil {
      throw ToolError(
        .usage, sentence: "\(last.entity.name) has no attribute '\(attribute)'.",
        advice: "daybook why --help")
    }
    (self.transactions, self.attribute, self.last) = (transactions, attribute, last)
  }

  /// Writes a sentence about the record, and each change with its values.
  func writeLines(to output: Output, on terminal: Terminal) throws {
    let name = LoggedChange.name(last.entity.name, id: last.id)
    let count = Counted.phrase(transactions.count, one: "transaction", several: "transactions")
    let object = attribute.map { "its \($0)" } ?? "it"
    try output.line(
      "\(name) \(last.kind == .delete ? "is deleted" : "exists"); \(count) changed \(object).")
    for transaction in transactions {
      try output.line("")
      try output.line(transaction.heading(terminal))
      for change in transaction.changes {
        for line in change.explanation(of: attribute, on: terminal) {
          try output.line(line.indented(by: 2))
        }
      }
    }
  }
}

extension LoggedChange {
  /// Returns whether the change inserted or deleted the record, or changed an attribute.
  fileprivate func changes(_ attribute: String) -> Bool {
    kind != .update || changedIndexes.contains { entity.attributes[$0].name == attribute }
  }

  /// Returns the lines that explain the change: a title, and a line for each changed attribute.
  fileprivate func explanation(of attribute: String?, on terminal: Terminal) -> [StyledLine] {
    let indexes = changedIndexes.filter { index in
      attribute.map { $0 == entity.attributes[index].name } ?? true
    }
    let names = indexes.map { DisplayWidth.shown(entity.attributes[$0].name) }
    let width = names.map { DisplayWidth.columns($0) }.max() ?? 0
    let lines = zip(indexes, names).map { index, name in
      let padding = String(repeating: " ", count: width - DisplayWidth.columns(name))
      return StyledLine("  \(name)\(padding)  \(notation(at: index))")
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
