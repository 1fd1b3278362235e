import DaybookJournal
import DaybookPlatform
import DaybookResults
import DaybookStore

/// A list that moves from one snapshot of a store to a later one, for programs that wait for
/// changes themselves.
///
/// ```swift
/// let store = try Store(following: "banks.daybook", mode: .manual)
/// let list = try FollowingList(request, at: store.snapshot)
/// while true {
///   while try store.readNextTransaction() {
///     if let update = try list.move(to: store.snapshot) { print(update.objects.count) }
///   }
///   store.waitForTransactions(timeout: .milliseconds(500))
/// }
/// ```
///
/// `Store.results(_:)` does the same for tasks, and a ``FetchedResultsController`` for contexts.
public final class FollowingList<R: FetchableRecord> {
  // The class is not Sendable, because one thread at a time uses the list. The objects and
  // differences that it returns are Sendable.

  /// The request of the list. Only ``refetch(with:)`` changes it.
  public private(set) var request: ListRequest<R>
  private var projection: Projection
  private var state: FrozenState
  private let path: String

  /// Creates the list of a request in a snapshot.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - snapshot: The snapshot.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*)
  public init(_ request: ListRequest<R>, at snapshot: StoreSnapshot) throws {
    self.request = request
    (state, path) = (snapshot.frozen, snapshot.path)
    projection = try request.projection(over: state, of: path)
  }

  /// Creates the list of a request in a snapshot, unless the fetch is cancelled.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - snapshot: The snapshot.
  ///   - progress: A closure that receives the progress, at the steps of
  ///     `StoreSnapshot.fetch(_:progress:)`.
  ///   - shouldContinue: A closure that returns false to cancel the fetch.
  /// - Returns: nil if the fetch was cancelled.
  /// - Throws: The errors of ``init(_:at:)``
  /// - Complexity: O(*n* log *n*)
  @_spi(Tools) public init?(
    _ request: ListRequest<R>, at snapshot: StoreSnapshot, progress: (FetchProgress) -> Void,
    shouldContinue: () -> Bool
  ) throws {
    self.request = request
    (state, path) = (snapshot.frozen, snapshot.path)
    try request.checkType(snapshot.frozen, of: snapshot.path)
    let plan = try request.plan(snapshot.frozen.catalog)
    let found = withoutActuallyEscaping(progress) { progress in
      withoutActuallyEscaping(shouldContinue) { shouldContinue in
        let watch = LoadWatch(
          report: { progress(FetchProgress(examinedRowCount: $0, rowCount: $1)) },
          shouldCancel: { !shouldContinue() })
        return Projection(plan, of: snapshot.frozen, window: request.window, watchedBy: watch)
      }
    }
    guard let found else { return nil }
    projection = found
    try snapshot.frozen.checkWhole(snapshot.path)
  }

  /// The state that the list shows.
  public var snapshot: StoreSnapshot { StoreSnapshot(state, path: path) }

  /// The records of the list.
  public var objects: FetchedObjects<R> { objects(projection.snapshot) }

  /// Returns whether the list can move to a snapshot of its store without a new fetch.
  ///
  /// If not, a new file has replaced the journal, or the schema has new attributes. The list can
  /// then move only to the last state of the store.
  @_spi(Tools) public func fits(_ snapshot: StoreSnapshot) -> Bool {
    snapshot.frozen.state.generation == state.state.generation
      && projection.plan.fits(snapshot.frozen.catalog)
  }

  /// Moves the list to a later snapshot of the same journal, and returns the change; nil if the
  /// list did not change.
  ///
  /// - Parameter snapshot: The snapshot.
  /// - Returns: The difference. If the journal was compacted and no longer contains the
  ///   transactions between the two snapshots, a reset with the new list. If the list is the same,
  ///   nil.
  /// - Throws: `RequestError` for an error in the request; `StoreError` with `payload` if a
  ///   transaction cannot be read, or with `journal` if a stored record is damaged
  /// - Complexity: O(*k* log *n*) in the rows that are touched; O(*n* log *n*) if the schema has
  ///   grown, or the journal was compacted
  public func move(to snapshot: StoreSnapshot) throws -> LiveResults<R>.Update? {
    let next = snapshot.frozen
    let isSameFile = next.state.generation == state.state.generation
    if isSameFile, !next.isOfSameStore(as: state) {
      Misuse.stop(
        """
        a list of \(path) was moved to a snapshot of another store. Move it to snapshots of the store that it was \
        made for.
        """)
    }
    if !isSameFile || !projection.plan.fits(next.catalog) {
      // Computes the list at its own moment again, from the new file and with a plan for the new
      // layouts. The fold below then finds the changes since that moment.
      guard let then = try next.known(after: state.sequence, path: path) else {
        projection = try request.projection(over: next, of: path)
        state = next
        return .reset(objects)
      }
      projection = try request.projection(over: then, of: path)
    }
    state = next
    let script = projection.fold(to: next)
    try next.checkWhole(path)
    return script.map {
      .difference(ListDifference($0, batchSize: request.batchSize, isOfHistory: true))
    }
  }

  /// Replaces the request, and returns the difference between the two lists; nil if they are equal.
  ///
  /// - Parameter request: The new request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged. After an error the list keeps its request.
  /// - Complexity: O(*n* log *n*)
  public func refetch(with request: ListRequest<R>) throws -> ListDifference<R>? {
    let next = try request.projection(over: state, of: path)
    let script = EditScript(from: projection.snapshot, to: next.snapshot)
    (self.request, projection) = (request, next)
    if script.isEmpty { return nil }
    return ListDifference(script, batchSize: request.batchSize, isOfHistory: true)
  }

  private func objects(_ snapshot: ResultSnapshot) -> FetchedObjects<R> {
    FetchedObjects(snapshot, batchSize: request.batchSize)
  }
}

extension FrozenState {
  /// Returns the state after an earlier transaction; nil if the journal no longer contains it.
  fileprivate func known(
    after sequence: SequenceNumber, path: String
  ) throws(StoreError) -> FrozenState? {
    do throws(HistoryDefect) { return try state(after: sequence.rawValue) } catch {
      try checkWhole(path)
      throw StoreError(error, path: path)
    }
  }
}
