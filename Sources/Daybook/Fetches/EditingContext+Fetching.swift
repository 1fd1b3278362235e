import DaybookResults
import DaybookStore

extension EditingContext {
  /// Returns the records of a request, in order and unsaved changes included.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification.
  ///
  /// ```swift
  /// let banks = try context.fetch(
  ///   ListRequest<Bank>(filter: \Bank.state == "CA", sortedBy: [.ascending(\Bank.name)]))
  /// ```
  ///
  /// Later changes do not change the result. Each record is decoded when it is accessed.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetch<R: FetchableRecord>(_ request: ListRequest<R>) throws -> FetchedObjects<R> {
    processPendingChanges()
    return try request.objects(in: searched, of: store.path)
  }

  /// Returns the identifiers of the records of a request, in order and unsaved changes included,
  /// without reading the records.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification.
  ///
  /// ```swift
  /// for id in try context.fetchIdentifiers(request) { try context.delete(Bank.self, id: id) }
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetchIdentifiers<R: FetchableRecord>(_ request: ListRequest<R>) throws -> [R.ID] {
    try fetch(request).identifiers
  }

  /// Returns the way in which a fetch of a request finds its records, unsaved changes included.
  ///
  /// It starts with a boundary, unless an observer calls it.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`
  /// - Complexity: O(log *n*). The first use of an index builds it, which takes O(*n* log *n*).
  public func plan<R: FetchableRecord>(for request: ListRequest<R>) throws -> FetchPlan {
    processPendingChanges()
    return try request.description(in: searched, of: store.path)
  }

  /// Returns the number of records of a request within its limit and offset, unsaved changes
  /// included.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n*); O(log *n* + *k*) in the rows that an index leads to
  public func count<R: FetchableRecord>(for request: ListRequest<R>) throws -> Int {
    processPendingChanges()
    return try request.count(in: searched, of: store.path)
  }

  /// Returns the sections of a request, in order and unsaved changes included.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification. A request without sections has
  /// one section without a name.
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
}

extension ListRequest {
  func objects(in frozen: FrozenState, of path: String) throws -> FetchedObjects<R> {
    try checkType(frozen, of: path)
    let snapshot = try RequestSearch(self, in: frozen).snapshot
    try frozen.checkWhole(path)
    return FetchedObjects(snapshot, batchSize: batchSize)
  }

  func description(in frozen: FrozenState, of path: String) throws -> FetchPlan {
    try checkType(frozen, of: path)
    let plan = try RequestSearch(self, in: frozen).description
    try frozen.checkWhole(path)
    return plan
  }

  func count(in frozen: FrozenState, of path: String) throws -> Int {
    try checkType(frozen, of: path)
    let count = window.range(of: try RequestSearch(self, in: frozen).matchCount).count
    try frozen.checkWhole(path)
    return count
  }
}

extension EditingContext {
  /// Returns values of the records of a request, in order and unsaved changes included, without
  /// reading the records.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification.
  ///
  /// ```swift
  /// // The states that have banks, each once.
  /// let states = try context.fetchValues(request, of: [.attribute(\.state)], distinct: true)
  /// ```
  ///
  /// If `distinct` is true, each combination of values occurs once, at the position of the first
  /// record that has it. The limit and the offset of the request then count combinations instead of
  /// records. Values are compared as ``AttributeValue`` compares them: numbers by their bits,
  /// strings by canonical equivalence. A missing value counts as a value.
  ///
  /// A reference to a record that does not exist is null. An array of references contains no such
  /// references. If an attribute had a different type when its record was written, its value is
  /// converted as the schema declares. A reference is not converted: its value is null then.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - attributes: The attributes.
  ///   - distinct: A Boolean value that indicates whether each combination of values is returned
  ///     once.
  /// - Throws: `RequestError` for an error in the request or the attributes, `StoreError` with
  ///   `unknownType`, or with `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetchValues<R: FetchableRecord>(
    _ request: ListRequest<R>, of attributes: [FetchedAttribute<R>], distinct: Bool = false
  ) throws -> [FetchedValues<R>] {
    processPendingChanges()
    return try request.values(of: attributes, isDistinct: distinct, in: searched, of: store.path)
  }
}

extension StoreSnapshot {
  /// Returns values of the records of a request at this moment, in order, without reading the
  /// records.
  ///
  /// ```swift
  /// let states = try store.snapshot.fetchValues(
  ///   request, of: [.attribute(\.state)], distinct: true)
  /// ```
  ///
  /// If `distinct` is true, each combination of values occurs once, as in
  /// ``EditingContext/fetchValues(_:of:distinct:)``.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - attributes: The attributes.
  ///   - distinct: A Boolean value that indicates whether each combination of values is returned
  ///     once.
  /// - Throws: `RequestError` for an error in the request or the attributes, `StoreError` with
  ///   `unknownType`, or with `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetchValues<R: FetchableRecord>(
    _ request: ListRequest<R>, of attributes: [FetchedAttribute<R>], distinct: Bool = false
  ) throws -> [FetchedValues<R>] {
    try request.values(of: attributes, isDistinct: distinct, in: frozen, of: path)
  }
}

extension ListRequest {
  fileprivate func values(
    of attributes: [FetchedAttribute<R>], isDistinct: Bool, in frozen: FrozenState, of path: String
  ) throws -> [FetchedValues<R>] {
    try checkType(frozen, of: path)
    var request = self
    // The window of distinct values counts combinations, so it needs all rows.
    if isDistinct { (request.limit, request.offset) = (nil, 0) }
    let search = try RequestSearch(request, in: frozen)
    let columns = try columns(attributes.map(\.names), in: frozen.catalog)
    let snapshot = search.snapshot
    let values =
      isDistinct
      ? snapshot.distinctValues(in: columns, window: window)
      : snapshot.values(in: columns)
    try frozen.checkWhole(path)
    return values.map { FetchedValues(attributes, values: $0) }
  }
}
