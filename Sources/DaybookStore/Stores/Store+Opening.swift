import DaybookJournal
import Synchronization

/// The findings of the opening of a store, which the store keeps for ``Store/openingReport``.
final class Opening: Sendable {
  /// The differences between the journal and the record types, and the steps that were run.
  private let differences: Mutex<OpeningReport>
  /// The records that violate their schemas; nil until they are checked.
  private let violations = Mutex<[ValidationProblem]?>(nil)

  init(_ differences: OpeningReport) { self.differences = Mutex(differences) }

  /// The attributes that the journal did not have.
  var newAttributes: [OpeningReport.Attribute] { differences.withLock { $0.newAttributes } }

  /// Adds migration steps to the report.
  func add(_ steps: [MigrationStep]) { differences.withLock { $0.migrationSteps += steps } }

  /// Returns the report. The closure finds the violations, and is called only the first time.
  func report(_ find: () -> [ValidationProblem]) -> OpeningReport {
    var report = differences.withLock { $0 }
    report.violations = violations.withLock { known in
      let found = known ?? find()
      known = found
      return found
    }
    return report
  }
}

extension Store {
  /// The differences between the journal and the record types at the time of opening, and the
  /// records that violate their schemas. The first access finds those records in the snapshot of
  /// that time, and later accesses return the same ones.
  ///
  /// - Complexity: O(*n*) in the records on first access, and O(1) later
  public var openingReport: OpeningReport {
    opening.report {
      // If the journal is damaged, the report names no records. The program receives the error when
      // it reads the records.
      (try? snapshot.validationProblems()) ?? []
    }
  }
}

extension StoreSnapshot {
  /// Returns the records that violate their schemas, as in ``OpeningReport/violations``.
  ///
  /// A save checks only the records that it changes. A record that no save has changed can violate
  /// a rule that a newer schema has added. An imported record can violate any rule.
  ///
  /// - Throws: ``StoreError`` with `journal`, if the journal is damaged
  /// - Complexity: O(*n*) in the records
  public func validationProblems() throws(StoreError) -> [ValidationProblem] {
    var problems: [ValidationProblem] = []
    _ = StateCheck(frozen) { problems.append($0) }
    try frozen.checkWhole(path)
    return problems
  }
}

extension StateCheck {
  /// Checks the records of a snapshot.
  ///
  /// - Parameters:
  ///   - snapshot: The state.
  ///   - report: A closure that is called with each problem. The closure first gets missing
  ///     required values, required references to records that do not exist, and values that the
  ///     attribute's Swift type cannot represent. Then it gets values that must be unique but are
  ///     not.
  /// - Complexity: O(*n*)
  public init(_ snapshot: StoreSnapshot, report: @escaping (ValidationProblem) -> Void) {
    self.init(snapshot.frozen, report: report)
  }
}

extension FrozenState {
  /// Throws an error if a record violates its schema, and the schema requires a check at opening.
  ///
  /// - Throws: ``StoreError`` with `invalidRecords`, or `journal` if the journal is damaged
  func checkAtOpening(_ path: String) throws(StoreError) {
    let entities = catalog.types.checkedEntities
    if entities.isEmpty { return }
    var problems: [ValidationProblem] = []
    _ = StateCheck(self) { if entities.contains($0.entity) { problems.append($0) } }
    try checkWhole(path)
    guard problems.isEmpty else { throw StoreError(.invalidRecords(problems), path: path) }
  }
}

extension StoreCore {
  /// Installs the record types of a program.
  ///
  /// An entity that has a different definition in the journal receives a new layout, which the next
  /// transaction contains. A store that only reads does not write its layouts. Its layouts have the
  /// highest numbers, so that they do not collide with layouts that the journal introduces later.
  /// In a shared journal, the number is computed from the definition; see
  /// ``LayoutTable/sharedNumber(of:besides:)``.
  @discardableResult
  mutating func adopt(_ types: RecordTypes, path: String) throws(StoreError) -> OpeningReport {
    // A new required attribute without a default is an error if there are records. A store that
    // only reads must accept it, so it passes no tables here.
    let tables = isFollowing ? [] : editor.state.tables
    let layouts = catalog.layouts
    let (isFollowing, isSharing) = (isFollowing, isSharing)
    let adoption = try types.adopted(
      by: catalog, path: path, hasRecords: { $0 < tables.count && tables[$0].count > 0 }
    ) { entity, new in
      if isSharing { return layouts.sharedNumber(of: entity, besides: new) }
      return isFollowing
        ? layouts.freeNumber(below: new.count) : layouts.number(after: new.count)
    }
    use(adoption)
    return adoption.report
  }

  /// Refuses all saves if the data has a version that a program does not understand.
  ///
  /// - Returns: The two versions; nil if the data does not have a higher version.
  mutating func refuseSaves(of program: Int) -> OpeningReport.NewerVersion? {
    let data = versions.newest
    guard data.number > program else { return nil }
    let isWritable = data.isWritable(byVersion: program)
    if !isWritable { refusal = .lowerVersion(program: program, journal: data.number) }
    return OpeningReport.NewerVersion(
      journal: data.number, program: program, isReadOnly: !isWritable)
  }

  /// Installs the record types again, if the journal has introduced layouts after the last time.
  mutating func adoptNewLayouts(path: String) throws(StoreError) {
    if catalog.layouts.count != layoutCount { try adopt(catalog.types, path: path) }
  }
}
