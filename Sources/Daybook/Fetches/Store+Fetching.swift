import DaybookResults
import DaybookStore

// The methods of a store return saved records. Two calls may read two different states. For several
// results of one state, a program takes a snapshot and calls its methods.

extension Store {
  /// Returns the saved records of a request, in order.
  ///
  /// ```swift
  /// for bank in try store.fetch(request) { print(bank.name) }
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func fetch<R: FetchableRecord>(_ request: ListRequest<R>) throws -> FetchedObjects<R> {
    try snapshot.fetch(request)
  }

  /// Returns the saved records of a type that match a filter.
  ///
  /// ```swift
  /// let all = try store.fetch(Bank.self)
  /// let large = try store.fetch(
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
    try snapshot.fetch(type, where: filter, sortedBy: keys)
  }

  /// Returns the first saved record of a request; nil if it has none.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func first<R: FetchableRecord>(_ request: ListRequest<R>) throws -> R? {
    try snapshot.first(request)
  }

  /// Returns the first saved record of a type that matches a filter; nil if none does.
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
    try snapshot.first(type, where: filter, sortedBy: keys)
  }

  /// Returns the way in which a fetch of a request finds its records.
  ///
  /// ```swift
  /// print(try store.plan(for: request))
  /// // index project, created of Issue: equality on project; 20 of 120 rows, in order
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`
  /// - Complexity: O(log *n*). The first use of an index builds it in O(*n* log *n*). The method
  ///   throws `StoreError` with `journal` if a stored record is damaged.
  public func plan<R: FetchableRecord>(for request: ListRequest<R>) throws -> FetchPlan {
    try snapshot.plan(for: request)
  }

  /// Returns the number of saved records of a request, within its limit and offset.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n*); O(log *n* + *k*) in the rows that an index leads to
  public func count<R: FetchableRecord>(for request: ListRequest<R>) throws -> Int {
    try snapshot.count(for: request)
  }

  /// Returns the number of saved records of a type that match a filter.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - filter: The filter that records must match.
  /// - Throws: `RequestError` for an error in the filter, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n*); O(log *n* + *k*) in the rows that an index leads to
  public func count<R: Record>(of type: R.Type, where filter: Filter) throws -> Int {
    try snapshot.count(of: type, where: filter)
  }

  /// Returns the sections of the saved records of a request, in order.
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); O(log *n* + *k* log *k*) in the rows that an index leads to
  public func sections<R: FetchableRecord>(
    _ request: ListRequest<R>
  ) throws -> FetchedSections<R> {
    try snapshot.sections(request)
  }
}
