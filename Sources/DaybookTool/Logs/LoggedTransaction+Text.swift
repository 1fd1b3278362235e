import DaybookJournal
import DaybookStore

extension LoggedTransaction {
  /// Returns a heading such as `transaction 9  2026-01-01T00:04:00Z  author: import`.
  func heading(_ terminal: Terminal, times: ShownTimes = .exact) -> StyledLine {
    var parts = ["transaction \(sequence)\(isBase ? ", the base" : "")"]
    parts.append(times.string(of: time))
    if let note = metadata.shownString { parts.append(note) }
    return terminal.heading(parts.joined(separator: "  "))
  }

  /// Writes a heading and a line for each change.
  func writeLines(
    to output: Output, on terminal: Terminal, times: ShownTimes = .exact
  ) throws {
    try output.line(heading(terminal, times: times))
    if changes.isEmpty { try output.line("  no changes") }
    for change in changes { try output.line(change.line(on: terminal).indented(by: 2)) }
  }

  /// Returns the transaction in one line, for example `9  2026-01-01T00:04:00Z  +2 ~1  author:
  /// import`.
  func line(_ times: ShownTimes) -> String {
    let counts = [("+", RecordChange.Kind.insert), ("~", .update), ("-", .delete)]
      .map { sign, kind in (sign, changes.count { $0.kind == kind }) }
      .filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }
    let parts: [String?] = [
      "\(sequence)", times.string(of: time), isBase ? "the base" : nil,
      counts.isEmpty ? "no changes" : counts.joined(separator: " "), metadata.shownString,
    ]
    return parts.compactMap { $0 }.joined(separator: "  ")
  }
}

extension LoggedChange {
  /// Returns the name of a record, for example `Game 3`.
  static func name(_ entity: String, id: RecordIdentifier) -> String {
    DisplayWidth.shown("\(entity) \(IdentifierText.text(of: id))")
  }

  /// The change in one line, for example `~ Game 3  name: "Disks of Tron" -> "Discs of Tron"`.
  fileprivate func line(on terminal: Terminal) -> StyledLine {
    let name = LoggedChange.name(entity.name, id: id)
    let sign =
      switch kind {
      case .insert: "+"
      case .update: "~"
      case .delete: "-"
      }
    var line = terminal.colored("\(sign) \(name)", in: kind.color)
    let values = changedIndexes.map { "\(entity.attributes[$0].name): \(notation(at: $0))" }
    if kind != .delete, !values.isEmpty { line.append("  \(values.joined(separator: ", "))") }
    return line
  }

  /// Returns the value of an attribute of an inserted or deleted record. For an update, returns the
  /// old and the new value with an arrow between them.
  func notation(at index: Int) -> String {
    [oldValue(of: index), newValue(of: index)].compactMap { $0 }
      .map { $0.isNull ? "nil" : ValueText.json(of: $0) }.joined(separator: " -> ")
  }
}

extension RecordChange.Kind {
  /// The color of such a change on a terminal.
  var color: Terminal.Color {
    switch self {
    case .insert: .green
    case .update: .yellow
    case .delete: .red
    }
  }
}

extension TransactionMetadata {
  /// The entries without the idempotency keys of a base, which can be many.
  var shownEntries: [(key: String, text: String)] {
    entries.filter { $0.key != "idempotencyKeys" }
  }

  /// The entries in one line, for example `author: import, reason: spring`; nil if there are no
  /// entries.
  var shownString: String? {
    let parts = shownEntries.map { "\($0.key): \($0.text)" }
    return parts.isEmpty ? nil : DisplayWidth.shown(parts.joined(separator: ", "))
  }
}

extension StoreTransaction {
  /// The number, the time and the metadata in one line, which is the heading of a difference.
  var shownHeading: String {
    guard let sequence, let time else {
      preconditionFailure("a transaction of a journal has no number")
    }
    return ["tx \(sequence)", time.shownString, metadata.shownString]
      .compactMap { $0 }.joined(separator: "  ")
  }
}
