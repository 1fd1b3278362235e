import DaybookJournal
import DaybookResults
import DaybookStore

/// An asynchronous sequence of updates of a live list. The list is the result of a request over all
/// saved records. Any number of `for await` loops can use it.
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
/// can no longer follow its journal. Before a loop ends for one of these two reasons, it receives
/// all changes up to the end. If the store can no longer follow its journal, ``error`` has the
/// reason.
///
/// All loops share one projection, so that each transaction is applied once for all loops.
/// ``refetch(with:)`` replaces the request of all loops.
///
/// The sequence keeps its store open, and so does a task that captures the sequence or the store.
/// An iterator alone keeps the store open only if the store does not write its journal. A store
/// that writes its own journal closes when its last reference is released. The loops end then,
/// because the store can save no more transactions.
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

    /// The last transaction that the list contains. A program that stores the number can continue
    /// later: `Store.results(_:since:)` then starts with the changes since that transaction.
    public var sequence: SequenceNumber { objects.snapshot.state.sequence }

    /// The difference since the last update; nil for the list at the start of a loop and for a
    /// reset.
    public var difference: ListDifference<R>? {
      if case .difference(let difference) = self { difference } else { nil }
    }

    /// The sections of the list after the update. The index title of a section is the first letter
    /// of its name, as a capital.
    public var sections: FetchedSections<R> { FetchedSections(objects) }
  }

  private let list: SharedList
  private let store: Store
  private let start: SubscriberPosition

  init(_ list: SharedList, store: Store, from start: SubscriberPosition) {
    self.list = list
    self.store = store
    self.start = start
  }

  /// The reason that the store can no longer follow its journal; nil if it can, or if it was
  /// closed.
  public var error: StoreError? { store.followingError }

  /// Creates an iterator. The iterator's first update is the list, a reset, or the changes since
  /// the transaction that the sequence was created with.
  public func makeAsyncIterator() -> Iterator {
    Iterator(list, from: start, following: store.isWriter ? nil : store)
  }

  // MARK: Requests

  /// Replaces the request of the sequence, for example while a user types into a search field.
  ///
  /// ```swift
  /// let results = try store.results(request)
  /// search.onChange { text in
  ///   var request = request
  ///   request.filter = Filter.at(\Bank.name).contains(text)
  ///   try results.refetch(with: request)
  /// }
  /// for await update in results { … }
  /// ```
  ///
  /// The next update of each loop is one exact difference between the list that the loop received
  /// last and the list of the new request. The difference also contains the changes that were saved
  /// after the loop received that list.
  ///
  /// The method computes the list on the calling thread. Any thread can call it. If calls overlap,
  /// the call that started last determines the request.
  ///
  /// - Parameter request: The new request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged. After an error the sequence keeps its request.
  /// - Complexity: O(*n* log *n*)
  public func refetch(with request: ListRequest<R>) throws { try list.refetch(with: request) }

  // MARK: Actors

  /// Calls a closure on an actor with each update.
  ///
  /// ```swift
  /// actor BankIndex {
  ///   private var names: [String] = []
  ///
  ///   func follow(_ store: Store) throws {
  ///     try store.results(request).forEach(on: self) { index, update in
  ///       index.names = update.objects.map(\.name)
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The next update waits until the closure returns. A slow closure receives one exact difference
  /// for several transactions.
  ///
  /// The calls end for the same reasons as a loop over the sequence. They also end when the
  /// returned task is cancelled, and when the actor is released: the calls do not keep the actor
  /// alive. If the store writes its own journal, the calls do not keep it open.
  ///
  /// - Parameters:
  ///   - subscriber: The actor.
  ///   - receive: The closure, which is isolated to the actor.
  /// - Returns: The task that makes the calls.
  @discardableResult
  public func forEach<Subscriber: Actor>(
    on subscriber: Subscriber,
    _ receive: @escaping @Sendable (isolated Subscriber, Update) async -> Void
  ) -> Task<Void, Never> {
    let updates = makeAsyncIterator()
    return Task { [weak subscriber] in
      var updates = updates
      while let update = await updates.next(), let subscriber { await receive(subscriber, update) }
    }
  }

  /// One loop over the updates.
  public struct Iterator: AsyncIteratorProtocol {
    private let list: SharedList
    private var position: SubscriberPosition
    /// The store, if it does not write its journal; nil if it does.
    private let followed: Store?

    fileprivate init(
      _ list: SharedList, from start: SubscriberPosition, following store: Store?
    ) {
      self.list = list
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
        case .initial: return .initial(objects(of: head))
        case .reset: return .reset(objects(of: head))
        case .compare(let last):
          if let script = list.edits(from: last, to: head) {
            return .difference(
              ListDifference(script, batchSize: head.batchSize, isOfHistory: true))
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

    private func objects(of moment: ListMoment) -> FetchedObjects<R> {
      FetchedObjects(moment.snapshot, batchSize: moment.batchSize)
    }
  }
}

extension Store {
  /// Returns an asynchronous sequence of updates of a live list. The list is the result of a
  /// request over all saved records.
  ///
  /// ```swift
  /// for await update in try store.results(request) { … }
  /// ```
  ///
  /// - Parameter request: The request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*) in the *n* matching rows; each update O(*k* log *n*) in the *k*
  ///   rows that changed
  public func results<R: FetchableRecord>(_ request: ListRequest<R>) throws -> LiveResults<R> {
    LiveResults(try SharedList(self, request: request), store: self, from: .nothing)
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
  /// - Throws: `RequestError` for an error in the request; `StoreError` with `unknownType`, with
  ///   `journal` if a stored record is damaged, or with `noSuchMoment` for a transaction that does
  ///   not exist yet
  /// - Complexity: O(*n* log *n*); each update O(*k* log *n*) in the *k* rows that changed
  public func results<R: FetchableRecord>(
    _ request: ListRequest<R>, since sequence: SequenceNumber
  ) throws -> LiveResults<R> {
    let list = try SharedList(self, request: request)
    let start =
      try list.moment(after: sequence, of: self).map { SubscriberPosition.at($0) } ?? .tooOld
    return LiveResults(list, store: self, from: start)
  }

}
