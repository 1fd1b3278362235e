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
///   fetchRequest: ListRequest<Bank>(
///     filter: \Bank.state != "PR", sortedBy: [.ascending(\Bank.name)],
///     sectionedBy: .by(\Bank.state)),
///   context: store.viewContext)
/// controller.delegate = list
/// try controller.performFetch()
/// ```
///
/// The list contains the records that the context shows, unsaved changes included. The list changes
/// at *boundaries* of the context only. A boundary makes pending changes visible, or merges the
/// changes of other writers; `EditingContext.processPendingChanges()` makes one. At each boundary
/// that changes the list, the controller notifies the delegate. A save of changes that are already
/// visible does not change the list. But the end of a save also merges the changes of other
/// writers, which can change it.
///
/// A controller without a delegate does not track changes, as in Core Data: it shows the list that
/// it fetched, unless ``tracksChanges`` is true. If the program sets a delegate later, the
/// controller first does nothing. At the next boundary it notifies the delegate of all changes
/// since the fetch.
///
/// A delegate may change records while it is notified. These changes are pending, and the
/// controller notifies the delegate of them at the next boundary. While it is notified, a delegate
/// cannot call ``performFetch()`` or ``refetch(with:)``.
///
/// When the context is reset, or when a different journal replaces the journal of the store, the
/// list stays as it is. After that the controller does not notify its delegate until the next
/// fetch.
///
/// A controller belongs to the same actor as its context.
public final class FetchedResultsController<R: Record> {
  /// The request of the list. Only ``refetch(with:)`` changes it.
  public private(set) var fetchRequest: ListRequest<R>
  /// The context of the records that the controller shows.
  public let context: EditingContext
  /// The delegate that the controller notifies of changes. Without a delegate, the list does not
  /// change; see ``tracksChanges``.
  public weak var delegate: (any FetchedResultsControllerDelegate<R>)? {
    didSet { adoptDelegate() }
  }
  /// A Boolean value that indicates whether the list changes at boundaries without a delegate too.
  ///
  /// The default is false: without a delegate, the list stays as it was fetched. If the value
  /// becomes true after a fetch, the next boundary applies all changes since the fetch.
  public var tracksChanges = false {
    didSet { updateTracking() }
  }
  /// The order of the calls for sections and rows.
  public var callbackOrder = CallbackOrder.observed
  /// A Boolean value that indicates whether moves into inserted sections or out of deleted sections
  /// are reported as a deletion and an insertion. Some views cannot perform such moves in one
  /// batch.
  public var isBatchSafe = false
  /// A closure that returns the index title of the section with a name; nil for no title. The
  /// controller does not call the closure if the delegate implements
  /// `controller(_:sectionIndexTitleForSectionName:)`.
  public var indexTitleOfSection: ((String) -> String?)?
  /// A closure that returns the whole index for the titles of the sections, each of which it gets
  /// once. Without the closure, the index has these titles.
  ///
  /// ```swift
  /// controller.indexOfTitles = { _ in "ABCDEFGHIJKLMNOPQRSTUVWXYZ".map { String($0) } }
  /// ```
  public var indexOfTitles: (([String]) -> [String])?

  private let cache: ListCache?
  private weak var differenceDelegate: (any FetchedResultsDifferenceDelegate<R>)?
  private weak var snapshotDelegate: (any FetchedResultsSnapshotDelegate<R>)?
  private var projection: Projection?
  private var token: ObservationToken?
  /// The changes that the controller observes; nil for all changes. The context does not notify the
  /// controller of boundaries without such changes.
  private var interest: NarrowInterest?
  /// A Boolean value that indicates whether the projection may have missed boundaries. The next
  /// update then compares two states, because one transaction does not contain all changes.
  private var hasMissed = false
  #if DEBUG
    /// The observation of the first boundary after a fetch without tracking.
    private var untrackedToken: ObservationToken?
  #endif

