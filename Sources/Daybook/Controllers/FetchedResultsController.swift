import DaybookJournal
import DaybookPlatform
import DaybookResults
import DaybookStore
import DaybookEssentials

/// A controller that shows the records of a request in order and in sections, and notifies a
/// delegate of changes.
///
/// ```swift
/// let controller = FetchedResultsController(
///   fetchRequest: FetchRequest<Bank>(
///     filter: \Bank.state != "PR", sortedBy: [.ascending(\Bank.name)],
///     sectionedBy: .by(\Bank.state)),
///   context: store.viewContext)
/// controller.delegate = list
/// try controller.performFetch()
/// ```
///
/// The list is that of the context after its last boundary, and includes unsaved changes. It
/// changes at boundaries only, in `EditingContext.processPendingChanges()`; the controller
/// notifies the delegate there. A save without pending changes does not change the list.
///
/// A controller without a delegate shows the list that it fetched; see
/// ``FetchedResultsControllerDelegate``. If a delegate is set later, the controller notifies it of
/// all changes since the fetch at the next boundary.
///
/// A delegate may change records while it is notified. These changes are pending, and the
/// controller notifies the
/// delegate of them at the next boundary. A delegate cannot fetch while it is notified.
///
/// When the context is reset, or another journal replaces the one that was read, the list stays as
/// it is. The controller notifies no delegate until the next fetch.
///
/// A controller belongs to the same actor as its context.
public final class FetchedResultsController<R: Record> {
  /// The request of the list. It changes with ``refetch(with:)`` only.
  public private(set) var fetchRequest: FetchRequest<R>
  /// The context whose records the controller shows.
  public let context: EditingContext
  /// The delegate that the controller notifies of changes.
  public weak var delegate: (any FetchedResultsControllerDelegate<R>)? {
    didSet { adoptDelegate() }
  }
  /// The order of the calls for sections and rows.
  public var callbackOrder = CallbackOrder.observed
  /// A Boolean value that indicates whether moves into inserted sections or out of deleted sections
  /// are reported as a
  /// deletion and an insertion. Some views cannot perform such moves in one batch.
  public var isBatchSafe = false
  /// A closure that returns the index title of the section with a name; nil for no title. It is
  /// called unless the delegate returns titles.
  public var indexTitleOfSection: ((String) -> String?)?

  private let cache: ListCache?
  private weak var differenceDelegate: (any FetchedResultsDifferenceDelegate<R>)?
  private weak var snapshotDelegate: (any FetchedResultsSnapshotDelegate<R>)?
  private var projection: Projection?
  private var token: ObservationToken?
  /// The changes that the controller observes; nil for all.
  private var interest: NarrowInterest?
  /// A Boolean value that indicates whether the projection may have missed boundaries.
  private var hasMissed = false

  /// Creates a controller that has not fetched yet.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request of the list.
  ///   - context: The context whose records are shown.
  ///   - cacheName: The name under which the sort order and the sections are stored beside the
  ///     journal, so that the next launch does not compute them again; nil for no cache. Give
  ///     different lists different names: a controller that finds the cache of another list
  ///     computes its list and replaces the cache.
  public init(
    fetchRequest: FetchRequest<R>, context: EditingContext, cacheName: String? = nil
  ) {
    self.fetchRequest = fetchRequest
    self.context = context
    cache = cacheName.map { ListCache($0, of: context.store) }
  }

  /// The name of the cache; nil if there is none.
  public var cacheName: String? { cache?.name }

  /// The use of the cache by the last fetch, and the writes to it since; nil without a cache, and
  /// before the first fetch.
  public var cacheStatistics: CacheStatistics? { cache?.statistics }

  /// The key path of the sections' attribute; nil if there is one section, or if a closure makes
  /// the sections.
  public var sectionNameKeyPath: String? {
    fetchRequest.sectioning.flatMap { $0.names.isEmpty ? nil : $0.names.joined(separator: ".") }
  }

  // MARK: Fetching

  /// Computes the list. It starts with a boundary and does not notify the delegate.
  ///
  /// - Throws: `RequestError` for an error in the request; `StoreError` with `unknownType`, or
  ///   with `duringDelivery` if it is called while a delegate is notified
  /// - Complexity: O(*n* log *n*)
  public func performFetch() throws {
    let projection = try makeProjection(fetchRequest)
    self.projection = projection
    show(projection.snapshot)
    follow()
  }

