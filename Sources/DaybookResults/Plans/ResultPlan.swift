import DaybookStore

/// The attributes of a row itself that a plan reads, by purpose; all attributes if they are not
/// known. A change of other attributes cannot add the row to the result, remove it from the result,
/// or move it.
package struct OwnReads: Sendable {
  /// The attributes that decide whether the row is in the result.
  var filter = AttributeBits.all
  /// The attributes that decide the row's section.
  var section = AttributeBits.all
  /// The attributes that decide the row's position in its section.
  var order = AttributeBits.all

  package init() {}

  /// The reads of a plan without filter, sections and sort keys. Only the last bit is set, which
  /// represents the parts of a row that are not attributes, and the attributes from the 64th on.
  static var others: OwnReads {
    var reads = OwnReads()
    (reads.filter, reads.section, reads.order) = (.others, .others, .others)
    return reads
  }
}

/// The reads of a plan, and the properties that follow from the reads. By default, the plan may
/// read every attribute of a row, and reads no references.
package struct PlanReads: Sendable {
  /// The attributes of a row itself that the plan reads.
  package var own = OwnReads()
  /// The paths that follow references. The values at the ends of these paths change when other
  /// records change.
  package var foreign: [PathRead] = []
  /// A Boolean value that indicates whether the plan reads an attribute with a substitute for
  /// unknown values. Other programs may be able to represent these values.
  package var includesSubstitutes = false
  /// The value of an attribute that every row of the result has; nil if no such value is known.
  /// With the filter `state == "CA"` it is the value `CA` of `state`. A change can affect the
  /// result only if the changed record has this value before or after the change.
  package var interest: NarrowInterest?
  /// The counter of the predicates that are evaluated on records; nil if the filter evaluates none.
  package var evaluations: EvaluationCounter?
  /// The catalog that the plan was made for; nil if the plan does not depend on layouts.
  package var catalog: Catalog?
  /// The description of the order of the rows, with the types of the values.
  var orderDescription = ""
  /// The totals that the list carries; nil for none.
  package var totals: TotalPlan?

  package init() {}
}

