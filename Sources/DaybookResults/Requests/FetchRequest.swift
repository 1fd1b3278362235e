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
public struct FetchRequest<R: Record>: Hashable, Sendable {
  /// Which records match; nil for all.
  public var filter: Filter?
  /// The order. There is at least one key.
  public var sortKeys: [SortKey]
  /// The sections; nil for one.
  public var sectioning: Sectioning?
  /// How many rows are shown at most; nil for all, 0 for none. A number below 0 counts as 0.
  public var limit: Int?
  /// How many rows stand before the first that is shown. A number below 0 counts as 0.
  public var offset: Int
  /// How many records are read at a time as they are touched; 0 for one after another.
  public var batchSize: Int

  /// A request for records of a type.
  public init(
    filter: Filter? = nil, sortedBy sortKeys: [SortKey], sectionedBy sectioning: Sectioning? = nil,
    limit: Int? = nil, offset: Int = 0, batchSize: Int = 0
  ) {
    self.filter = filter
    self.sortKeys = sortKeys
    self.sectioning = sectioning
    self.limit = limit
    self.offset = offset
    self.batchSize = batchSize
  }

  /// The same for whoever does not know the type.
  package var untyped: ResultRequest {
    ResultRequest(
      entity: R.schema.entity, filter: filter, sortKeys: sortKeys, sectioning: sectioning,
      window: ResultWindow(offset: offset, limit: limit))
  }
}
