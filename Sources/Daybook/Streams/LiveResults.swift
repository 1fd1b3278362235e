import DaybookResults
import DaybookStore

/// An asynchronous sequence of the list of a request over all saved records, and of its changes.
/// Any number of `for await` loops can use it.
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
/// Each loop remembers the moment of its last update. The loop's next update contains all changes
/// between that moment and the present. So a slow loop receives one exact difference for several
/// transactions.
///
/// A loop ends when its task is cancelled. A loop also ends if the store is closed, or if the store
/// can no longer follow its journal. The loop first receives all earlier changes. If the store can
/// no longer follow its journal, ``error`` has the reason.
///
/// All loops share one projection, so that each transaction is applied once for all loops.
///
/// The sequence keeps its store open, and so does a task that captures the sequence or the store.
/// An iterator alone keeps the store open only if the store follows another process. A store that
/// writes its own journal closes when its last reference is released. The loops end then, because
/// no transaction can follow.
public final class LiveResults<R: FetchableRecord>: AsyncSequence, Sendable {
  /// One update of a loop.
  public enum Update: Sendable {
    /// The list at the start of the loop.
    case initial(FetchedObjects<R>)
    /// The changes since the last update.
    case difference(ListDifference<R>)
    /// The current list, if the changes since the last update are not available. Either the journal
    /// no longer contains these transactions, or a different journal has replaced it.
    case reset(FetchedObjects<R>)

    /// The list after the update.
    public var objects: FetchedObjects<R> {
      switch self {
      case .initial(let objects), .reset(let objects): objects
      case .difference(let difference): difference.after
      }
    }

    /// The difference since the last update; nil for the first update and for a reset.
    public var difference: ListDifference<R>? {
      if case .difference(let difference) = self { difference } else { nil }
    }

    /// The sections of the list after the update. The index title of a section is the first letter
    /// of its name, as a capital.
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

  /// The reason that the store can no longer follow its journal; nil if it can, or if it was
  /// closed.
  public var error: StoreError? { store.followingError }

  /// Creates an iterator. The iterator's first update is the list, or the changes since the
  /// transaction that the sequence was created with.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      list, batchSize: batchSize, from: start, following: store.isWriter ? nil : store)
  }

  /// One loop over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let list: SharedList
    private let batchSize: Int
    private var position: SubscriberPosition
    /// The store, if another process writes the journal; nil if only this process can save.
    private let followed: Store?

    fileprivate init(
      _ list: SharedList, batchSize: Int, from start: SubscriberPosition, following store: Store?
    ) {
      self.list = list
      self.batchSize = batchSize
      position = start
      followed = store
    }

    /// Waits for the next update, and returns it; nil at the end.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Update? {
      let changes = list.changes
      while !Task.isCancelled {
        let count = changes.count
        let head = list.head
        switch position.step(to: head) {
        case .initial: return .initial(objects(of: head.snapshot))
        case .reset: return .reset(objects(of: head.snapshot))
        case .compare(let last):
          if let script = list.edits(from: last, to: head) {
            return .difference(
              ListDifference(script, batchSize: batchSize, isOfHistory: true))
          }
        case .wait:
          guard await changes.suspendUnlessCancelled(until: count + 1) else {
            // No more states will follow. The loop ends after it has received the last one.
            if Task.isCancelled || list.head.isSame(as: head) { return nil }
            continue
          }
        }
      }
      return nil
    }

    /// Waits for the next update, and returns it; nil at the end.
    public mutating func next() async -> Update? { await next(isolation: nil) }

    private func objects(of snapshot: ResultSnapshot) -> FetchedObjects<R> {
      FetchedObjects(snapshot, batchSize: batchSize)
    }
  }
}

extension Store {
  /// Returns an asynchronous sequence of the list of a request over all saved records, and of its
  /// later changes.
  ///
  /// ```swift
  /// for await update in try store.results(request) { … }
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); each update O(*k* log *n*) in the rows that were touched
  public func results<R: FetchableRecord>(_ request: FetchRequest<R>) throws -> LiveResults<R> {
    try request.checkType(snapshot.frozen, of: path)
    let list = try SharedList(self, request: request)
    return LiveResults(list, store: self, batchSize: request.batchSize, from: .nothing)
  }

  /// Returns an asynchronous sequence of the changes of a list since an earlier transaction, for a
  /// program that already has the list of that transaction.
  ///
  /// The first update is the difference between the list after that transaction and the current
  /// list, if they differ. The first update is a reset if the journal no longer contains the
  /// transactions since then.
  ///
  /// ```swift
  /// for await update in try store.results(request, since: 41) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - sequence: The earlier transaction.
  /// - Throws: `RequestError` for an error in the request; `StoreError` with `unknownType`, or with
  ///   `noSuchMoment` for a transaction that does not exist yet
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

  /// Returns the current list of a request, and a sequence of its later changes.
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
