@_spi(Tools) import DaybookResults

extension Invocation {
  /// What is said where an entity is needed and none is named: which there are.
  ///
  /// - Throws: Nothing if all is there that is needed.
  func complainOfMissing() throws(ToolError) {
    guard let first = missing.first else { return }
    var error = ToolError(
      .misunderstood, sentence: "'\(verb.name)' needs \(first.name).",
      advice: "daybook \(verb.name) --help")
    // What is wrong with the journal itself is said when the command is whole.
    let path = self["JOURNAL"]
    let journal = path == "-" ? nil : try? OpenJournal(path)
    guard let known = journal?.store.snapshot.entities.map(\.name), !known.isEmpty else {
      throw error
    }
    error.sentence =
      "'\(verb.name)' needs \(first.name): there \(known.count == 1 ? "is" : "are") "
      + KnownNames.phrase(known) + "."
    if missing.count == 1 {
      var words = words
      words.insert(known[0], at: (places["JOURNAL"] ?? 0) + 1)
      error.advice = ShellText.command([verb.name] + words)
    }
    throw error
  }
}
