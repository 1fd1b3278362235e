import DaybookEssentials
import DaybookJournal
import DaybookPlatform
import DaybookResults
import DaybookStore

extension StoreSnapshot {
  /// Returns the records of a request at this moment, in order.
  ///
  /// ```swift
  /// let then = try store.snapshot(at: 41).fetch(request)
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetch<R: FetchableRecord>(_ request: ListRequest<R>) throws -> FetchedObjects<R> {
    try request.objects(in: frozen, of: path)
  }

  /// Returns the identifiers of the records of a request at this moment, in order, without reading
  /// the records.
  ///
  /// ```swift
  /// let ids = try store.snapshot.fetchIdentifiers(request)
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetchIdentifiers<R: FetchableRecord>(_ request: ListRequest<R>) throws -> [R.ID] {
    try fetch(request).identifiers
  }

  /// Returns the way in which a fetch of a request finds its records at this moment.
  ///
  /// ```swift
  /// print(try store.snapshot.plan(for: request))
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`
  /// - Complexity: O(log *n*). The first use of an index builds it, which takes O(*n* log *n*).
  public func plan<R: FetchableRecord>(for request: ListRequest<R>) throws -> FetchPlan {
    try request.description(in: frozen, of: path)
  }

  /// Returns the number of records of a request at this moment, within its limit and offset.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n*); O(log *n* + *k*) in the rows that an index leads to
  public func count<R: FetchableRecord>(for request: ListRequest<R>) throws -> Int {
    try request.count(in: frozen, of: path)
  }

  /// Returns the sections of a request at this moment, in order, with their records.
  ///
  /// ```swift
  /// for section in try store.snapshot.sections(request) {
  ///   print(section.name, section.objects.map(\.name))
  /// }
  /// ```
  ///
  /// A request without sections has one section without a name.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func sections<R: FetchableRecord>(
    _ request: ListRequest<R>
  ) throws -> FetchedSections<R> {
    try fetch(request).sections
  }

  /// Returns the names of the entities that a request reads through references.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request
  public func referencedEntities<R: FetchableRecord>(
    of request: ListRequest<R>
  ) throws(RequestError) -> Set<String> {
    let catalog = frozen.catalog
    return Set(try request.plan(catalog).foreignEntities.map { catalog.names[$0] })
  }

  /// Returns the difference of a list between this moment and a second moment, which may be earlier
  /// or later.
  ///
  /// ```swift
  /// let difference = try store.snapshot(at: 41).difference(to: store.snapshot, of: request)
  /// ```
  ///
  /// Both snapshots must be of the same store.
  ///
  /// - Parameters:
  ///   - other: The snapshot of the other moment.
  ///   - request: The request of the list.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*)
  public func difference<R: FetchableRecord>(
    to other: StoreSnapshot, of request: ListRequest<R>
  ) throws -> ListDifference<R> {
    if !frozen.isOfSameStore(as: other.frozen) {
      Misuse.stop(
        """
        difference(to:of:) was called for snapshots of two stores, \(path) and \(other.path). Take both from \
        the same store.
        """)
    }
    // The later state contains the layouts of both states, because layouts are never removed.
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
  /// Returns the difference of a list between two transactions. The first one may be the later one.
  ///
  /// ```swift
  /// let difference = try store.difference(of: request, from: 41, to: 57)
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request of the list.
  ///   - start: The difference starts with the list after this transaction; 0 is the empty list
  ///     before the first transaction.
  ///   - end: The difference ends with the list after this transaction.
  /// - Throws: `RequestError` for an error in the request; `StoreError` with `noSuchMoment` or
  ///   `unknownType`
  /// - Complexity: O(*n* log *n*), and O(*k*) in the changes since the earlier transaction
  public func difference<R: FetchableRecord>(
    of request: ListRequest<R>, from start: SequenceNumber, to end: SequenceNumber
  ) throws -> ListDifference<R> {
    try snapshot(at: start).difference(to: snapshot(at: end), of: request)
  }

  /// Returns the difference of a list between two times. The first one may be the later one.
  ///
  /// A time denotes the last transaction at or before it.
  ///
  /// - Parameters:
  ///   - request: The request of the list.
  ///   - start: The difference starts with the list at this time.
  ///   - end: The difference ends with the list at this time.
  /// - Throws: The errors of the difference between two transactions
  /// - Complexity: O(*n* log *n*), and O(*k*) in the changes since the earlier time
  public func difference<R: FetchableRecord>(
    of request: ListRequest<R>, from start: JournalTime, to end: JournalTime
  ) throws -> ListDifference<R> {
    try snapshot(at: start).difference(to: snapshot(at: end), of: request)
  }

  /// Returns the difference of a list between two dates. The first one may be the later one.
  ///
  /// A date denotes the last transaction at or before it.
  ///
  /// - Parameters:
  ///   - request: The request of the list.
  ///   - start: The difference starts with the list at this date.
  ///   - end: The difference ends with the list at this date.
  /// - Throws: The errors of the difference between two transactions
  /// - Complexity: O(*n* log *n*), and O(*k*) in the changes since the earlier date
  @_disfavoredOverload
  public func difference<R: FetchableRecord>(
    of request: ListRequest<R>, from start: Date, to end: Date
  ) throws -> ListDifference<R> {
    // `.distantPast` is a member of both types. The attribute makes the compiler choose
    // `JournalTime`.
    try difference(of: request, from: JournalTime(clamping: start), to: JournalTime(clamping: end))
  }
}

extension ListRequest {
  /// Returns the projection of the request over a state, with all rows outside of the window.
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