/// A request that is bound to a schema: the functions that select, group and sort the rows of an
/// entity. `ListRequest.plan(_:)` creates it, and projections use it.
///
/// The functions encode sections and sort keys as bytes. Rows are sorted by the key of their
/// section, then by their own key. Rows of the same section have equal section keys.
// The plan is a class, because many functions pass it on, and copying a reference is fast.
package final class ResultPlan: Sendable {
  /// A function that returns whether a row is in the result.
  package typealias Check = @Sendable (RowLocation, FrozenState) -> Bool
  /// A function that appends the key of a row to a buffer.
  package typealias KeyEncoder = @Sendable (RowLocation, FrozenState, inout RowBuffer) -> Void

  /// The functions that make sections.
  package struct Sections: Sendable {
    /// Appends the key of a row's section.
    let append: KeyEncoder
    /// Returns the name of a section from its key.
    let name: @Sendable ([UInt8]) -> String
    /// The definition of the sections; nil if it is not known. Lists of two plans without a
    /// definition never have common sections.
    let source: SectionSource?

    package init(
      append: @escaping KeyEncoder, name: @escaping @Sendable ([UInt8]) -> String = { _ in "" },
      source: SectionSource? = nil
    ) {
      self.append = append
      self.name = name
      self.source = source
    }
  }

  /// The index of the entity in the catalog.
  package let entity: Int
  /// Returns whether a row is in the result; nil if all rows are.
  package let matches: Check?
  /// Appends the key of a row's section; nil for a list without sections.
  package let appendSection: KeyEncoder?
  /// Appends the key of a row within its section. The row's creation number follows this key.
  package let appendOrder: KeyEncoder
  /// Returns the name of a section from its key.
  package let nameOfSection: @Sendable ([UInt8]) -> String
  /// The paths that follow references. The values at the ends of these paths change when other
  /// records change.
  package let foreignReads: [PathRead]
  /// The attributes of a row itself that the plan reads.
  let reads: OwnReads
  /// The definition of the sections; nil for a list without sections, or if the definition is not
  /// known. Lists of two plans without a definition never have common sections.
  let sectionSource: SectionSource?
  /// The number of layouts that each entity had when the plan was made, for the entities that the
  /// plan reads; empty if the plan does not depend on layouts.
  private let layoutCounts: [Int: Int]
  /// A Boolean value that indicates whether the plan reads an attribute with a substitute for
  /// unknown values. Other programs may be able to represent these values.
  let readsSubstitutes: Bool
  /// The counter of the predicates that are evaluated on records; nil if the filter evaluates none.
  package let evaluations: EvaluationCounter?
  /// The value of an attribute that every row of the result has; nil if no such value is known.
  /// With the filter `state == "CA"` it is the value `CA` of `state`. A change can affect the
  /// result only if the changed record has this value before or after the change.
  package let interest: NarrowInterest?
  /// The totals that the list carries; nil for none.
  package let totals: TotalPlan?

  /// The description of the order of the rows, with the types of the values. Positions in lists
  /// with equal descriptions can be compared.
  let orderDescription: String

  package init(
    entity: Int, matches: Check? = nil, sections: Sections? = nil, order: @escaping KeyEncoder,
    reads: PlanReads = PlanReads()
  ) {
    self.entity = entity
    self.matches = matches
    appendSection = sections?.append
    let unnamed: @Sendable ([UInt8]) -> String = { _ in "" }
    nameOfSection = sections?.name ?? unnamed
    sectionSource = sections?.source
    appendOrder = order
    orderDescription = reads.orderDescription
    foreignReads = reads.foreign
    // With references, changes of other records may affect a row too. So no change is excluded by
    // its attributes.
    self.reads = reads.foreign.isEmpty ? reads.own : OwnReads()
    readsSubstitutes = reads.includesSubstitutes
    evaluations = reads.evaluations
    totals = reads.totals
    // With references, changes of records without the value of the interest can affect the result
    // too.
    interest = reads.foreign.isEmpty ? reads.interest : nil
    let entities = foreignReads.reduce(into: [entity]) { $0 += $1.links.map(\.target) }
    layoutCounts =
      reads.catalog.map { catalog in
        Dictionary(uniqueKeysWithValues: Set(entities).map { ($0, catalog.history[$0].count) })
      } ?? [:]
  }

  /// Returns whether the plan covers all layouts that rows may have. If a schema has gained
  /// layouts, the plan must be rebuilt.
  package func fits(_ catalog: Catalog) -> Bool {
    layoutCounts.allSatisfy { catalog.history[$0].count == $1 }
  }

  /// The counts of expensive evaluations by all users of the plan.
  package var statistics: ResultStatistics { evaluations?.statistics ?? ResultStatistics() }

  /// The entities of all records that can affect the result.
  var entities: Set<Int> { foreignEntities.union([entity]) }

  /// The entities of the records that the plan reads through references.
  package var foreignEntities: Set<Int> {
    foreignReads.reduce(into: []) { entities, read in
      entities.formUnion(read.links.map(\.target))
    }
  }

  /// Returns whether a row is in the result.
  func includes(_ row: RowLocation, in state: FrozenState) -> Bool {
    matches?(row, state) ?? true
  }

  /// Appends the key of a row within its section.
  func appendOwn(_ row: RowLocation, in state: FrozenState, to buffer: inout RowBuffer) {
    appendOrder(row, state, &buffer)
    let creation = state.withRow(at: row) { Layout.creation(of: $0) }
    buffer.append(creation.byteSwapped)
  }
}

/// The part of a list that is shown: a limited number of rows from an offset.
///
/// A window is a range of ranks of the whole list. The window stays at these ranks when rows are
/// inserted or deleted. For example, if a row is inserted before the window, the last row of the
/// window leaves it, and the row before the window enters it.
public struct ResultWindow: Hashable, Sendable {
  /// The number of rows before the first row that is shown.
  public var offset: Int
  /// The largest number of rows that are shown; nil for all, 0 for none.
  public var limit: Int?

  /// Creates a window. Without arguments, it shows all rows.
  ///
  /// A negative number counts as 0.
  public init(offset: Int = 0, limit: Int? = nil) {
    self.offset = max(0, offset)
    self.limit = limit.map { max(0, $0) }
  }

  /// Returns the ranks that the window shows of a list with a number of rows.
  package func range(of count: Int) -> Range<Int> {
    let lower = min(offset, count)
    guard let limit, limit < count - lower else { return lower..<count }
    return lower..<lower + limit
  }
}
