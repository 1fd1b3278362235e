import DaybookPlatform
import DaybookStore

/// The totals of some records: one value for each measure of a request.
///
/// ```swift
/// let totals = section.totals
/// print(totals[.count], totals[.sum(\.amount)], totals["avg:rating"] ?? .null)
/// ```
public struct Totals<R: FetchableRecord>: RandomAccessCollection, Hashable, Sendable {
  private let definitions: [MeasureDefinition]
  private let values: [TotalValue]

  package init(_ definitions: [MeasureDefinition], values: [TotalValue]) {
    self.definitions = definitions
    self.values = values
  }

  /// The measures, in the order of the request.
  public var measures: [Measure<R>] { definitions.map { Measure($0) } }

  /// The index of the first value, 0.
  public var startIndex: Int { 0 }

  /// The number of values.
  public var endIndex: Int { values.count }

  /// Returns the value of the measure at an index.
  public subscript(position: Int) -> TotalValue { values[position] }

  /// Returns the value of a measure, which must be one of those that the request names.
  public subscript(measure: Measure<R>) -> TotalValue {
    guard let index = definitions.firstIndex(of: measure.definition) else {
      let known = definitions.map(\.name).joined(separator: ", ")
      Misuse.stop(
        """
        the total \(measure.name) was used, and the totals of \(R.self) are \(known.isEmpty ? "none" : known). \
        Add the measure to the totals of the request.
        """)
    }
    return values[index]
  }

  /// Returns the value of the measure with a name, as in `sum:amount`; nil if there is no such
  /// measure.
  public subscript(name: String) -> TotalValue? {
    definitions.firstIndex { $0.name == name }.map { values[$0] }
  }
}

extension Totals: CustomStringConvertible {
  /// The names and the values, as in `count 3, sum:amount 12.5`.
  public var description: String {
    zip(definitions, values).map { "\($0.name) \($1)" }.joined(separator: ", ")
  }
}

extension ResultSnapshot {
  fileprivate func totals<R>(_ values: [TotalValue]) -> Totals<R> {
    Totals(plan.totals?.measures ?? [], values: values)
  }
}

extension FetchedObjects {
  /// The totals of these records, for the measures of the request.
  ///
  /// - Complexity: O(log *n*)
  public var totals: Totals<R> { snapshot.totals(snapshot.totals(ofRanks: ranks)) }

  /// The totals of all records that match the request, also of those outside of its limit and
  /// offset.
  ///
  /// - Complexity: O(1)
  public var allTotals: Totals<R> { snapshot.totals(snapshot.allTotals) }
}

extension FetchedResultsSectionInfo {
  /// The totals of the section's records, for the measures of the request.
  ///
  /// - Complexity: O(log *n*)
  public var totals: Totals<R> { objects.totals }
}

extension ListDifference {
  /// The records that a total is computed from.
  public enum TotalScope: Hashable, Sendable {
    /// The records that the list shows.
    case list
    /// All records that match the request, also those outside of its limit and offset.
    case all
    /// The records of a section, which has its index in the list after.
    case section(Section)
  }

  /// A total that changed.
  public struct TotalChange: Hashable, Sendable {
    /// The records of the total.
    public let scope: TotalScope
    /// The measure.
    public let measure: Measure<R>
    /// The value before; nil in an inserted section, and if the request before did not name the
    /// measure.
    public let old: TotalValue?
    /// The value after.
    public let new: TotalValue
  }

  /// The totals that changed: of the list, of all records that match if the request has a limit or
  /// an offset, and of the sections, by ascending index. Deleted sections have none.
  ///
  /// ```swift
  /// for change in difference.changedTotals {
  ///   print(change)  // CA: sum:amount 12.5 -> 20
  /// }
  /// ```
  ///
  /// - Complexity: O(*k* log *n*) in the sections of changed rows
  public var changedTotals: [TotalChange] {
    let (before, after) = (script.before, script.after)
    guard let plan = after.plan.totals, !after.hasSameTotals(as: before) else { return [] }
    var changes: [TotalChange] = []
    let oldIndexes = plan.measures.map { before.plan.totals?.measures.firstIndex(of: $0) }
    func append(_ scope: TotalScope, old: [TotalValue]?, new: [TotalValue]) {
      for (index, measure) in plan.measures.enumerated() {
        let value = oldIndexes[index].flatMap { old?[$0] }
        if value == new[index] { continue }
        changes.append(
          TotalChange(scope: scope, measure: Measure(measure), old: value, new: new[index]))
      }
    }
    append(
      .list, old: before.totals(ofRanks: before.visibleRanks),
      new: after.totals(ofRanks: after.visibleRanks))
    if before.isWindowed || after.isWindowed {
      append(.all, old: before.allTotals, new: after.allTotals)
    }
    guard after.hasSections else { return changes }
    for (section, old) in script.sectionsOfChangedRows {
      append(
        .section(Section(index: section, name: after.name(ofSection: section))),
        old: old.map { before.totals(ofRanks: before.ranks(ofSection: $0)) },
        new: after.totals(ofRanks: after.ranks(ofSection: section)))
    }
    return changes
  }
}

extension ListDifference.TotalChange: CustomStringConvertible {
  /// The records, the measure and its values, as in `CA: sum:amount 12.5 -> 20`. The word `all`
  /// names all records that match, and nothing names the records that the list shows. A total
  /// without a value before has only the value after.
  public var description: String {
    let records =
      switch scope {
      case .list: ""
      case .all: "all: "
      case .section(let section): "\(section.name): "
      }
    return "\(records)\(measure.name) \(old.map { "\($0) -> " } ?? "")\(new)"
  }
}

extension ResultSnapshot {
  /// Returns whether every total is known to be equal in another snapshot of the same projection.
  /// Both snapshots show the same rows, and no row differs in an attribute that the totals read.
  fileprivate func hasSameTotals(as other: ResultSnapshot) -> Bool {
    guard let totals, let otherTotals = other.totals else { return false }
    return space === other.space && totals.isShared(with: otherTotals)
      && visibleRanks == other.visibleRanks && plan.totals?.measures == other.plan.totals?.measures
  }

  /// A Boolean value that indicates whether the request has a limit or an offset.
  package var isWindowed: Bool { window != ResultWindow() }
}

extension EditScript {
  /// The sections after whose totals may differ, in ascending order, each with its index before;
  /// nil for an inserted section.
  fileprivate var sectionsOfChangedRows: [(new: Int, old: Int?)] {
    let (deleted, inserted) = (EditedRanks(deletedSections), EditedRanks(insertedSections))
    let born = Set(insertedSections)
    var sections: Set<Int>
    if before.plan.totals?.measures == after.plan.totals?.measures {
      let entered = self.inserted.map(\.path) + (moved + splitMoves + updated).map(\.new.path)
      let left = self.deleted.map(\.path) + (moved + splitMoves + updated).map(\.old.path)
      let dead = Set(deletedSections)
      sections = Set(entered.map(\.section))
      for path in left where !dead.contains(path.section) {
        sections.insert(inserted.rank(ofFixed: deleted.fixedCount(before: path.section)))
      }
    } else {
      sections = Set(0..<after.sectionCount)
    }
    return sections.sorted().map { section in
      (
        section,
        born.contains(section)
          ? nil : deleted.rank(ofFixed: inserted.fixedCount(before: section))
      )
    }
  }
}
