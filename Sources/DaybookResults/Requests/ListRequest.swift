import DaybookStore

/// A request for records of one type: a filter, a sort order, sections, and the part of the list to
/// show.
///
/// ```swift
/// ListRequest<Bank>(
///   filter: \Bank.state != "PR" && Filter.at(\Bank.details, at: \.closeDate) > moment,
///   sortedBy: [.descending(\Bank.details, at: \.closeDate)],
///   sectionedBy: .by(\Bank.state), limit: 100)
/// ```
///
/// A request is a value. A change of your copy does not affect a list that was created from it.
public struct ListRequest<R: FetchableRecord>: Hashable, Sendable {
  /// The name of the records' entity.
  public let entity: String
  /// The filter that records must match; nil for all records.
  public var filter: Filter?
  /// The sort keys, the most significant first. A request for a record type needs at least one key.
  /// A `DynamicRecord` request without a key returns records in the order of their creation.
  public var sortKeys: [SortKey]
  /// The sections of the list; nil for a list without sections.
  public var sectioning: Sectioning?
  /// The position after which the rows are; nil for rows from the first on.
  public var start: ListPosition?
  /// The largest number of rows to show; nil for all, 0 for none. It cannot be negative.
  public var limit: Int?
  /// The number of rows to skip before the first row that is shown. It cannot be negative. If the
  /// request has a ``start``, it must be 0.
  public var offset: Int
  /// The number of records to read together when one of them is accessed; 0 reads each record
  /// alone.
  public var batchSize: Int
  /// The totals that the list carries: of the whole list, of each section, and of all records that
  /// match.
  public var totals: [Measure<R>]
  /// The paths whose values are part of the content of a row, beside its own attributes. A row is
  /// updated if one of these values changes because another record changes.
  ///
  /// A program that shows values of referenced records lists their paths here. Otherwise the list
  /// does not report changes of these values.
  @_spi(Tools) public var contentPaths: [[String]] = []

  private init(
    of entity: String, filter: Filter?, sortedBy sortKeys: [SortKey],
    sectionedBy sectioning: Sectioning?, limit: Int?, offset: Int, batchSize: Int,
    totals: [Measure<R>]
  ) {
    self.entity = entity
    self.filter = filter
    self.sortKeys = sortKeys
    self.sectioning = sectioning
    self.limit = limit
    self.offset = offset
    self.batchSize = batchSize
    self.totals = totals
  }

  /// The part of the rows to show.
  package var window: ResultWindow { ResultWindow(offset: offset, limit: limit) }

  /// Checks that the store was opened with the type of the records.
  ///
  /// - Throws: ``StoreError`` with `unknownType` if the store was opened without the type
  package func checkType(_ frozen: FrozenState, of path: String) throws(StoreError) {
    guard let type = R.self as? any Record.Type else { return }
    guard frozen.catalog.types.contains(type) else {
      throw StoreError(.unknownType("\(R.self)"), path: path)
    }
  }
}

extension ListRequest {
  /// Returns the plan that a projection uses to read the rows.
  ///
  /// - Throws: ``RequestError``
  package func plan(_ catalog: Catalog) throws(RequestError) -> ResultPlan {
    try planMaker(catalog).plan
  }

  /// Checks the part of the rows to show.
  ///
  /// - Throws: ``RequestError`` with `window`, if the limit or the offset is negative; with
  ///   `startAndOffset`, if the request has both
  package func checkWindow() throws(RequestError) {
    guard offset >= 0, limit.map({ $0 >= 0 }) ?? true else {
      throw RequestError(.window(offset: offset, limit: limit))
    }
    // The request for the rows after a page is mostly a copy of that page's request. If it keeps
    // the offset, each page loses rows.
    guard start == nil || offset == 0 else { throw RequestError(.startAndOffset(offset)) }
  }

  /// Returns the maker of the plan, with all parts of the request.
  ///
  /// Rows are always sorted by their section first. If the sections use the same path as the first
  /// sort key, the sections have the comparator and the direction of that sort key. If each value
  /// of that path is a section (``SectionKind/value``), the rows of one section are equal in the
  /// first sort key. The plan then omits that key. A sort key that ranks rows by words has no order
  /// of values, so sections never follow it.
  ///
  /// - Throws: ``RequestError``
  func planMaker(_ catalog: Catalog) throws(RequestError) -> PlanMaker {
    try checkWindow()
    let index = try entityIndex(in: catalog)
    let first = sortKeys.first
    // Only a request without a record type may have no sort key. The rows of such a request are in
    // the order of their creation.
    guard first != nil || R.self == DynamicRecord.self else {
      throw RequestError(.noSortKey(entity: entity))
    }
    var maker = PlanMaker(index, in: catalog)
    if let filter { try maker.add(filter) }
    var keys = sortKeys
    if let sectioning {
      let isLeading =
        sectioning.closure == nil && sectioning.names == first?.names && first?.words == nil
      try maker.add(sectioning, following: isLeading ? first : nil)
      if isLeading, case .value = sectioning.kind.form { keys.removeFirst() }
    }
    for key in keys { try maker.add(key) }
    if let start { try maker.add(start) }
    if !totals.isEmpty { maker.add(try totalPlan(totals, isLive: true, in: catalog)) }
    for path in contentPaths { try maker.add(contentPath: path) }
    return maker
  }

