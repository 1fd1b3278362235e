import DaybookResults
import DaybookStore

extension Store {
  /// What a request finds among everything saved, now and from now on.
  ///
  /// ```swift
  /// for await update in try store.results(request) { … }
  /// ```
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n* log *n*); each update O(*k* log *n*) in the rows that were touched
  public func results<R: FetchableRecord>(_ request: FetchRequest<R>) throws -> LiveResults<R> {
    try request.checkType(snapshot.frozen, of: path)
    let list = try SharedList(self, request: request)
    return LiveResults(list, store: self, batchSize: request.batchSize, from: .nothing)
  }

  /// What has happened to what a request finds since an earlier transaction, and what happens from now
  /// on: for whoever knows the list as it was then.
  ///
  /// The first update is the difference between that moment and the present, if there is any; or a
  /// reset, if history does not go back so far.
  ///
  /// ```swift
  /// for await update in try store.results(request, since: 41) { … }
  /// ```
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`,
  ///   or with `noSuchMoment` for a transaction that there is not yet
  /// - Complexity: O(*n* log *n*); each update O(*k* log *n*) in the rows that were touched
  public func results<R: FetchableRecord>(
    _ request: FetchRequest<R>, since sequence: SequenceNumber
  ) throws -> LiveResults<R> {
    try request.checkType(snapshot.frozen, of: path)
    let list = try SharedList(self, request: request)
    let start =
      try list.moment(after: sequence, of: self).map { SubscriberPosition.at($0) } ?? .tooOld
    return LiveResults(list, store: self, batchSize: request.batchSize, from: start)
  }

  /// What a request finds now, and what happens to that from now on.
  func resultsBehindNow<R: FetchableRecord>(
    _ request: FetchRequest<R>
  ) throws -> (objects: FetchedObjects<R>, results: LiveResults<R>) {
    try request.checkType(snapshot.frozen, of: path)
    let list = try SharedList(self, request: request)
    let head = list.head
    return (
      FetchedObjects(head.snapshot, batchSize: request.batchSize),
      LiveResults(list, store: self, batchSize: request.batchSize, from: .at(head))
    )
  }
}
