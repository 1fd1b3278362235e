import DaybookJournal

extension Store {
  /// Opens the journal of a store, or creates one, and runs the migration steps that it needs.
  ///
  /// ```swift
  /// let store = try Store(at: "people.daybook", records: Person.self, migrations: migrations)
  /// print(store.openingReport)
  /// ```
  ///
  /// All steps that have a higher version than the data run as one transaction, whose reason names
  /// them. If a step throws an error, or the system stops before the transaction is written, the
  /// journal contains nothing of them. A new journal has the version of the program, and needs no
  /// step. Earlier moments are read as they were.
  ///
  /// A program whose last step has a lower version than the data can read the journal, but every
  /// save throws ``StoreError`` with `lowerVersion`, unless all later steps were declared as
  /// compatible. A program without steps has the version 0.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - types: The types of the records.
  ///   - migrations: The steps, in the order of their versions.
  ///   - options: The options of the journal.
  /// - Throws: ``StoreError``, as for an opening without steps. `migration` if a step throws an
  ///   error. `validation` if a changed record violates its schema, or if a record lacks a new
  ///   required attribute. `invalidRecords` if a check at opening finds a violation. Also the
  ///   errors of a save. After these errors the journal does not contain the migration. After the
  ///   error `unknown`, it may contain the migration.
  /// - Complexity: as for an opening without steps, plus the complexity of the steps
  public convenience init(
    at path: String, records types: any Record.Type..., migrations: [Migration],
    options: JournalOptions = JournalOptions()
  ) throws(StoreError) {
    try self.init(at: path, types: types, migrations: migrations, options: options)
  }

  /// Opens the journal of a store, or creates one, and runs the migration steps that it needs.
  package convenience init(
    at path: String, types: [any Record.Type], migrations: [Migration], options: JournalOptions
  ) throws(StoreError) {
    let plan = try MigrationPlan(migrations, path: path)
    try self.init(at: path, types: types, version: plan.version, options: options)
    try migrate(plan)
  }

  /// Creates a store of a journal in memory, and runs the migration steps that it needs.
  package static func inMemory(
    types: [any Record.Type], migrations: [Migration], journal: MemoryJournal
  ) throws(StoreError) -> Store {
    let plan = try MigrationPlan(migrations, path: StoreLog.memory(journal).path)
    let store = try inMemory(types: types, version: plan.version, journal: journal)
    try store.migrate(plan)
    return store
  }

  /// The version of the data, as the last migration has recorded it; 0 before the first migration.
  public var schemaVersion: Int { dataVersions.newest.number }

  /// The versions that the data has had.
  package var dataVersions: DataVersions { core.withLock { $0.versions } }

  /// Runs the pending steps of a plan, and saves them as one transaction.
  private func migrate(_ plan: MigrationPlan) throws(StoreError) {
    let version = dataVersions.newest
    guard plan.version > version.number else { return }
    let steps = try holdingNumbering { () throws(StoreError) in try run(plan, after: version) }
    opening.add(steps)
    let path = path
    try core.withLock { (core) throws(StoreError) in
      // The attributes that the schemas drop were kept for the steps.
      var types = core.catalog.types
      types.isMigrating = false
      _ = try core.adopt(types, path: path)
    }
  }

  /// Runs and saves the pending steps, while no other save can get a number.
  private func run(
    _ plan: MigrationPlan, after version: DataVersion
  ) throws(StoreError) -> [MigrationStep] {
    let (base, read) = core.withLock { ($0.accepted(), $0.acceptedMark) }
    let context = EditingContext(
      self, base: base, isolation: ContextIsolation(nil, madeAt: .line(#fileID, #line)))
    // A journal without transactions has no records that an earlier program wrote.
    let pending = base.sequence == .zero ? [] : plan.pending(after: version)
    for migration in pending {
      do {
        try WriteBody.run { try migration.body(context) }
      } catch {
        throw StoreError(.migration(MigrationFailure(migration.step, error: error)), path: path)
      }
      context.processPendingChanges()
    }
    let metadata = context.metadata
    var proposal = try context.takeUnsaved() ?? Proposal(metadata)
    try context.frozen.checkMigrated(path, added: opening.newAttributes)
    let new = plan.version(after: version)
    let steps = pending.map(\.step)
    proposal.metadata.reason = MigrationStep.reason(for: new, after: steps)
    proposal.metadata.record(new, steps: steps)
    let attempt = try attempt(
      proposal,
      under: SaveConditions(basis: .state(read, holdsNumbering: true), isLastTry: true))
    _ = try complete(attempt) { (journal, append) throws(JournalError) in
      try journal.wait(for: append)
    }
    return steps
  }
}

extension MigrationStep {
  /// Returns the reason of a migration's transaction.
  fileprivate static func reason(for version: DataVersion, after steps: [MigrationStep]) -> String {
    guard !steps.isEmpty else { return "new journal of version \(version.number)" }
    return "migration to version \(version.number): "
      + steps.map(\.name).joined(separator: ", ")
  }
}

extension FrozenState {
  /// Throws an error if a record lacks a value of a new required attribute. Also checks all rules
  /// of the entities whose schemas require a check at opening.
  ///
  /// - Throws: ``StoreError`` with `validation`, `invalidRecords`, or `journal`
  fileprivate func checkMigrated(
    _ path: String, added attributes: [OpeningReport.Attribute]
  ) throws(StoreError) {
    try checkAtOpening(path)
    let added = Set(attributes)
    if added.isEmpty { return }
    var problems: [ValidationProblem] = []
    _ = StateCheck(self) { problem in
      guard case .required(let attribute) = problem.kind,
        added.contains(OpeningReport.Attribute(entity: problem.entity, name: attribute))
      else { return }
      problems.append(problem)
    }
    try checkWhole(path)
    guard problems.isEmpty else { throw StoreError(.validation(problems), path: path) }
  }
}
