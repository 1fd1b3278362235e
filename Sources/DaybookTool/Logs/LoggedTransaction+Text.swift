import DaybookStore

extension LoggedTransaction {
  /// Returns a heading such as `transaction 9  2026-01-01T00:04:00Z  author: import`.
  func heading(_ terminal: Terminal) -> String {
    var parts = ["transaction \(sequence)\(isBase ? ", the base" : "")"]
    parts.append("\(time)")
    if let text = metadata.shownText { parts.append(text) }
    return terminal.heading(parts.joined(separator: "  "))
  }

  /// Writes a heading and a line for each change.
  func writeText(to output: Output, on terminal: Terminal) throws {
    try output.line(heading(terminal))
    if changes.isEmpty { try output.line("  no changes") }
    for change in changes { try output.line("  \(change.line)") }
  }
}

extension LoggedChange {
  /// Returns the name of a record, for example `Game 3`.
  static func name(_ entity: String, id: RecordIdentifier) -> String {
    DisplayWidth.shown("\(entity) \(IdentifierText.text(of: id))")
  }

  /// The change in one line, for example `~ Game 3  name: "Disks of Tron" -> "Discs of Tron"`.
  fileprivate var line: String {
    let name = LoggedChange.name(entity.name, id: id)
    let values = changedPlaces.map { index in
      DisplayWidth.shown("\(entity.attributes[index].name): \(text(at: index))")
    }.joined(separator: ", ")
    switch kind {
    case .insert: return values.isEmpty ? "+ \(name)" : "+ \(name)  \(values)"
    case .update: return "~ \(name)  \(values)"
    case .delete: return "- \(name)"
    }
  }

  /// Returns the value of an attribute of an inserted or deleted record. For an update, returns the
  /// old and the new value with an arrow between them.
  func text(at index: Int) -> String {
    [oldValue(of: index), newValue(of: index)].compactMap { $0 }
      .map { $0.isNull ? "nil" : ValueText.json(of: $0) }.joined(separator: " -> ")
  }
}

extension TransactionMetadata {
  /// The entries in one line, for example `author: import, reason: spring`; nil if there are no
  /// entries.
  var shownText: String? {
    guard !isEmpty else { return nil }
    let parts = entries.map { "\($0.key): \($0.text)" }
    return DisplayWidth.shown(parts.joined(separator: ", "))
  }
}

extension StoreTransaction {
  /// The number, the time and the metadata in one line, which is the heading of a difference.
  var shownHeading: String {
    guard let sequence, let time else {
      preconditionFailure("a transaction of a journal has no number")
    }
    return ["tx \(sequence)", "\(time)", metadata.shownText]
      .compactMap { $0 }.joined(separator: "  ")
  }
}