  /// Returns the columns that read the values of some paths. Each path is a list of attribute
  /// names.
  ///
  /// - Throws: ``RequestError``
  package func columns(
    _ paths: [[String]], in catalog: Catalog
  ) throws(RequestError) -> [ValueColumn] {
    let index = try entityIndex(in: catalog)
    return try paths.map { names throws(RequestError) in
      do throws(PathProblem) {
        return ValueColumn(try RequestedValue(names, from: index, in: catalog), in: catalog)
      } catch { throw RequestError(error, of: names, in: catalog) }
    }
  }

  /// Returns the index of the entity in a catalog. A list continues under the new name of an entity
  /// that was renamed after the request was made.
  func entityIndex(in catalog: Catalog) throws(RequestError) -> Int {
    if let index = catalog.index(ofCurrentOrEarlierName: entity) { return index }
    throw .noEntity(entity, in: catalog)
  }
}

extension ListRequest where R: Record {
  /// Creates a request for records of a type.
  ///
  /// - Parameters:
  ///   - filter: The filter that records must match; nil for all records.
  ///   - sortKeys: The sort keys, the most significant first; at least one.
  ///   - sectioning: The sections; nil for a list without sections.
  ///   - limit: The largest number of rows to show; nil for all.
  ///   - offset: The number of rows to skip before the first row that is shown.
  ///   - batchSize: The number of records to read together; 0 reads each record alone.
  ///   - totals: The totals that the list carries.
  public init(
    filter: Filter? = nil, sortedBy sortKeys: [SortKey], sectionedBy sectioning: Sectioning? = nil,
    limit: Int? = nil, offset: Int = 0, batchSize: Int = 0, totals: [Measure<R>] = []
  ) {
    self.init(
      of: R.schema.entity, filter: filter, sortedBy: sortKeys, sectionedBy: sectioning,
      limit: limit, offset: offset, batchSize: batchSize, totals: totals)
  }
}

extension ListRequest where R == DynamicRecord {
  /// Creates a request for records of an entity by its name, for programs without the record type.
  ///
  /// ```swift
  /// let store = try Store(reading: path)
  /// let request = ListRequest(
  ///   entity: "Bank", filter: try Filter("state == 'CA'"), sortedBy: [.ascending(named: "name")],
  ///   sectionedBy: .by(named: "state"), limit: 100)
  /// for bank in try store.snapshot.fetch(request) { print(bank.id, bank.values) }
  /// ```
  ///
  /// The store may be opened without types. The values of a record have the order of the attributes
  /// in `StoreSnapshot.entities`. Fetches, live results, differences, replays and fetched values
  /// accept such a request too. A fetched results controller needs a record type.
  ///
  /// If the store is opened with types, filters and fetched values convert old values as the types
  /// declare. `DynamicRecord.values` contains the stored values.
  public init(
    entity: String, filter: Filter? = nil, sortedBy sortKeys: [SortKey] = [],
    sectionedBy sectioning: Sectioning? = nil, limit: Int? = nil, offset: Int = 0,
    batchSize: Int = 0, totals: [Measure<DynamicRecord>] = []
  ) {
    self.init(
      of: entity, filter: filter, sortedBy: sortKeys, sectionedBy: sectioning,
      limit: limit, offset: offset, batchSize: batchSize, totals: totals)
  }
}

extension ListRequest {
  /// Returns the given identifiers whose records exist in a snapshot and match the filter. The
  /// window of the request is ignored.
  ///
  /// - Throws: ``RequestError``
  /// - Complexity: O(*k* log *n*) for *k* identifiers
  @_spi(Tools) public func matching(
    among ids: [RecordIdentifier], in snapshot: StoreSnapshot
  ) throws(RequestError) -> Set<RecordIdentifier> {
    let state = snapshot.frozen
    let plan = try plan(state.catalog)
    return Set(
      ids.filter { id in
        let location = state.reader.location(of: IdentifierBytes(id), in: plan.entity)
        return location != .none && plan.includes(location, in: state)
      })
  }
}
