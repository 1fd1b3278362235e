import DaybookJournal
import DaybookResults
import DaybookStore

extension StoreSnapshot {
  /// The records that a request finds at this moment, in order.
  ///
  /// ```swift
  /// let then = try store.snapshot(at: 41).fetch(request)
  /// ```
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n* log *n*)
  public func fetch<R: Record>(_ request: FetchRequest<R>) throws -> FetchedObjects<R> {
    try request.objects(in: frozen, of: path)
  }

  /// The identifiers of the records that a request finds at this moment, in order. No record is read for
  /// them.
  ///
  /// ```swift
  /// let ids = try store.snapshot.fetchIdentifiers(request)
  /// ```
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n* log *n*)
  public func fetchIdentifiers<R: Record>(_ request: FetchRequest<R>) throws -> [R.ID] {
    try fetch(request).identifiers
  }

  /// How many records a request finds at this moment, within its limit and offset.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n*)
  public func count<R: Record>(for request: FetchRequest<R>) throws -> Int {
    try request.count(in: frozen, of: path)
  }

  /// What has happened to what a request finds between this moment and another one, in whichever
  /// direction.
  ///
  /// ```swift
  /// let difference = try store.snapshot(at: 41).difference(to: store.snapshot, of: request)
  /// ```
  ///
  /// The two are of one store.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n* log *n*)
  public func difference<R: Record>(
    to other: StoreSnapshot, of request: FetchRequest<R>
  ) throws -> ListDifference<R> {
    if !frozen.isOfSameStore(as: other.frozen) {
      Misuse.stop(
        """
        difference(to:of:) was called for snapshots of two stores, \(path) and \(other.path). Take both from \
        the same store.
        """)
    }
    // The later of the two knows all layouts.
    let newest = max(frozen.sequence, other.frozen.sequence) == frozen.sequence ? self : other
    try request.checkType(newest.frozen, of: path)
    let untyped = request.untyped
    let plan = try untyped.plan(newest.frozen.catalog)
    let (before, after) = (
      Projection(plan, frozen, window: untyped.window).snapshot,
      Projection(plan, other.frozen, window: untyped.window).snapshot
    )
    try frozen.checkWhole(path)
    try other.frozen.checkWhole(path)
    return ListDifference(
      Difference(from: before, to: after),
      FetchedObjects(before, RecordBatches(size: request.batchSize)),
      FetchedObjects(after, RecordBatches(size: request.batchSize)), isOfHistory: true)
  }
}