  /// Replaces the request, and notifies the delegate of the difference. It starts with a boundary.
  ///
  /// If only the limit and the offset differ, the sorted rows are reused. Otherwise the list is
  /// computed again.
  ///
  /// - Parameter request: The new request.
  /// - Returns: The difference; nil if the list is the same, before the first fetch, and if another
  ///   journal has replaced the one that the list was read from.
  /// - Throws: The errors of ``performFetch()``. The request is not replaced then.
  /// - Complexity: O(*n* log *n*); if only the window differs, O(*k* log *n*) in the rows that
  ///   enter or leave it
  @discardableResult
  public func refetch(with request: FetchRequest<R>) throws -> ListDifference<R>? {
    var moved = fetchRequest
    (moved.limit, moved.offset, moved.batchSize) = (
      request.limit, request.offset, request.batchSize
    )
    try context.checkDelivery()
    context.processPendingChanges()
    if moved == request, let projection, token != nil, !hasMissed {
      fetchRequest = request
      guard let script = projection.move(to: request.window) else {
        // Its batches may be of another size.
        show(projection.snapshot)
        return nil
      }
      return deliver(script)
    }
    let next = try makeProjection(request)
    fetchRequest = request
    projection = next
    follow()
    guard let shown = fetchedObjects?.snapshot,
      shown.state.isOfSameStore(as: next.snapshot.state)
    else {
      show(next.snapshot)
      return nil
    }
    let script = EditScript(from: shown, to: next.snapshot)
    return script.isEmpty ? nil : deliver(script)
  }

  /// Notifies the delegate of edits that no boundary made.
  private func deliver(_ script: EditScript) -> ListDifference<R> {
    let difference = apply(script)
    context.deliver { notify(difference) }
    return difference
  }

  private func makeProjection(_ request: FetchRequest<R>) throws -> Projection {
    try context.checkDelivery()
    context.processPendingChanges()
    guard let cache else {
      return try request.projection(over: context.frozen, of: context.store.path)
    }
    try request.checkType(context.frozen, of: context.store.path)
    let plan = try request.plan(context.frozen.catalog)
    let projection = cache.projection(request, plan: plan, over: context.base)
    // The cache contains saved records only.
    _ = projection.fold(to: context.frozen)
    try context.base.checkWhole(context.store.path)
    return projection
  }

  // MARK: What is shown

  /// The records of the list, in order; nil before the first fetch.
  public private(set) var fetchedObjects: FetchedObjects<R>?

  private func show(_ snapshot: ResultSnapshot) {
    fetchedObjects = FetchedObjects(snapshot, batchSize: fetchRequest.batchSize)
  }

  /// Returns the record at an index path, as it was after the last boundary.
  ///
  /// - Parameter indexPath: The index path.
  /// - Complexity: O(log *n*)
  public func object(at indexPath: IndexPath) -> R {
    guard let shown = fetchedObjects else {
      Misuse.stop(
        """
        object(at:) was called before performFetch() of a controller of \(R.self), which shows nothing \
        yet. Its context is \(context.origin). Call performFetch() first; fetchedObjects is nil until then.
        """)
    }
    return shown.record(at: indexPath)
  }

  /// Returns the index path of a record; nil if the list does not contain it.
  ///
  /// - Parameter object: The record, or an earlier value of it.
  /// - Complexity: O(log *n*)
  public func indexPath(forObject object: R) -> IndexPath? { indexPath(forID: object.id) }

  /// Returns the index path of the record with an identifier; nil if the list does not contain it.
  ///
  /// - Parameter id: The identifier.
  /// - Complexity: O(log *n*)
  public func indexPath(forID id: R.ID) -> IndexPath? {
    fetchedObjects?.snapshot.path(of: id.recordIdentifier).map { IndexPath($0) }
  }

  /// The sections, in order; nil before the first fetch.
  ///
  /// - Complexity: O(1); O(log *n*) for each access to a section
  public var sections: FetchedSections<R>? {
    fetchedObjects.map { shown in
      FetchedSections(shown) { [self] in sectionIndexTitle(forSectionName: $0) }
    }
  }

