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
  /// The order. For a type of records there is at least one key. A ``DynamicRecord`` request without a key has the order
  /// in which the records were created.
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

  /// The same for whoever does not know the type.
  package var untyped: ResultRequest {
    var request = ResultRequest(
      entity: entity, filter: filter, sortKeys: sortKeys, sectioning: sectioning,
      window: ResultWindow(offset: offset, limit: limit))
    // A list of a type that a program shows has an order of its own.
    request.isInOrderOfCreation = R.self == DynamicRecord.self
    return request
  }

  /// Refuses records whose type the store was not opened with.
  package func checkType(_ frozen: FrozenState, of path: String) throws(StoreError) {
    guard let type = R.self as? any Record.Type else { return }
    guard frozen.catalog.types.contains(type) else {
      throw StoreError(.unknownType("\(R.self)"), path: path)
    }
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