  /// A Boolean value that indicates whether boundaries change the list.
  var isTracking: Bool { tracksChanges || delegate != nil }

  /// Creates a controller that has not fetched yet.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request of the list.
  ///   - context: The context of the records that the controller shows.
  ///   - cacheName: The name under which the sort order and the sections are stored beside the
  ///     journal, so that the next launch does not compute them again; nil for no cache. Give
  ///     different lists different names: a controller that finds the cache of a different list
  ///     computes its list and replaces the cache.
  public init(
    fetchRequest: ListRequest<R>, context: EditingContext, cacheName: String? = nil
  ) {
    self.fetchRequest = fetchRequest
    self.context = context
    cache = cacheName.map { ListCache($0, of: context.store) }
  }

  /// The name of the cache; nil without a cache.
  public var cacheName: String? { cache?.name }

  /// The use of the cache by the last fetch, and the writes to the cache since then; nil without a
  /// cache, or before the first fetch.
  public var cacheStatistics: CacheStatistics? { cache?.statistics }

  /// The key path of the sections' attribute; nil if there is one section, or if a closure makes
  /// the sections.
  public var sectionNameKeyPath: String? {
    fetchRequest.sectioning.flatMap { $0.names.isEmpty ? nil : $0.names.joined(separator: ".") }
  }

  // MARK: Fetching

  /// Computes the list.
  ///
  /// The method starts with a boundary of the context. The method does not notify the delegate of
  /// the computed list.
  ///
  /// - Throws: `RequestError` for an error in the request; `StoreError` with `unknownType`, with
  ///   `duringDelivery` if a delegate calls the method during a notification, or with `journal` if
  ///   a stored record is damaged
  /// - Complexity: O(*n* log *n*)
  public func performFetch() throws {
    let projection = try makeProjection(fetchRequest)
    self.projection = projection
    show(projection.snapshot)
    follow()
  }