  /// The list as section and record identifiers; nil before the first fetch.
  public var snapshot: ListSnapshot<R>? { fetchedObjects.map { ListSnapshot($0) } }

  // MARK: Following

  private func adoptDelegate() {
    differenceDelegate = delegate as? any FetchedResultsDifferenceDelegate<R>
    snapshotDelegate = delegate as? any FetchedResultsSnapshotDelegate<R>
    if token == nil, projection != nil {
      hasMissed = true
      observe()
    }
    if delegate == nil { stop() }
  }

  private func follow() {
    hasMissed = false
    if delegate != nil { observe() }
  }

  /// Observes the changes that can affect the list, unless it does already.
  private func observe() {
    // A cache must be current after every boundary, also after those that do not affect the list.
    let interest = cache == nil ? projection?.plan.interest : nil
    if token != nil, interest == self.interest { return }
    self.interest = interest
    // A delegate may release the controller while it is notified.
    token = context.observe(matching: interest) { [weak self] event in
      self?.receive(event)
    } onNewBase: { [weak self] in
      self?.updateBase()
    }
  }

  /// Applies the creation numbers that a save has assigned. Without them a later boundary would
  /// report the saved records as moved.
  private func updateBase() {
    guard delegate != nil, !hasMissed, let projection, projection.plan.fits(context.frozen.catalog)
    else {
      return
    }
    if let script = projection.fold(to: context.frozen) { notify(apply(script)) }
    updateCache()
  }

  /// Offers the list to its cache, if it contains no unsaved changes.
  private func updateCache() {
    guard let cache, let projection else { return }
    cache.store(projection.snapshot, over: context.base)
  }

  private func stop() {
    token = nil
    hasMissed = true
  }

  private func receive(_ event: ContextEvent) {
    guard token != nil else { return }
    // The delegate may have been released.
    guard delegate != nil, let projection else { return stop() }
    switch event {
    case .reset:
      // The list stays as it is; the next fetch computes it again.
      self.projection = nil
      stop()
    case .transaction(let transaction):
      if let script = follow(projection, to: context.frozen, after: transaction) {
        notify(apply(script))
      }
      updateCache()
    }
  }

  /// Updates the list to another state, and returns the edits; nil if the list is the same.
  private func follow(
    _ projection: Projection, to frozen: FrozenState, after transaction: StoreTransaction
  ) -> EditScript? {
    defer { hasMissed = false }
    guard projection.plan.fits(frozen.catalog) else {
      return replan(projection, for: frozen, causes: [DifferenceCause(transaction)])
    }
    if hasMissed { return projection.fold(to: frozen) }
    return projection.fold(transaction, to: frozen, mayHaveSkipped: interest != nil)
  }

  /// Computes the list again after the schema has grown, as the plan does not know the new layouts.
  private func replan(
    _ projection: Projection, for frozen: FrozenState, causes: [DifferenceCause]
  ) -> EditScript? {
    let request = fetchRequest
    guard let plan = try? request.plan(frozen.catalog) else {
      preconditionFailure("\(request) does not fit a schema any more that has only grown")
    }
    let next = Projection(plan, of: frozen, window: request.window)
    self.projection = next
    observe()
    var script = EditScript(from: projection.snapshot, to: next.snapshot)
    script.causes = causes
    return script.isEmpty ? nil : script
  }

  /// Shows the list after some edits, and returns the difference.
  private func apply(_ script: EditScript) -> ListDifference<R> {
    let before = fetchedObjects
    show(script.after)
    guard let before, let after = fetchedObjects else {
      preconditionFailure("a difference from what was never shown")
    }
    return ListDifference(script, before: before, after: after)
  }

  private func notify(_ difference: ListDifference<R>) {
    if let delegate = snapshotDelegate {
      return delegate.controller(self, didChangeContentWith: ListSnapshot(after: difference))
    }
    let difference = isBatchSafe ? difference.batchSafe : difference
    if let delegate = differenceDelegate {
      delegate.controller(self, didChangeContentWith: difference)
    } else if let delegate {
      ChangeCalls(self, difference: difference, order: callbackOrder).make(to: delegate)
    }
  }
}
