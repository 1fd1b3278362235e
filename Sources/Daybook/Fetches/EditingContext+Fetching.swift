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

extension EditingContext {
  /// Some values of the records that a request finds, in order, what is unsaved included. It begins
  /// with a boundary, unless a listener asks. No record is read for them.
  ///
  /// ```swift
  /// // The states that have banks, each once.
  /// let states = try context.fetchValues(request, of: [.attribute(\.state)], distinct: true)
  /// ```
  ///
  /// If they are to be distinct, each combination of values comes once, where the first record that
  /// has it would stand; and the request's limit and offset count combinations, not records. Values
  /// are the same as ``AttributeValue`` has it: numbers by their bits, texts in whatever spelling. No
  /// value is one, too.
  ///
  /// A reference to a record that is not there is no value, and stands in no array. The value of an
  /// attribute that had another type when its record was written is converted as the schema has it;
  /// references are not, and have no value then.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request or the attributes, ``StoreError``
  ///   with `unknownType`
  /// - Complexity: O(*n* log *n*)
  public func fetchValues<R: FetchableRecord>(
    _ request: FetchRequest<R>, of attributes: [FetchedAttribute<R>], distinct: Bool = false
  ) throws -> [FetchedValues<R>] {
    processPendingChanges()
    return try request.values(of: attributes, isDistinct: distinct, in: frozen, of: store.path)
  }
}

extension StoreSnapshot {
  /// Some values of the records that a request finds at this moment, in order. No record is read for
  /// them.
  ///
  /// ```swift
  /// let states = try store.snapshot.fetchValues(
  ///   request, of: [.attribute(\.state)], distinct: true)
  /// ```
  ///
  /// If they are to be distinct, each combination of values comes once, as
  /// ``EditingContext/fetchValues(_:of:distinct:)`` says.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request or the attributes, ``StoreError``
  ///   with `unknownType`
  /// - Complexity: O(*n* log *n*)
  public func fetchValues<R: FetchableRecord>(
    _ request: FetchRequest<R>, of attributes: [FetchedAttribute<R>], distinct: Bool = false
  ) throws -> [FetchedValues<R>] {
    try request.values(of: attributes, isDistinct: distinct, in: frozen, of: path)
  }
}

extension FetchRequest {
  fileprivate func values(
    of attributes: [FetchedAttribute<R>], isDistinct: Bool, in frozen: FrozenState, of path: String
  ) throws -> [FetchedValues<R>] {
    try checkType(frozen, of: path)
    let plan = try plan(frozen.catalog)
    let columns = try columns(attributes.map(\.names), in: frozen.catalog)
    let snapshot = Projection(plan, of: frozen, window: window).snapshot
    let values =
      isDistinct
      ? snapshot.distinctValues(in: columns, window: window)
      : snapshot.values(in: columns)
    try frozen.checkWhole(path)
    return values.map { FetchedValues(attributes, values: $0) }
  }
}
