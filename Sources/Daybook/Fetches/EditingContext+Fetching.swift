import DaybookResults
import DaybookStore

extension EditingContext {
  /// The records that a request finds, in order, what is unsaved included. It begins with a boundary,
  /// unless a listener asks.
  ///
  /// ```swift
  /// let banks = try context.fetch(
  ///   FetchRequest<Bank>(filter: \Bank.state == "CA", sortedBy: [.ascending(\Bank.name)]))
  /// ```
  ///
  /// They stay as they are, whatever is changed later, and each is read when it is touched.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n* log *n*)
  public func fetch<R: FetchableRecord>(_ request: FetchRequest<R>) throws -> FetchedObjects<R> {
    processPendingChanges()
    return try request.objects(in: frozen, of: store.path)
  }

  /// The identifiers of the records that a request finds, in order, what is unsaved included. It begins
  /// with a boundary, unless a listener asks. No record is read for them.
  ///
  /// ```swift
  /// for id in try context.fetchIdentifiers(request) { try context.delete(Bank.self, id: id) }
  /// ```
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n* log *n*)
  public func fetchIdentifiers<R: FetchableRecord>(_ request: FetchRequest<R>) throws -> [R.ID] {
    try fetch(request).identifiers
  }

  /// How many records a request finds, within its limit and offset, what is unsaved included. It begins
  /// with a boundary, unless a listener asks.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n*)
  public func count<R: FetchableRecord>(for request: FetchRequest<R>) throws -> Int {
    processPendingChanges()
    return try request.count(in: frozen, of: store.path)
  }
}

extension FetchRequest {
  func objects(in frozen: FrozenState, of path: String) throws -> FetchedObjects<R> {
    FetchedObjects(
      try projection(over: frozen, of: path).snapshot, batchSize: batchSize)
  }

  func count(in frozen: FrozenState, of path: String) throws -> Int {
    try checkType(frozen, of: path)
    let plan = try plan(frozen.catalog)
    let count = window.range(of: plan.count(in: frozen)).count
    try frozen.checkWhole(path)
    return count
  }
}
