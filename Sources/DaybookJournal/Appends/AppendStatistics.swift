/// What a journal has done since it was opened.
public struct AppendStatistics: Hashable, Sendable {
  /// Transactions that were appended.
  public var transactionCount = 0
  /// Groups they were written in: one write each.
  public var groupCount = 0
  /// Syncs that made groups durable.
  public var syncCount = 0
  /// Groups that were refused, as on a full disk.
  public var refusedGroupCount = 0
  /// Times that a call failed and writing stopped.
  public var stopCount = 0
  /// Times that the committed end could not be published. Followers then go by what the journal
  /// itself proves, and hear of a transaction when the next one is synced.
  public var unpublishedEndCount = 0

  /// Nothing yet.
  public init() {}
}
