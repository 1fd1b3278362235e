import DaybookResults
import DaybookStore
import Observation

/// The list of a request over all saved records, for views that observe it.
///
/// ```swift
/// let banks = try ObservedList(request, in: store)
/// withObservationTracking {
///   show(banks.objects.map(\.name))
/// } onChange: {
///   …   // called once, before the records change
/// }
/// ```
///
/// The list follows the store on the main actor. Each update is one exact difference for all
/// transactions since the last update, and changes ``objects``, ``sections`` and ``difference``
/// together. The list stops following when the program releases it.
///
/// The list keeps a store open if the store follows another process. The list does not keep a store
/// open that writes its own journal. Such a store closes with its last reference, and the list then
/// shows the last state.
///
/// For other actors, or to receive every difference, use the stream of `Store.results(_:)`, on
/// which this class is based.
@MainActor @Observable
public final class ObservedList<R: FetchableRecord> {
  /// The records, in order.
  public private(set) var objects: FetchedObjects<R>
  /// The last difference; nil at first, and after an update without a difference.
  public private(set) var difference: ListDifference<R>?
  /// A Boolean value that indicates whether the list follows the store. The value is false after
  /// the store was closed, or if the store can no longer follow its journal. The list then stays as
  /// it is.
  public private(set) var isCurrent = true
  /// The reason that the list no longer follows the store; nil while the list follows it, or if the
  /// store was closed.
  public private(set) var error: StoreError?

  /// The shared list does not keep the store open.
  private nonisolated let list: SharedList
  @ObservationIgnored private var following: Task<Void, Never>?

  /// Creates a list that shows the current records.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - store: The store.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); each change O(*k* log *n*) in the rows that were touched
  public init(_ request: ListRequest<R>, in store: Store) throws {
    list = try SharedList(store, request: request)
    let head = list.head
    objects = FetchedObjects(head.snapshot, batchSize: head.batchSize)
    let updates = LiveResults<R>(list, store: store, from: .at(head)).makeAsyncIterator()
    following = Task { [weak self, weak store] in
      var updates = updates
      while let update = await updates.next(isolation: MainActor.shared) { self?.apply(update) }
      self?.end(store?.followingError)
    }
  }

  deinit { following?.cancel() }

  /// Replaces the request, for example while a user types into a search field.
  ///
  /// The list changes with its next update, which is one exact difference between the shown list
  /// and the list of the new request. The difference includes the transactions since the last
  /// update.
  ///
  /// The method computes the list on the calling thread. A program with a large list can call it
  /// from a task that is not on the main actor. If calls overlap, the last call determines the
  /// request.
  ///
  /// ```swift
  /// TextField("Search", text: $text)
  ///   .task(id: text) { try? banks.refetch(with: request(matching: text)) }
  /// ```
  ///
  /// - Parameter request: The new request.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged. After an error the list keeps its request.
  /// - Complexity: O(*n* log *n*)
  public nonisolated func refetch(with request: ListRequest<R>) throws {
    try list.refetch(with: request)
  }

  /// The sections, in order. The index title of a section is the first letter of its name, as a
  /// capital.
  public var sections: FetchedSections<R> { FetchedSections(objects) }

  private func apply(_ update: LiveResults<R>.Update) {
    switch update {
    case .initial(let objects), .reset(let objects): (self.objects, difference) = (objects, nil)
    case .difference(let difference):
      (objects, self.difference) = (difference.after, difference)
    }
  }

  private func end(_ error: StoreError?) { (isCurrent, self.error) = (false, error) }
}
