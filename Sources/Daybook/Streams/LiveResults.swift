import DaybookResults
import DaybookStore

/// What a request finds among everything saved, and whatever becomes of it: for any number of loops,
/// each at its own pace.
///
/// ```swift
/// for await update in try store.results(request) {
///   switch update {
///   case .initial(let objects), .reset(let objects): show(objects)
///   case .difference(let difference): apply(difference)
///   }
/// }
/// ```
///
/// Each loop knows the moment that it was told of last, and the next update leads from there to the
/// present: whoever is slow gets one exact difference for all that happened meanwhile. A loop is over
/// when its task is cancelled, or when the store is closed, or cannot follow its journal any more, and
/// it has been told everything; ``error`` then says why.
///
/// The list is kept once, however many loops there are.
///
/// The sequence keeps its store alive, as does a task that captures either. A loop does so by itself only where the
/// store follows the journal of another process: once nobody holds the store of a journal that it writes itself,
/// nothing more can be saved, and the loop ends.
public final class LiveResults<R: FetchableRecord>: AsyncSequence, Sendable {
  /// What a loop is told.
  public enum Update: Sendable {
    /// What the request finds at first.
    case initial(FetchedObjects<R>)
    /// What has happened since the last update.
    case difference(ListDifference<R>)
    /// What the request finds now, where it cannot be said what has happened since: history does not
    /// go back so far, or another journal has taken the place of the one that was read.
    case reset(FetchedObjects<R>)

    /// What the request finds now, whichever it is.
    public var objects: FetchedObjects<R> {
      switch self {
      case .initial(let objects), .reset(let objects): objects
      case .difference(let difference): difference.after
      }
    }

    /// The difference since the last update; nil for the first update and for a reset, which carry none.
    public var difference: ListDifference<R>? {
      if case .difference(let difference) = self { difference } else { nil }
    }

    /// The same in its sections. In the index stands the first letter of a section's name, as a capital.
    public var sections: FetchedSections<R> { FetchedSections(objects) }
  }

  private let list: SharedList
  private let store: Store
  private let batchSize: Int
  private let start: SubscriberPosition

  init(
    _ list: SharedList, store: Store, batchSize: Int, from start: SubscriberPosition
  ) {
    self.list = list
    self.store = store
    self.batchSize = batchSize
    self.start = start
  }

  /// Why the store cannot follow its journal any more, which ends all loops; nil if it can, or was closed.
  public var error: StoreError? { store.followingError }

  /// A loop that begins where the sequence does.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      list, batchSize: batchSize, from: start, following: store.isWriter ? nil : store)
  }

  /// One loop over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let list: SharedList
    private let batchSize: Int
    private var position: SubscriberPosition
    /// The store, if another process writes the journal; nil if only holders of the store can save, and the
    /// loop ends without them.
    private let followed: Store?

    fileprivate init(
      _ list: SharedList, batchSize: Int, from start: SubscriberPosition, following store: Store?
    ) {
      self.list = list
      self.batchSize = batchSize
      position = start
      followed = store
    }

    /// The next update, as soon as there is one; nil when the loop is over.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Update? {
      let changes = list.changes
      while !Task.isCancelled {
        let count = changes.count
        let head = list.head
        switch position.step(to: head) {
        case .begin: return .initial(objects(of: head.snapshot))
        case .beginAnew: return .reset(objects(of: head.snapshot))
        case .compare(let last):
          if let script = list.edits(from: last, to: head) {
            return .difference(
              ListDifference(script, batchSize: batchSize, isOfHistory: true))
          }
        case .wait:
          guard await changes.suspendUnlessCancelled(until: count + 1) else {
            // What was saved before the end is told.
            if Task.isCancelled || list.head.isSame(as: head) { return nil }
            continue
          }
        }
      }
      return nil
    }

    /// The next update, as soon as there is one; nil when the loop is over.
    public mutating func next() async -> Update? { await next(isolation: nil) }

    private func objects(of snapshot: ResultSnapshot) -> FetchedObjects<R> {
      FetchedObjects(snapshot, batchSize: batchSize)
    }
  }
}

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
