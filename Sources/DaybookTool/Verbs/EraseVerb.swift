import Daybook
@_spi(Tools) import DaybookResults

/// `daybook erase`: removes the earlier values of one record from a journal.
enum EraseVerb {
  static let verb = Verb(
    name: "erase", summary: "remove the earlier values of one record from a journal",
    arguments: [
      Verb.Argument(
        name: "JOURNAL", summary: "the journal file; no other process may be writing it")
    ] + HistoryVerb.verb.arguments.dropFirst(), flags: Confirmation.flags,
    notes: """
      The current values of the record are kept; nothing is kept of a deleted record.
      Other records keep their history, and may still refer to the record. Files
      beside the journal that could contain the earlier values are removed too:
      caches, and files that a crash left. Backups and exported text journals are not
      changed.

      The new file replaces the journal when it is completely on the disk. Programs
      that follow the journal are notified that its history changed.

      \(Confirmation.notes)
      """,
    example: "daybook erase games.daybook Game 3",
    interruption: .notReplaced,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    try invocation.refuseJSONLines()
    let name = invocation["JOURNAL"]
    let journal = try invocation.openJournal(usesCheckpoint: false)
    let entity = try RecordArguments.entity(invocation["ENTITY"], in: journal.store.snapshot)
    let id = try RecordArguments.identifier(invocation["ID"], of: entity)
    if Confirmation.needsPlan(invocation) {
      let plan = try journal.reading { try self.plan(entity, id: id, in: journal) }
      guard try Confirmation.isGiven(for: plan, in: invocation) else {
        return try invocation.end(with: journal)
      }
    }
    let report: CompactionReport
    do throws(StoreError) {
      let options = JournalOptions.tool(reading: name)
      report = try Store.erase(entity.name, id: id, at: name, options: options)
    } catch { throw ToolError(error) }
    let count = Counted.phrase(report.erasedChangeCount, one: "change", several: "changes")
    let called = LoggedChange.name(entity.name, id: id)
    try invocation.output.line("\(name): erased \(count) of \(called)")
    return .done
  }

  /// Returns the sentences about what an erasure removes.
  private static func plan(
    _ entity: EntityDefinition, id: RecordIdentifier, in journal: OpenJournal
  ) throws -> [String] {
    let store = journal.store
    let versions = try store.history(of: entity.name, id: id)
    let exists = try !DynamicRequest(entity: entity.name)
      .matching(among: [id], in: store.snapshot).isEmpty
    guard exists || !versions.isEmpty else {
      throw StoreError(.notFound(entity: entity.name, id: id), path: journal.name)
    }
    // The last change of an existing record set its current values, so it is kept.
    let count = Counted.phrase(
      exists ? max(0, versions.count - 1) : versions.count, one: "change", several: "changes")
    let name = LoggedChange.name(entity.name, id: id)
    let size = FileSize.string(of: journal.name).map { " The file has \($0)." } ?? ""
    return [
      "\(journal.name): erase removes \(count) of \(name).\(size)",
      exists
        ? "The current values of the record stay." : "Nothing of the record stays: it is deleted.",
      "The earlier values cannot be read afterwards. Backups and exported files keep them.",
    ]
  }
}
