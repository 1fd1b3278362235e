import DaybookJournal
import Synchronization

/// What a store found when it was opened.
final class Opening: Sendable {
  /// The differences between the journal and the record types.
  private let differences: OpeningReport
  /// The records that break what their schemas require; nil until they are checked.
  private let violations = Mutex<[ValidationProblem]?>(nil)

  init(_ differences: OpeningReport) { self.differences = differences }

  /// The report with the violations that a closure finds when it is called first.
  func report(_ find: () -> [ValidationProblem]) -> OpeningReport {
    var report = differences
    report.violations = violations.withLock { known in
      let found = known ?? find()
      known = found
      return found
    }
    return report
  }
}

extension Store {
  /// The differences between the journal and the record types, as they were found at opening, and the
  /// records that break what their schemas require.
  ///
  /// - Complexity: O(*n*) in the records when it is first read, and O(1) later
  public var openingReport: OpeningReport {
    opening.report {
      // Damage is thrown to whoever reads the records.
      (try? snapshot.validationProblems()) ?? []
    }
  }
}

extension StoreSnapshot {
  /// Returns the records that violate their schemas, as in ``OpeningReport/violations``.
  ///
  /// A save checks the records that it changes. The others can break a rule that a newer schema has, and
  /// so can records that were imported.
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
  ///   - report: A closure that is called for each problem: first for required values that are missing and required
  ///     references to records that do not exist, then for values that records share and may not.
  /// - Complexity: O(*n*)
  public init(_ snapshot: StoreSnapshot, report: @escaping (ValidationProblem) -> Void) {
    self.init(snapshot.frozen, tell: report)
  }
}

extension FrozenState {
  /// Throws if records break what schemas require that ask for the check.
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
  /// Makes the types of a program those of the store: entities that the journal has otherwise get
  /// layouts of their own, which the next transaction writes. A store that follows writes none: its own
  /// layouts have the highest numbers, so that they do not collide with those of the journal.
  @discardableResult
  mutating func adopt(_ types: RecordTypes, path: String) throws(StoreError) -> OpeningReport {
    // A follower cannot give the records values.
    let tables = isFollowing ? [] : editor.state.tables
    let layouts = catalog.layouts
    let isFollowing = isFollowing
    let adoption = try types.adopted(
      by: catalog, path: path, hasRecords: { $0 < tables.count && tables[$0].count > 0 }
    ) { taken in
      isFollowing ? layouts.freeNumber(below: taken) : layouts.number(behind: taken)
    }
    use(adoption)
    return adoption.report
  }

  /// Adopts the types again, if the journal has told of layouts since.
  mutating func adoptNewLayouts(path: String) throws(StoreError) {
    if catalog.layouts.count != layoutCount { try adopt(catalog.types, path: path) }
  }
}
