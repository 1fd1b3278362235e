import DaybookJournal
import DaybookStore

/// A sequence of the differences that the transactions of a journal caused in a list, one after
/// another. `Store.replay(_:from:to:)` creates it.
///
/// ```swift
/// let replay = try store.replay(request)
/// for try await step in replay {
///   print("\(step.transaction.time ?? .distantPast): \(step.difference)")
/// }
/// ```
///
/// Synchronous code calls ``next()`` until it returns nil.
///
/// The difference of a step equals the difference that a controller reports if its context merges
/// the transaction alone.
public final class ListReplay<R: FetchableRecord> {
  /// A transaction that changed the list.
  public struct Step: Sendable {
    /// The transaction.
    public let transaction: StoreTransaction
    /// The difference that the transaction caused.
    public let difference: ListDifference<R>
  }

  private let walk: HistoryWalk
  private let projection: Projection
  private let last: SequenceNumber
  private let batchSize: Int
  /// The list after the last step that ``next()`` returned. Before the first step, it is the list
  /// before the first transaction.
  public private(set) var objects: FetchedObjects<R>

  /// - Parameters:
  ///   - walk: The transactions. The replay starts with the list before the first transaction.
  ///   - last: The last transaction of the replay, or a later one.
  /// - Complexity: O(*n* log *n*)
  init(
    _ request: ListRequest<R>, walk: HistoryWalk, through last: SequenceNumber
  ) throws(RequestError) {
    self.walk = walk
    self.last = last
    batchSize = request.batchSize
    // All states of the walk share the catalog of its last state.
    projection = Projection(
      try request.plan(walk.frozen.catalog), of: walk.frozen, window: request.window)
    objects = FetchedObjects(projection.snapshot, batchSize: batchSize)
  }

  /// Returns the next transaction that changed the list, and its difference; nil after the last
  /// transaction. Transactions that did not change the list are skipped.
  ///
  /// - Throws: `StoreError` with `payload`, if the payload of a transaction is invalid
  /// - Complexity: O(*k* log *n*) in the touched rows
  public func next() throws(StoreError) -> Step? {
    while walk.frozen.sequence < last, let transaction = try walk.next() {
      guard let script = projection.fold(transaction, to: walk.frozen) else { continue }
      let before = objects
      objects = FetchedObjects(script.after, batchSize: batchSize)
      return Step(
        transaction: transaction,
        difference: ListDifference(script, before: before, after: objects))
    }
    return nil
  }
}

extension ListReplay: AsyncSequence {
  /// Returns an iterator that continues at the current step of the replay, and advances the replay.
  public func makeAsyncIterator() -> Iterator { Iterator(base: self) }

  /// An iterator over the steps.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let base: ListReplay<R>

    /// Returns the next step; nil after the last step. The method does not suspend.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> Step? { try base.next() }

    /// Returns the next step; nil after the last step. The method does not suspend.
    public mutating func next() async throws(StoreError) -> Step? {
      try base.next()
    }
  }
}
