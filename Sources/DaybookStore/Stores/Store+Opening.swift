import DaybookJournal
import Synchronization

/// The findings of opening a store.
final class Opening: Sendable {
  /// The differences between the journal and the record types.
  private let differences: OpeningReport
  /// The records that violate their schemas; nil until they are checked.
  private let violations = Mutex<[ValidationProblem]?>(nil)

  init(_ differences: OpeningReport) { self.differences = differences }

  /// Returns the report. The closure finds the violations, and is called only the first time.
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
  /// The differences between the journal and the record types at the time of opening, and the
  /// records that violate their schemas.
  ///
  /// - Complexity: O(*n*) in the records on first access, and O(1) later
  public var openingReport: OpeningReport {
    opening.report {
      // The caller receives the error of a damaged journal when it reads the records.
      (try? snapshot.validationProblems()) ?? []
    }
  }
}

extension StoreSnapshot {
  /// Returns the records that violate their schemas, as in ``OpeningReport/violations``.
  ///
  /// A save checks only the records that it changes. Other records can violate a rule that a newer
  /// schema has added, and so can imported records.
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
  ///   - report: A closure that is called for each problem: first for missing required values and
  ///     required references to records that do not exist, then for values that must be unique and
  ///     are not.
  /// - Complexity: O(*n*)
  public init(_ snapshot: StoreSnapshot, report: @escaping (ValidationProblem) -> Void) {
    self.init(snapshot.frozen, report: report)
  }
}

extension FrozenState {
  /// Throws an error if records of entities that request the check violate their schemas.
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
  /// Entities with other definitions in the journal receive new layouts, which the next transaction
  /// writes. A following store writes none. Its own layouts have the highest numbers, so that they
  /// do not collide with those of the journal.
  @discardableResult
  mutating func adopt(_ types: RecordTypes, path: String) throws(StoreError) -> OpeningReport {
    // A following store cannot write default values into the records.
    let tables = isFollowing ? [] : editor.state.tables
    let layouts = catalog.layouts
    let isFollowing = isFollowing
    let adoption = try types.adopted(
      by: catalog, path: path, hasRecords: { $0 < tables.count && tables[$0].count > 0 }
    ) { taken in
      isFollowing ? layouts.freeNumber(below: taken) : layouts.number(after: taken)
    }
    use(adoption)
    return adoption.report
  }

  /// Installs the record types again, if the journal has introduced layouts after the last time.
  mutating func adoptNewLayouts(path: String) throws(StoreError) {
    if catalog.layouts.count != layoutCount { try adopt(catalog.types, path: path) }
  }
}
