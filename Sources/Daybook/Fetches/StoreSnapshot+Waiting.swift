import DaybookResults
import DaybookStore

extension StoreSnapshot {
  /// Returns the records of a request at this moment, in order, computed outside of the caller's
  /// actor.
  ///
  /// ```swift
  /// let banks = try await store.snapshot.fetch(request) { progress in
  ///   Task { @MainActor in bar.fraction = progress.fraction }
  /// }
  /// ```
  ///
  /// Transactions that are saved during the fetch do not affect the result. The task of the fetch
  /// calls the closure:
  ///
  /// 1. at the start, with no row examined,
  /// 2. each time after at least 4096 more rows,
  /// 3. at the end, when the rows are sorted and all have been examined.
  ///
  /// Reported counts increase strictly. A cancelled task throws `CancellationError` at the next of
  /// these steps, or at the next step of the sort. After the last report the fetch returns its
  /// result.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - progress: A closure that receives the progress of the fetch; nil for none.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged, and `CancellationError`
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  @concurrent
  public func fetch<R: FetchableRecord>(
    _ request: ListRequest<R>, progress: (@Sendable (FetchProgress) -> Void)?
  ) async throws -> FetchedObjects<R> {
    try Task.checkCancellation()
    try request.checkType(frozen, of: path)
    let search = try RequestSearch(request, in: frozen)
    let watch = LoadWatch(
      report: { progress?(FetchProgress(examinedRowCount: $0, rowCount: $1)) },
      shouldCancel: { Task.isCancelled })
    guard let snapshot = search.snapshot(watchedBy: watch) else { throw CancellationError() }
    try frozen.checkWhole(path)
    return FetchedObjects(snapshot, batchSize: request.batchSize)
  }
}

extension StoreSnapshot {
  /// Returns the records of a request at this moment, in order, and reports the progress to a
  /// closure.
  ///
  /// ```swift
  /// let banks = try store.snapshot.fetchAndWait(request) { print($0.fraction) }
  /// ```
  ///
  /// The method blocks the calling thread, as ``fetch(_:)`` does.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - progress: A closure that receives the progress, at the steps of ``fetch(_:progress:)``.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetchAndWait<R: FetchableRecord>(
    _ request: ListRequest<R>, progress: (FetchProgress) -> Void
  ) throws -> FetchedObjects<R> {
    try request.checkType(frozen, of: path)
    let search = try RequestSearch(request, in: frozen)
    let found = withoutActuallyEscaping(progress) { progress in
      let watch = LoadWatch(
        report: { progress(FetchProgress(examinedRowCount: $0, rowCount: $1)) },
        shouldCancel: { false })
      return search.snapshot(watchedBy: watch)
    }
    guard let found else { preconditionFailure("a fetch that is always wanted was given up") }
    try frozen.checkWhole(path)
    return FetchedObjects(found, batchSize: request.batchSize)
  }
}

extension Store {
  /// Returns the saved records of a request, in order, computed outside of the caller's actor.
  ///
  /// ```swift
  /// let banks = try await store.fetch(request, progress: nil)
  /// ```
  ///
  /// The result contains the records that are saved when the call begins. Progress and cancellation
  /// are described at `StoreSnapshot.fetch(_:progress:)`.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - progress: A closure that receives the progress of the fetch; nil for none.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged, and `CancellationError`
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public nonisolated(nonsending) func fetch<R: FetchableRecord>(
    _ request: ListRequest<R>, progress: (@Sendable (FetchProgress) -> Void)?
  ) async throws -> FetchedObjects<R> {
    // The snapshot is taken before the function suspends, so it is the state at the call.
    try await snapshot.fetch(request, progress: progress)
  }
}

/// The progress of a fetch.
public struct FetchProgress: Hashable, Sendable {
  /// The number of rows that were examined. The number reaches ``rowCount`` when the result is
  /// complete.
  public let examinedRowCount: Int
  /// The number of rows to examine: all records of the type, or those that an index leads to.
  public let rowCount: Int

  init(examinedRowCount: Int, rowCount: Int) {
    self.examinedRowCount = examinedRowCount
    self.rowCount = rowCount
  }

  /// The fraction of rows that were examined, from 0 to 1; 1 without rows.
  public var fraction: Double { rowCount == 0 ? 1 : Double(examinedRowCount) / Double(rowCount) }
}

extension FetchProgress: CustomStringConvertible {
  /// The counts, such as `4096 of 10000`.
  public var description: String { "\(examinedRowCount) of \(rowCount)" }
}
