@_spi(Tools) import DaybookResults

extension Invocation {
  /// Throws an error if ENTITY, and possibly arguments after it, are missing. The error lists the
  /// entities of the journal.
  ///
  /// - Throws: ``ToolError`` with `usage`
  func checkRequired() throws(ToolError) {
    guard let first = missing.first else { return }
    var error = ToolError(
      .usage, sentence: "\(verb.name) needs \(first.name).",
      advice: "daybook \(verb.name) --help")
    // Errors of opening the journal are ignored here. The user sees them after typing the missing
    // argument.
    let path = self["JOURNAL"]
    let journal = path == "-" ? nil : try? OpenJournal(path)
    guard let known = journal?.store.snapshot.entities.map(\.name), !known.isEmpty else {
      throw error
    }
    let noun = known.count == 1 ? "entity" : "entities"
    error.sentence =
      "\(verb.name) needs \(first.name); the journal has the \(noun) \(KnownNames.phrase(known))."
    if missing.count == 1 {
      var words = words
      words.insert(known[0], at: (wordIndexes["JOURNAL"] ?? 0) + 1)
      error.advice = ShellText.command([verb.name] + words)
    }
    throw error
  }
}
