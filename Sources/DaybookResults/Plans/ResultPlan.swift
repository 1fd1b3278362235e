import DaybookStore

/// What of a row itself a plan reads, and for what: all of it if that is not known.
package struct OwnReads: Sendable {
  /// For whether it is in the result.
  var filter = AttributeBits.all
  /// For the section that it is in.
  var section = AttributeBits.all
  /// For its place in there.
  var order = AttributeBits.all

  package init() {}

  /// None of its attributes.
  static var others: OwnReads {
    var reads = OwnReads()
    (reads.filter, reads.section, reads.order) = (.others, .others, .others)
    return reads
  }
}

/// What a projection asks of the rows of an entity, ready to be asked.
///
/// The keys are bytes, and the order of rows is the order of those: of the section's key, then of the
/// row's own. Equal sections have equal keys.
// A class, as whoever looks for a place hands it on.
package final class ResultPlan: Sendable {
  package typealias Check = @Sendable (RowLocation, FrozenState) -> Bool
  package typealias Encoder = @Sendable (RowLocation, FrozenState, inout RowBuffer) -> Void

  /// The entity's place in the catalog.
  package let entity: Int
  /// Whether a row is in the result; nil if all are.
  package let matches: Check?
  /// Appends the key of the section that a row is in; nil if there is one section.
  package let appendSection: Encoder?
  /// Appends the key of a row among those of its section. Its creation number is appended behind that.
  package let appendOrder: Encoder
  /// What a section is called, by its key.
  package let nameOfSection: @Sendable ([UInt8]) -> String
  /// What is read through references: that changes when other records do.
  package let foreignReads: [PathRead]
  /// What is read of a row itself.
  let reads: OwnReads
  /// What sections are made of; nil if there is one section, or if that is not known. Then no other
  /// plan has sections in common with this one.
  let sectionSource: SectionSource?
  /// How many layouts each entity that matters had when the plan was made; nothing if that is not known.
  private let layoutCounts: [Int: Int]
  /// A Boolean value that indicates whether the plan reads an attribute with a substitute for unknown values. Other
  /// programs may be able to represent these values.
  let readsSubstitutes: Bool
  /// Counts the predicates that are evaluated on records; nil if none are.
  package let evaluations: EvaluationCounter?
  /// What has to have changed for the result to be another: nothing else than records that have, or had, a
  /// certain value. Nil if that is not so, or not known.
  package let interest: NarrowInterest?

  package init(
    entity: Int, matches: Check? = nil, section: Encoder? = nil, order: @escaping Encoder,
    nameOfSection: @escaping @Sendable ([UInt8]) -> String = { _ in "" },
    foreignReads: [PathRead] = [], reads: OwnReads = OwnReads(),
    sectionSource: SectionSource? = nil, readsSubstitutes: Bool = false,
    evaluations: EvaluationCounter? = nil, interest: NarrowInterest? = nil,
    madeFor catalog: Catalog? = nil
  ) {
    self.entity = entity
    self.matches = matches
    appendSection = section
    appendOrder = order
    self.nameOfSection = nameOfSection
    self.foreignReads = foreignReads
    // What a row's own change leaves as it was may be another by others' changes.
    self.reads = foreignReads.isEmpty ? reads : OwnReads()
    self.sectionSource = sectionSource
    self.readsSubstitutes = readsSubstitutes
    self.evaluations = evaluations
    // Other records' changes would not be heard of.
    self.interest = foreignReads.isEmpty ? interest : nil
    let entities = foreignReads.reduce(into: [entity]) { $0 += $1.links.map(\.target) }
    layoutCounts =
      catalog.map { catalog in
        Dictionary(uniqueKeysWithValues: Set(entities).map { ($0, catalog.history[$0].count) })
      } ?? [:]
  }

  /// Whether it knows all layouts that rows may have. Where a schema has grown since, a plan is made
  /// anew.
  package func fits(_ catalog: Catalog) -> Bool {
    layoutCounts.allSatisfy { catalog.history[$0].count == $1 }
  }

  /// What was dear in asking by it, for all who asked.
  package var statistics: ResultStatistics { evaluations?.statistics ?? ResultStatistics() }

  /// The entities whose records matter.
  var entities: Set<Int> { foreignEntities.union([entity]) }

  /// The entities to whose records references are followed.
  package var foreignEntities: Set<Int> {
    foreignReads.reduce(into: []) { entities, read in
      entities.formUnion(read.links.map(\.target))
    }
  }

  /// Whether a row is in the result.
  func includes(_ row: RowLocation, in state: FrozenState) -> Bool {
    matches?(row, state) ?? true
  }

  /// Appends the key of a row among those of its section.
  func appendOwn(_ row: RowLocation, in state: FrozenState, to buffer: inout RowBuffer) {
    appendOrder(row, state, &buffer)
    let creation = state.withRow(at: row) { Layout.creation(of: $0) }
    buffer.append(creation.byteSwapped)
  }
}

/// The part of an order that is shown: some rows, from a place on.
///
/// It is a range of ranks over the whole order, and stays that whatever comes and goes: rows that
/// are pushed over its edges leave, and others come in.
public struct ResultWindow: Hashable, Sendable {
  /// How many rows stand before the first one that is shown.
  public var offset: Int
  /// How many rows are shown at most; nil for all, 0 for none.
  public var limit: Int?

  /// A window over all rows, unless a limit or an offset is given.
  ///
  /// A negative number counts as 0.
  public init(offset: Int = 0, limit: Int? = nil) {
    self.offset = max(0, offset)
    self.limit = limit.map { max(0, $0) }
  }

  /// The ranks that are shown of so many.
  package func range(of count: Int) -> Range<Int> {
    let lower = min(offset, count)
    guard let limit, limit < count - lower else { return lower..<count }
    return lower..<lower + limit
  }
}
