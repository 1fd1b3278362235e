import DaybookResults
import DaybookStore
import Observation

/// The list of a request over all saved records, for views that observe it.
///
/// ```swift
/// let banks = try ObservedResults(request, in: store)
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
public final class ObservedResults<R: FetchableRecord> {
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

  @ObservationIgnored private var following: Task<Void, Never>?

  /// Creates a list that shows the current records.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - store: The store.
  /// - Throws: `RequestError` for an error in the request, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n* log *n*); each change O(*k* log *n*) in the rows that were touched
  public init(_ request: FetchRequest<R>, in store: Store) throws {
    let (objects, results) = try store.resultsBehindNow(request)
    self.objects = objects
    let updates = results.makeAsyncIterator()
    following = Task { [weak self, weak store] in
      var updates = updates
      while let update = await updates.next(isolation: MainActor.shared) { self?.apply(update) }
      self?.end(store?.followingError)
    }
  }

  deinit { following?.cancel() }

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
