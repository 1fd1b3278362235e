import DaybookJournal
@_spi(Tools) import DaybookStore

extension JournalSchema {
  /// Writes the schema as text for people.
  func writeLines(_ name: String, to output: Output, on terminal: Terminal) throws {
    let count = Counted.phrase(entities.count, one: "entity", several: "entities")
    try output.line(terminal.heading("\(name): \(count)"))
    if version > 0 {
      try output.line("")
      try output.line("version     \(version)")
      try output.line("compatible  \(compatibleFrom) and higher")
    }
    if let changes {
      for change in changes { try write(change, to: output, on: terminal) }
    } else {
      for entity in entities { try write(entity, to: output, on: terminal) }
    }
  }

  private func write(
    _ entity: (definition: EntityDefinition, recordCount: Int), to output: Output,
    on terminal: Terminal
  ) throws {
    let definition = entity.definition
    let records = Counted.phrase(entity.recordCount, one: "record", several: "records")
    var heading =
      "\(DisplayWidth.shown(definition.name)): id \(definition.identifierKind.name), \(records)"
    if let name = definition.earlierName { heading += ", renamedFrom \(DisplayWidth.shown(name))" }
    try output.line("")
    try output.line(terminal.heading(heading))
    let rows = definition.attributes.map { attribute in
      [
        DisplayWidth.shown(attribute.name), DisplayWidth.shown(attribute.typeNotation),
        attribute.defaultNotation ?? "",
        attribute.optionsNotation,
      ]
    }
    if !rows.isEmpty {
      var table = TextTable(
        ["attribute", "type", "default", "rules"], alignsRight: [false, false, false, false],
        on: terminal)
      for row in rows { table.measure(row) }
      table.fit()
      try output.line(table.head)
      for row in rows { try output.line(table.line(row)) }
    }
    for names in definition.unique {
      try output.line("unique: \(JournalSchema.list(names))")
    }
  }

  static func list(_ names: [String]) -> String {
    names.map { DisplayWidth.shown($0) }.joined(separator: ", ")
  }

  // MARK: History

  private func write(
    _ change: SchemaChange, to output: Output, on terminal: Terminal
  ) throws {
    try output.line("")
    let noun = change.isBase ? "base" : "transaction"
    try output.line(terminal.heading("\(noun) \(change.sequence), \("\(change.time)")"))
    if let reason = change.reason { try output.line("  reason: \(reason)") }
    if let version = change.version { try output.line("  version \(version)") }
    for step in change.steps {
      try output.line("  step \(step.version): \(step.name)")
    }
    for entity in change.entities {
      for line in entity.lines { try output.line("  \(line)") }
    }
  }
}

extension SchemaChange.Entity {
  /// The difference, one line for each change.
  var lines: [String] {
    let name = DisplayWidth.shown(new.name)
    guard let old else {
      return ["\(name) was added: id \(new.identifierKind.name)"] + new.attributes.map(added)
        + new.unique.map { "\(name): unique \(JournalSchema.list($0)) was added" }
    }
    var lines: [String] = []
    if old.name != new.name {
      lines.append("\(DisplayWidth.shown(old.name)) was renamed to \(name)")
    }
    let remaining = Set(new.attributes.map { earlierNames[$0.name] ?? $0.name })
    for attribute in old.attributes where !remaining.contains(attribute.name) {
      lines.append("\(path(attribute)) was removed")
    }
    for attribute in new.attributes {
      guard let index = old.index(of: earlierNames[attribute.name] ?? attribute.name),
        earlierNames[attribute.name] != nil || !earlierNames.values.contains(attribute.name)
      else {
        lines.append(added(attribute))
        continue
      }
      let before = old.attributes[index]
      if before.name != attribute.name {
        lines.append("\(path(before)) was renamed to \(DisplayWidth.shown(attribute.name))")
      }
      let (earlier, later) = (notation(before), notation(attribute))
      if earlier != later { lines.append("\(path(attribute)) was changed: \(earlier) -> \(later)") }
    }
    for names in old.unique where !new.unique.contains(names) {
      lines.append("\(name): unique \(JournalSchema.list(names)) was removed")
    }
    for names in new.unique where !old.unique.contains(names) {
      lines.append("\(name): unique \(JournalSchema.list(names)) was added")
    }
    return lines
  }

  private func path(_ attribute: AttributeDefinition) -> String {
    "\(DisplayWidth.shown(new.name)).\(DisplayWidth.shown(attribute.name))"
  }

  private func added(_ attribute: AttributeDefinition) -> String {
    "\(path(attribute)) was added: \(notation(attribute))"
  }

  /// The type, the default and the rules of an attribute.
  private func notation(_ attribute: AttributeDefinition) -> String {
    var cell = DisplayWidth.shown(attribute.typeNotation)
    if let value = attribute.defaultNotation { cell += ", default \(value)" }
    var attribute = attribute
    // A rename has a line of its own.
    attribute.earlierName = nil
    let options = attribute.optionsNotation
    return options.isEmpty ? cell : "\(cell), \(options)"
  }
}
