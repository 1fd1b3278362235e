import DaybookResults
import DaybookStore

extension StoreSnapshot {
  /// The records that a request finds at this moment, in order, found elsewhere than on the caller's
  /// actor.
  ///
  /// ```swift
  /// let banks = try await store.snapshot.fetch(request) { progress in
  ///   Task { @MainActor in bar.fraction = progress.fraction }
  /// }
  /// ```
  ///
  /// Whatever is saved meanwhile, the answer is that of this moment. The closure is called by the task
  /// that fetches: first that no row has been looked at, then after each four thousand rows or some
  /// more, and last, when all is in order, that all have been. Nothing is told twice, and never less
  /// than before.
  ///
  /// A task that is cancelled throws `CancellationError` at the next of these steps, or while rows are
  /// put in order before the next part of that; once it has told that all rows have been looked at, it
  /// answers.
  ///
  /// - Parameter progress: Told how far the fetch is; nil for nobody.
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`,
  ///   and `CancellationError`
  /// - Complexity: O(*n* log *n*)
  @concurrent
  public func fetch<R: FetchableRecord>(
    _ request: FetchRequest<R>, progress: (@Sendable (FetchProgress) -> Void)?
  ) async throws -> FetchedObjects<R> {
    try Task.checkCancellation()
    try request.checkType(frozen, of: path)
    let plan = try request.plan(frozen.catalog)
    let watch = LoadWatch(
      tell: { progress?(FetchProgress(seenCount: $0, rowCount: $1)) },
      isUnwanted: { Task.isCancelled })
    guard let projection = Projection(plan, of: frozen, window: request.window, watchedBy: watch)
    else {
      throw CancellationError()
    }
    try frozen.checkWhole(path)
    return FetchedObjects(projection.snapshot, batchSize: request.batchSize)
  }
}

extension StoreSnapshot {
  /// Returns the records that a request finds at this moment, in order, and reports the progress to a closure.
  ///
  /// ```swift
  /// let banks = try store.snapshot.fetchAndWait(request) { print($0.fraction) }
  /// ```
  ///
  /// It blocks its thread, as ``fetch(_:)`` does.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - progress: A closure that is called as ``fetch(_:progress:)`` says.
  /// - Throws: ``RequestError`` for an error of the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n* log *n*)
  public func fetchAndWait<R: FetchableRecord>(
    _ request: FetchRequest<R>, progress: (FetchProgress) -> Void
  ) throws -> FetchedObjects<R> {
    try request.checkType(frozen, of: path)
    let plan = try request.plan(frozen.catalog)
    let found = withoutActuallyEscaping(progress) { progress in
      let watch = LoadWatch(
        tell: { progress(FetchProgress(seenCount: $0, rowCount: $1)) }, isUnwanted: { false })
      return Projection(plan, of: frozen, window: request.window, watchedBy: watch)
    }
    guard let found else { preconditionFailure("a fetch that is always wanted was given up") }
    try frozen.checkWhole(path)
    return FetchedObjects(found.snapshot, batchSize: request.batchSize)
  }
}

extension Store {
  /// The records that a request finds among everything saved when it is called, in order, found
  /// elsewhere than on the caller's actor.
  ///
  /// ```swift
  /// let banks = try await store.fetch(request, progress: nil)
  /// ```
  ///
  /// It is told and cancelled as ``StoreSnapshot/fetch(_:progress:)`` says.
  ///
  /// - Parameter progress: Told how far the fetch is; nil for nobody.
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`,
  ///   and `CancellationError`
  /// - Complexity: O(*n* log *n*)
  public nonisolated(nonsending) func fetch<R: FetchableRecord>(
    _ request: FetchRequest<R>, progress: (@Sendable (FetchProgress) -> Void)?
  ) async throws -> FetchedObjects<R> {
    // This is the caller's actor, and so the snapshot is that of the call.
    try await snapshot.fetch(request, progress: progress)
  }
}

/// How far a fetch is.
public struct FetchProgress: Hashable, Sendable {
  /// How many rows have been looked at. All have been when the answer is there, and not before.
  public let seenCount: Int
  /// How many rows there are to look at: all of the type, whatever the request finds among them.
  public let rowCount: Int

  init(seenCount: Int, rowCount: Int) {
    self.seenCount = seenCount
    self.rowCount = rowCount
  }

  /// The part that has been looked at, from 0 to 1; 1 if there is nothing to look at.
  public var fraction: Double { rowCount == 0 ? 1 : Double(seenCount) / Double(rowCount) }
}

extension FetchProgress: CustomStringConvertible {
  /// `4096 of 10000`
  public var description: String { "\(seenCount) of \(rowCount)" }
}
