import DaybookStore

/// Which records of a type are wanted, in which order, in which sections, and which part of that.
///
/// ```swift
/// FetchRequest<Bank>(
///   filter: \Bank.state != "PR" && Filter.at(\Bank.details, at: \.closeDate) > moment,
///   sortedBy: [.descending(\Bank.details, at: \.closeDate)], sectionedBy: .by(\Bank.state), limit: 100)
/// ```
///
/// A value: it does not change under whoever has begun to work with it.
public struct FetchRequest<R: FetchableRecord>: Hashable, Sendable {
  /// The name of the records' entity.
  public let entity: String
  /// Which records match; nil for all.
  public var filter: Filter?
  /// The order. For a type of records there is at least one key. A ``DynamicRecord`` request without a
  /// key has the order in which the records were created.
  public var sortKeys: [SortKey]
  /// The sections; nil for one.
  public var sectioning: Sectioning?
  /// How many rows are shown at most; nil for all, 0 for none. A number below 0 counts as 0.
  public var limit: Int?
  /// How many rows stand before the first that is shown. A number below 0 counts as 0.
  public var offset: Int
  /// How many records are read at a time as they are touched; 0 for one after another.
  public var batchSize: Int

  private init(
    of entity: String, filter: Filter?, sortedBy sortKeys: [SortKey],
    sectionedBy sectioning: Sectioning?, limit: Int?, offset: Int, batchSize: Int
  ) {
    self.entity = entity
    self.filter = filter
    self.sortKeys = sortKeys
    self.sectioning = sectioning
    self.limit = limit
    self.offset = offset
    self.batchSize = batchSize
  }

  /// The part of the rows that is shown.
  package var window: ResultWindow { ResultWindow(offset: offset, limit: limit) }

  /// Refuses records whose type the store was not opened with.
  package func checkType(_ frozen: FrozenState, of path: String) throws(StoreError) {
    guard let type = R.self as? any Record.Type else { return }
    guard frozen.catalog.types.contains(type) else {
      throw StoreError(.unknownType("\(R.self)"), path: path)
    }
  }
}

extension FetchRequest {
  /// Returns the plan by which a projection reads the rows.
  ///
  /// The section's key is always the leading part of the order. If the first sort key is that of the
  /// same value, sections follow its comparator and direction. Within sections that are the value
  /// itself, that key then adds nothing.
  ///
  /// - Throws: ``RequestError``
  package func plan(_ catalog: Catalog) throws(RequestError) -> ResultPlan {
    let index = try entityIndex(in: catalog)
    let first = sortKeys.first
    // Only a list of records without a type may be in the order of creation.
    guard first != nil || R.self == DynamicRecord.self else {
      throw RequestError(.noSortKey(entity: entity))
    }
    var maker = PlanMaker(index, in: catalog)
    if let filter { try maker.add(filter) }
    var keys = sortKeys
    if let sectioning {
      let isLeading = sectioning.closure == nil && sectioning.names == first?.names
      try maker.add(sectioning, following: isLeading ? first : nil)
      if isLeading, case .value = sectioning.kind.form { keys.removeFirst() }
    }
    for key in keys { try maker.add(key) }
    return maker.plan
  }

  /// Returns the columns that some paths lead to, each the names of attributes.
  ///
  /// - Throws: ``RequestError``
  package func columns(
    _ paths: [[String]], in catalog: Catalog
  ) throws(RequestError) -> [ValueColumn] {
    let index = try entityIndex(in: catalog)
    return try paths.map { names throws(RequestError) in
      do throws(PathProblem) {
        return ValueColumn(try ValuePath(names, from: index, in: catalog), in: catalog)
      } catch { throw RequestError(error, of: names, in: catalog) }
    }
  }

  /// The index of the entity in a catalog.
  private func entityIndex(in catalog: Catalog) throws(RequestError) -> Int {
    if let index = catalog.index(of: entity) { return index }
    throw .noEntity(entity, in: catalog)
  }
}

extension FetchRequest where R: Record {
  /// A request for records of a type.
  public init(
    filter: Filter? = nil, sortedBy sortKeys: [SortKey], sectionedBy sectioning: Sectioning? = nil,
    limit: Int? = nil, offset: Int = 0, batchSize: Int = 0
  ) {
    self.init(
      of: R.schema.entity, filter: filter, sortedBy: sortKeys, sectionedBy: sectioning,
      limit: limit, offset: offset, batchSize: batchSize)
  }
}

extension FetchRequest where R == DynamicRecord {
  /// Creates a request for records of an entity by its name, for programs that do not know their type.
  ///
  /// ```swift
  /// let store = try Store(reading: path)
  /// let request = FetchRequest(
  ///   entity: "Bank", filter: try Filter("state == 'CA'"), sortedBy: [.ascending(named: "name")],
  ///   sectionedBy: .by(named: "state"), limit: 100)
  /// for bank in try store.snapshot.fetch(request) { print(bank.id, bank.values) }
  /// ```
  ///
  /// The store needs no types. The values are in the order of the attributes in ``StoreSnapshot/entities``. Whatever a
  /// request of a type can be given to takes this one too: live results, differences, replays and values.
  ///
  /// In a store that is opened with types, filters and fetched values convert old values as the types declare;
  /// ``DynamicRecord/values`` are the stored ones.
  public init(
    entity: String, filter: Filter? = nil, sortedBy sortKeys: [SortKey] = [],
    sectionedBy sectioning: Sectioning? = nil, limit: Int? = nil, offset: Int = 0,
    batchSize: Int = 0
  ) {
    self.init(
      of: entity, filter: filter, sortedBy: sortKeys, sectionedBy: sectioning,
      limit: limit, offset: offset, batchSize: batchSize)
  }
}
