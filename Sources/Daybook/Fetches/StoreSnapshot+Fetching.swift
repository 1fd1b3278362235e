import DaybookJournal
import DaybookPlatform
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
  public func fetch<R: FetchableRecord>(_ request: FetchRequest<R>) throws -> FetchedObjects<R> {
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
  public func fetchIdentifiers<R: FetchableRecord>(_ request: FetchRequest<R>) throws -> [R.ID] {
    try fetch(request).identifiers
  }

  /// How many records a request finds at this moment, within its limit and offset.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n*)
  public func count<R: FetchableRecord>(for request: FetchRequest<R>) throws -> Int {
    try request.count(in: frozen, of: path)
  }

  /// Returns the names of the entities whose records a request reads through references.
  ///
  /// - Throws: ``RequestError`` for an error of the request
  public func referencedEntities<R: FetchableRecord>(
    of request: FetchRequest<R>
  ) throws(RequestError) -> Set<String> {
    let catalog = frozen.catalog
    return Set(try request.plan(catalog).foreignEntities.map { catalog.names[$0] })
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
  public func difference<R: FetchableRecord>(
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
    let plan = try request.plan(newest.frozen.catalog)
    let script = EditScript(
      from: Projection(plan, of: frozen, window: request.window).snapshot,
      to: Projection(plan, of: other.frozen, window: request.window).snapshot)
    try frozen.checkWhole(path)
    try other.frozen.checkWhole(path)
    return ListDifference(script, batchSize: request.batchSize, isOfHistory: true)
  }
}

extension Store {
  /// What has happened to what a request finds between two transactions: from the list after the one to
  /// the list after the other, in whichever direction; 0 is before the first.
  ///
  /// ```swift
  /// let difference = try store.difference(of: request, from: 41, to: 57)
  /// ```
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request; ``StoreError`` with `noSuchMoment` or
  ///   `unknownType`
  /// - Complexity: O(*n* log *n*), and O(*k*) in the changes since the earlier of the two
  public func difference<R: FetchableRecord>(
    of request: FetchRequest<R>, from start: SequenceNumber, to end: SequenceNumber
  ) throws -> ListDifference<R> {
    try snapshot(at: start).difference(to: snapshot(at: end), of: request)
  }

  /// What has happened to what a request finds between two times, in whichever direction. Each means the
  /// last transaction at or before it.
  ///
  /// - Throws: As between two transactions
  /// - Complexity: As between two transactions
  public func difference<R: FetchableRecord>(
    of request: FetchRequest<R>, from start: JournalTime, to end: JournalTime
  ) throws -> ListDifference<R> {
    try snapshot(at: start).difference(to: snapshot(at: end), of: request)
  }
}

extension FetchRequest {
  /// What it finds in a state.
  ///
  /// - Throws: ``RequestError``, and ``StoreError`` with `unknownType`
  func projection(over frozen: FrozenState, of path: String) throws -> Projection {
    try checkType(frozen, of: path)
    let projection = Projection(
      try plan(frozen.catalog), of: frozen, window: window)
    try frozen.checkWhole(path)
    return projection
  }
}
