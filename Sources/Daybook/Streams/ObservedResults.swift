import DaybookResults
import DaybookStore
import Observation

/// Shows what a request finds among everything saved, for views that observe it.
///
/// ```swift
/// let banks = try ObservedResults(request, in: store)
/// withObservationTracking {
///   show(banks.objects.map(\.name))
/// } onChange: {
///   …   // once, before they change
/// }
/// ```
///
/// It goes with the store by itself: whenever the main actor comes to it, it takes one exact difference
/// for all that was saved meanwhile, and ``objects``, ``sections`` and ``difference`` change together. It
/// stops when it is released. It keeps a store alive that follows the journal of another process; of a store
/// that writes its journal itself, and that nobody holds any more, it shows the end.
///
/// Who is not on the main actor, or wants to know of every difference, takes the stream of
/// ``Store/results(_:)``, which this is made of.
@MainActor @Observable
public final class ObservedResults<R: FetchableRecord> {
  /// The records, in order.
  public private(set) var objects: FetchedObjects<R>
  /// What happened last; nil at first, and where it cannot be said.
  public private(set) var difference: ListDifference<R>?
  /// Whether it goes with the store. It does not any more when that has been closed, or cannot follow its
  /// journal; what it shows then stays.
  public private(set) var isCurrent = true
  /// Why it does not go with the store any more; nil while it does, and when the store was closed.
  public private(set) var error: StoreError?

  @ObservationIgnored private var following: Task<Void, Never>?

  /// A list that shows what there is now.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`
  /// - Complexity: O(*n* log *n*); each change O(*k* log *n*) in the rows that were touched
  public init(_ request: FetchRequest<R>, in store: Store) throws {
    let (objects, results) = try store.resultsBehindNow(request)
    self.objects = objects
    let updates = results.makeAsyncIterator()
    following = Task { [weak self, weak store] in
      var updates = updates
      while let update = await updates.next(isolation: MainActor.shared) { self?.take(update) }
      self?.end(store?.followingError)
    }
  }

  deinit { following?.cancel() }

  /// The sections, in order. In the index stands the first letter of a section's name, as a capital.
  public var sections: FetchedSections<R> { FetchedSections(objects) }

  private func take(_ update: LiveResults<R>.Update) {
    switch update {
    case .initial(let objects), .reset(let objects): (self.objects, difference) = (objects, nil)
    case .difference(let difference):
      (objects, self.difference) = (difference.after, difference)
    }
  }

  private func end(_ error: StoreError?) { (isCurrent, self.error) = (false, error) }
}