  /// Replaces the request, and notifies the delegate of the difference.
  ///
  /// The method starts with a boundary of the context. If only the limit, the offset or the batch
  /// size differ, a controller that tracks changes reuses the sorted rows. Otherwise the controller
  /// computes the list again.
  ///
  /// - Parameter request: The new request.
  /// - Returns: The difference; nil if the list is the same, before the first fetch, or if a
  ///   different journal has replaced the journal that the list was read from.
  /// - Throws: The errors of ``performFetch()``. After an error the controller still has the
  ///   earlier request and the earlier list.
  /// - Complexity: O(*n* log *n*); if only the window differs, O(*k* log *n*) in the rows that
  ///   enter or leave it
  @discardableResult
  public func refetch(with request: ListRequest<R>) throws -> ListDifference<R>? {
    var moved = fetchRequest
    (moved.limit, moved.offset, moved.batchSize) = (
      request.limit, request.offset, request.batchSize
    )
    try context.checkDelivery()
    context.processPendingChanges()
    if moved == request, let projection, token != nil, !hasMissed {
      try request.checkWindow()
      fetchRequest = request
      guard let script = projection.move(to: request.window) else {
        // The batch size of the new request may differ.
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

  /// Applies edits that were not made by a boundary, and notifies the delegate of them.
  private func deliver(_ script: EditScript) -> ListDifference<R> {
    let difference = apply(script)
    context.deliver { notify(difference) }
    return difference
  }

  /// Makes a boundary, and returns the projection of a request over the records that the context
  /// shows. If the controller has a cache, the cache provides the list of the saved records.
  private func makeProjection(_ request: ListRequest<R>) throws -> Projection {
    try context.checkDelivery()
    context.processPendingChanges()
    guard let cache else {
      return try request.projection(over: context.frozen, of: context.store.path)
    }
    try request.checkType(context.frozen, of: context.store.path)
    let plan = try request.plan(context.frozen.catalog)
    let projection = cache.projection(request, plan: plan, over: context.base)
    // The list of the cache contains saved records only. This call applies the unsaved changes.
    _ = projection.fold(to: context.frozen)
    try context.base.checkWhole(context.store.path)
    return projection
  }

  // MARK: The shown list

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

  // MARK: Following

  /// Starts or stops observing the context, after the delegate was set.
  private func adoptDelegate() {
    differenceDelegate = delegate as? any FetchedResultsDifferenceDelegate<R>
    snapshotDelegate = delegate as? any FetchedResultsSnapshotDelegate<R>
    updateTracking()
  }

  /// Starts or stops observing the context, after the delegate or ``tracksChanges`` was set.
  private func updateTracking() {
    guard isTracking else { return stop() }
    if token == nil, projection != nil {
      hasMissed = true
      observe()
    }
  }

  /// Starts observing the context after a fetch, if the controller tracks changes.
  private func follow() {
    hasMissed = false
    if isTracking { observe() } else { reportFirstUntrackedBoundary() }
  }

  /// In debug builds, prints a sentence at the first boundary that the controller does not track.
  /// The sentence is printed once in a process.
  private func reportFirstUntrackedBoundary() {
    #if DEBUG
      if UntrackedLists.isReported { return }
      untrackedToken = context.observe(matching: projection?.plan.interest) { [weak self] event in
        guard let self, untrackedToken != nil, case .transaction = event else { return }
        untrackedToken = nil
        if !isTracking { UntrackedLists.report("\(R.self)", context: context.origin) }
      } onNewBase: {
      }
    #endif
  }

  /// Registers the controller as an observer of the changes that can affect the list. If it is
  /// already registered for these changes, the method does nothing.
  private func observe() {
    // A controller with a cache observes all changes. The controller offers its list to the cache
    // after every boundary, so that the file can be updated to the newest transaction.
    // A controller that may have missed changes must receive the next boundary in any case.
    let interest = cache == nil && !hasMissed ? projection?.plan.interest : nil
    if token != nil, interest == self.interest { return }
    self.interest = interest
    // The closures do not keep the controller alive. A delegate may release it while being
    // notified.
    token = context.observe(matching: interest) { [weak self] event in
      self?.receive(event)
    } onNewBase: { [weak self] in
      self?.updateBase()
    }
  }

  /// Applies the creation numbers that a save has assigned to new records. Otherwise a later
  /// boundary would report these records as moved.
  private func updateBase() {
    guard isTracking, !hasMissed, let projection, projection.plan.fits(context.frozen.catalog)
    else {
      return
    }
    if let script = projection.fold(to: context.frozen) { notify(apply(script)) }
    updateCache()
  }

  /// Offers the list to the cache. The cache ignores a list that contains unsaved changes.
  private func updateCache() {
    guard let cache, let projection else { return }
    cache.store(projection.snapshot, over: context.base)
  }

  /// Stops observing the context. The projection misses the boundaries that follow.
  private func stop() {
    token = nil
    hasMissed = true
  }

  /// Applies an event of the context to the list, and notifies the delegate. If the delegate has
  /// been released and the list is not tracked without it, the controller stops observing the
  /// context.
  private func receive(_ event: ContextEvent) {
    guard token != nil else { return }
    // The delegate may have been released.
    guard isTracking, let projection else { return stop() }
    switch event {
    case .reset:
      // The list stays as it is; the next fetch computes it again.
      self.projection = nil
      stop()
    case .transaction(let transaction):
      let hadMissed = hasMissed
      let script = follow(projection, to: context.frozen, after: transaction)
      if hadMissed { observe() }
      if let script { notify(apply(script)) }
      updateCache()
    }
  }

  /// Updates the projection to a later state of the context, and returns the edits; nil if the list
  /// is the same.
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

  /// Computes the list again after the schema has grown, because the old plan does not contain the
  /// new layouts.
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

  /// Notifies the delegate of a difference, in the one form that the delegate receives.
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
