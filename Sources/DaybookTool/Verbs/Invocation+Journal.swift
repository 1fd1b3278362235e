import Daybook
import DaybookJournal
@_spi(Tools) import DaybookResults
@_spi(Tools) import DaybookStore

extension Invocation {
  /// Opens the journal of the argument JOURNAL, and stores its problems in ``trouble``.
  ///
  /// The journal is opened from its newest checkpoint. A command that does not write its results to
  /// ``output`` opens the journal without a checkpoint, because such a command cannot be repeated;
  /// see ``runVerb()``.
  func openJournal(usesCheckpoint: Bool = true) throws -> OpenJournal {
    let journal = try OpenJournal(
      self["JOURNAL"], usesCheckpoint: usesCheckpoint && !trouble.readsFullJournal)
    trouble.problem = journal.problem.map { ($0, journal.status) }
    trouble.checkpointDamage = { [store = journal.store] in store.checkpointDamage }
    return journal
  }

  /// Runs the command.
  ///
  /// If the command has read a damaged part of the journal before the checkpoint, its results are
  /// discarded. The command then runs again without a checkpoint, and reads the whole journal. If a
  /// part of the results was already written, the damage is the error of the command.
  func runVerb() throws -> ExitStatus {
    let result = Result { try verb.run(self) }
    guard let damage = trouble.checkpointDamage() else { return try result.get() }
    guard output.discard() else {
      throw ToolError(StoreError(.journal(damage), path: self["JOURNAL"]))
    }
    trouble.readsFullJournal = true
    trouble.checkpointDamage = { nil }
    return try verb.run(self)
  }

  /// Opens the journal of the argument JOURNAL for writing. Throws an error if its last transaction
  /// does not have the number of the option `--expect`. A replica is opened together with its log.
  ///
  /// - Parameters:
  ///   - clock: The clock for the times of the transactions.
  ///   - copies: A Boolean value that indicates whether a replica that another process has open is
  ///     copied.
  func openJournalForWriting(
    clock: any JournalClock = MachineClock(), copiesIfLocked copies: Bool = true
  ) throws -> OpenJournal {
    try refuseJSONLines()
    let expected = try count("--expect")
    let name = self["JOURNAL"]
    let address = try OpenJournal.sharedLogAddress(of: name)
    let journal =
      try address.map {
        try OpenJournal(
          replica: name, of: $0, for: "\(verb.name) on a replica", clock: clock,
          copiesIfLocked: copies)
      } ?? OpenJournal(writing: name, clock: clock)
    trouble.problem = journal.problem.map { ($0, journal.status) }
    let last = journal.store.snapshot.sequence
    if let expected, last.rawValue != UInt64(expected) {
      throw ToolError(
        .declined,
        sentence: "\(journal.name): the last transaction is \(last), but --expect is \(expected). "
          + "Nothing was written.")
    }
    return journal
  }

  /// Throws an error if JOURNAL is a text journal. Commands that change a journal file call this
  /// method.
  func refuseJSONLines() throws(ToolError) {
    let name = self["JOURNAL"]
    guard OpenJournal.importSource(name) != nil else { return }
    let label = name == "-" ? "standard input" : name
    let stem = name.hasSuffix(".jsonl") ? String(name.dropLast(".jsonl".utf8.count)) : name
    throw ToolError(
      .usage,
      sentence:
        "\(verb.name) needs a journal file; \(label) is a text journal. Import it first.",
      advice: ShellText.command(
        ["import", name, (name == "-" ? "new" : stem) + ".daybook"]))
  }

  /// Prints notes about the filter and the problems of a journal, after the results.
  ///
  /// - Parameter snapshot: The state whose records the command printed; nil for the newest state.
  /// - Returns: The exit status of the command.
  func end(with journal: OpenJournal, at snapshot: StoreSnapshot? = nil) throws -> ExitStatus {
    let lines =
      try patternNotes(of: journal, at: snapshot)
      + [journal.problem].compactMap { $0 }
    if !lines.isEmpty { try output.flush() }
    for line in lines { StandardError.write(line) }
    return journal.status
  }

  /// Returns a note for each pattern of `LIKE` in the option `--where` that contains wildcards of
  /// SQL and matches no record.
  private func patternNotes(
    of journal: OpenJournal, at snapshot: StoreSnapshot?
  ) throws -> [String] {
    guard let argument = value("--where"), let filter = try? Filter(argument) else { return [] }
    let comparisons = filter.comparisonsWithSQLWildcards
    if comparisons.isEmpty { return [] }
    let snapshot = snapshot ?? journal.store.snapshot
    let entities = snapshot.entities.map(\.name)
    let typed = value(of: "ENTITY") ?? value("--entity")
    let entity = typed ?? (entities.count == 1 ? entities[0] : nil)
    guard let entity, entities.contains(entity) else { return [] }
    return try comparisons.compactMap { comparison in
      var request = DynamicRequest(entity: entity)
      request.filter = comparison
      request.limit = 1
      let isMatched = try journal.reading { try !snapshot.fetch(request).isEmpty }
      if isMatched { return nil }
      return
        "no record matches \(comparison) after transaction \(snapshot.sequence). In LIKE, * is "
        + "any number of characters and ? is one; % and _ are not wildcards."
    }
  }
}
