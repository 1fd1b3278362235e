import DaybookJournal
import DaybookStore

/// The differences that the transactions of a journal made to a list, one after the other.
///
/// ```swift
/// let replay = try store.replay(request)
/// for try await step in replay {
///   print("\(step.transaction.time ?? .distantPast): \(step.difference)")
/// }
/// ```
///
/// Code that is not asynchronous calls ``next()`` until it returns nil.
///
/// The differences are those that a controller reported when the transactions were saved.
public final class ListReplay<R: FetchableRecord> {
  /// A transaction that changed the list.
  public struct Step: Sendable {
    /// The transaction.
    public let transaction: StoreTransaction
    /// What it did to the list.
    public let difference: ListDifference<R>
  }

  private let walk: HistoryWalk
  private let projection: Projection
  private let last: SequenceNumber
  private let batchSize: Int
  /// The list after the last step; at first the list before the first transaction.
  public private(set) var objects: FetchedObjects<R>

  /// - Parameters:
  ///   - walk: The transactions. The list before the first of them is where the replay begins.
  ///   - last: The last transaction of the replay, or a later one.
  /// - Complexity: O(*n* log *n*)
  init(
    _ request: FetchRequest<R>, walk: HistoryWalk, through last: SequenceNumber
  ) throws(RequestError) {
    self.walk = walk
    self.last = last
    batchSize = request.batchSize
    // The catalog of every state of the walk is that of its end.
    projection = Projection(
      try request.plan(walk.frozen.catalog), of: walk.frozen, window: request.window)
    objects = FetchedObjects(projection.snapshot, batchSize: batchSize)
  }

  /// Returns the next transaction that changed the list, and the difference; nil after the last.
  /// Transactions that did not change the list are skipped.
  ///
  /// - Throws: ``StoreError`` with `payload`, if a transaction says what cannot be.
  /// - Complexity: O(*k* log *n*) in the rows that are touched
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
  /// Returns a loop that continues where the replay is, and advances it.
  public func makeAsyncIterator() -> Iterator { Iterator(base: self) }

  /// One loop over the steps.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let base: ListReplay<R>

    /// Returns the next step, or nil after the last. It does not suspend.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> Step? { try base.next() }

    /// Returns the next step, or nil after the last. It does not suspend.
    public mutating func next() async throws(StoreError) -> Step? {
      try base.next()
    }
  }
}
