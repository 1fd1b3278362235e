import DaybookStore

/// Tells what each transaction of a journal did to a list, one after the other.
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
/// It is the same, difference by difference, that a controller has told which was there when the
/// transactions were saved.
public final class ListReplay<R: FetchableRecord> {
  /// A transaction that changed the list.
  public struct Step: Sendable {
    /// The transaction.
    public let transaction: StoreTransaction
    /// What it did to the list.
    public let difference: ListDifference<R>
  }

  private let replay: ResultReplay
  private let batchSize: Int
  /// The list after the last transaction that was told; at first that before the first.
  public private(set) var objects: FetchedObjects<R>

  init(_ replay: ResultReplay, batchSize: Int) {
    self.replay = replay
    self.batchSize = batchSize
    objects = FetchedObjects(replay.snapshot, batchSize: batchSize)
  }

  /// The next transaction that changed the list, and how; nil after the last. Those that did nothing to
  /// the list are passed over.
  ///
  /// - Throws: ``StoreError`` with `payload`, if a transaction says what cannot be.
  /// - Complexity: O(*k* log *n*) in the rows that are touched
  public func next() throws(StoreError) -> Step? {
    guard let (transaction, script) = try replay.next() else { return nil }
    let before = objects
    objects = FetchedObjects(script.after, batchSize: batchSize)
    return Step(
      transaction: transaction,
      difference: ListDifference(script, before: before, after: objects))
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
