import DaybookResults
import DaybookStore

extension FrozenState {
  /// Returns the records of a type that match a filter. Without a sort key, they are in the order
  /// of their creation.
  func objects<R: Record>(
    _ type: R.Type, where filter: Filter?, sortedBy keys: [RecordSortKey<R>], limit: Int? = nil,
    of path: String
  ) throws -> FetchedObjects<R> {
    let request = try request(type, where: filter, sortedBy: keys, limit: limit, of: path)
    let snapshot = try RequestSearch(request, in: self).snapshot
    try checkWhole(path)
    return FetchedObjects(snapshot, batchSize: request.batchSize)
  }

  /// Returns the number of records of a type that match a filter.
  func count<R: Record>(of type: R.Type, where filter: Filter?, of path: String) throws -> Int {
    try request(type, where: filter, sortedBy: [], limit: nil, of: path).count(in: self, of: path)
  }

  /// Returns the first record of a request; nil if it has none.
  func first<R: FetchableRecord>(_ request: ListRequest<R>, of path: String) throws -> R? {
    var request = request
    request.limit = min(request.limit ?? 1, 1)
    return try request.objects(in: self, of: path).first
  }

  /// Returns a request by the entity's name, because only such a request needs no sort key.
  private func request<R: Record>(
    _ type: R.Type, where filter: Filter?, sortedBy keys: [RecordSortKey<R>], limit: Int?,
    of path: String
  ) throws(StoreError) -> ListRequest<DynamicRecord> {
    guard catalog.types.contains(type) else {
      throw StoreError(.unknownType("\(type)"), path: path)
    }
    return ListRequest(
      entity: R.schema.entity, filter: filter, sortedBy: keys.map(\.key), limit: limit)
  }
}

extension StoreSnapshot {
  /// Returns the records of a type at this moment that match a filter.
  ///
  /// ```swift
  /// let all = try store.snapshot.fetch(Bank.self)
  /// let large = try store.snapshot.fetch(
  ///   Bank.self, where: \Bank.assets > 1_000_000, sortedBy: [.descending(\.assets)])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - filter: The filter that records must match; nil for all records.
  ///   - keys: The sort keys, the most significant first. Without one, the records are in the order
  ///     of their creation.
  /// - Throws: `RequestError` for an error in the filter or the keys, `StoreError` with
  ///   `unknownType`, or with `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetch<R: Record>(
    _ type: R.Type, where filter: Filter? = nil, sortedBy keys: [RecordSortKey<R>] = []
  ) throws -> FetchedObjects<R> {
    try frozen.objects(type, where: filter, sortedBy: keys, of: path)
  }

  /// Returns the first record of a request at this moment; nil if it has none.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func first<R: FetchableRecord>(_ request: ListRequest<R>) throws -> R? {
    try frozen.first(request, of: path)
  }

  /// Returns the first record of a type at this moment that matches a filter; nil if none does.
  ///
  /// ```swift
  /// let largest = try store.snapshot.first(Bank.self, sortedBy: [.descending(\.assets)])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - filter: The filter that the record must match; nil for any record.
  ///   - keys: The sort keys that decide the first record. Without one, it is the record that was
  ///     created first.
  /// - Throws: `RequestError` for an error in the filter or the keys, `StoreError` with
  ///   `unknownType`, or with `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func first<R: Record>(
    _ type: R.Type, where filter: Filter? = nil, sortedBy keys: [RecordSortKey<R>] = []
  ) throws -> R? {
    try frozen.objects(type, where: filter, sortedBy: keys, limit: 1, of: path).first
  }

  /// Returns the number of records of a type at this moment that match a filter.
  ///
  /// ```swift
  /// let count = try store.snapshot.count(of: Bank.self, where: \Bank.state == "CA")
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - filter: The filter that records must match.
  /// - Throws: `RequestError` for an error in the filter, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n*); O(log *n* + *k*) in the rows that an index leads to
  public func count<R: Record>(of type: R.Type, where filter: Filter) throws -> Int {
    try frozen.count(of: type, where: filter, of: path)
  }
}

extension EditingContext {
  /// Returns the records of a type that match a filter, unsaved changes included.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification.
  ///
  /// ```swift
  /// let large = try context.fetch(
  ///   Bank.self, where: \Bank.assets > 1_000_000, sortedBy: [.descending(\.assets)])
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - filter: The filter that records must match; nil for all records.
  ///   - keys: The sort keys, the most significant first. Without one, the records are in the order
  ///     of their creation, unsaved records last.
  /// - Throws: `RequestError` for an error in the filter or the keys, `StoreError` with
  ///   `unknownType`, or with `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetch<R: Record>(
    _ type: R.Type, where filter: Filter? = nil, sortedBy keys: [RecordSortKey<R>] = []
  ) throws -> FetchedObjects<R> {
    processPendingChanges()
    return try frozen.objects(type, where: filter, sortedBy: keys, of: store.path)
  }

  /// Returns the first record of a request, unsaved changes included; nil if it has none.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func first<R: FetchableRecord>(_ request: ListRequest<R>) throws -> R? {
    processPendingChanges()
    return try frozen.first(request, of: store.path)
  }

  /// Returns the first record of a type that matches a filter, unsaved changes included; nil if
  /// none does.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification.
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - filter: The filter that the record must match; nil for any record.
  ///   - keys: The sort keys that decide the first record. Without one, it is the record that was
  ///     created first.
  /// - Throws: `RequestError` for an error in the filter or the keys, `StoreError` with
  ///   `unknownType`, or with `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func first<R: Record>(
    _ type: R.Type, where filter: Filter? = nil, sortedBy keys: [RecordSortKey<R>] = []
  ) throws -> R? {
    processPendingChanges()
    return try frozen.objects(type, where: filter, sortedBy: keys, limit: 1, of: store.path).first
  }

  /// Returns the number of records of a type that match a filter, unsaved changes included.
  ///
  /// The method starts with a boundary, so that the result contains pending changes. There is no
  /// boundary if an observer calls the method during a notification.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - filter: The filter that records must match.
  /// - Throws: `RequestError` for an error in the filter, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n*); O(log *n* + *k*) in the rows that an index leads to
  public func count<R: Record>(of type: R.Type, where filter: Filter) throws -> Int {
    processPendingChanges()
    return try frozen.count(of: type, where: filter, of: store.path)
  }
}
