import DaybookJournal
import DaybookPlatform
import DaybookResults
import DaybookStore
import DaybookEssentials

/// Shows the records that a request finds in a context: in order, in sections, and live.
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
/// It shows what the context showed after its last boundary, unsaved changes included. Nothing moves
/// before the next boundary; there the list changes at once, and the delegate is told how, in
/// ``EditingContext/processPendingChanges()``. A save by itself moves nothing.
///
/// Without a delegate the list stays as it was fetched; see ``FetchedResultsControllerDelegate``. When
/// one is set later, the next boundary notifies it of everything that has changed since.
///
/// What a delegate changes while it is told is pending, and told at the boundary that follows. It
/// cannot fetch then.
///
/// When the context is reset, or another journal takes the place of the one that was read, what is shown
/// stays, and nobody is told anything until the next fetch.
///
/// A controller belongs to the isolation of its context, as that does.
public final class FetchedResultsController<R: Record> {
  /// What is shown. It changes with ``refetch(with:)`` only.
  public private(set) var fetchRequest: FetchRequest<R>
  /// Where it is looked for.
  public let context: EditingContext
  /// The delegate that the controller notifies of changes.
  public weak var delegate: (any FetchedResultsControllerDelegate<R>)? {
    didSet { takeDelegate() }
  }
  /// In which order a delegate hears of sections and rows.
  public var callbackOrder = CallbackOrder.observed
  /// Whether rows that leave sections that go, or enter sections that come, are told of as deleted and
  /// inserted instead of moved: some views cannot move them in one batch.
  public var isBatchSafe = false
  /// What stands in the index for a section of a name, unless the delegate says; nil for nothing.
  public var indexTitleOfSection: ((String) -> String?)?

  private let cache: ListCache?
  private weak var differenceDelegate: (any FetchedResultsDifferenceDelegate<R>)?
  private weak var snapshotDelegate: (any FetchedResultsSnapshotDelegate<R>)?
  private var projection: Projection?
  private var token: ListenerToken?
  /// What it hears of; nil if of every boundary.
  private var interest: NarrowInterest?
  /// Whether there may have been boundaries that it has not heard.
  private var hasMissed = false

  /// A controller that has not fetched anything.
  ///
  /// - Parameter cacheName: Under which name order and sections are kept beside the journal, so that the
  ///   next launch need not find them again; nil to keep nothing. Lists that are not the same have names of
  ///   their own: one that finds another's cache is made anew, and takes its place.
  public init(
    fetchRequest: FetchRequest<R>, context: EditingContext, cacheName: String? = nil
  ) {
    self.fetchRequest = fetchRequest
    self.context = context
    cache = cacheName.map { ListCache($0, of: context.store) }
  }

  /// Under which name order and sections are kept; nil if they are not.
  public var cacheName: String? { cache?.name }

  /// What the cache was good for at the last fetch, and what has been written to it since; nil without a
  /// name, and before the first fetch.
  public var cacheStatistics: CacheStatistics? { cache?.statistics }

  /// The path to the value that sections are made of; nil if there is one section, or if a closure makes
  /// them.
  public var sectionNameKeyPath: String? {
    fetchRequest.sectioning.flatMap { $0.names.isEmpty ? nil : $0.names.joined(separator: ".") }
  }

  // MARK: Fetching

  /// Finds the records anew. It begins with a boundary, and nobody is told anything.
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request, ``StoreError`` with `unknownType`,
  ///   or with `duringDelivery` if a delegate is being told of a boundary
  /// - Complexity: O(*n* log *n*)
  public func performFetch() throws {
    let projection = try makeProjection(fetchRequest)
    self.projection = projection
    show(projection.snapshot)
    follow()
  }

  /// Goes over to another request, and tells the delegate what that does to the list. It begins with a
  /// boundary.
  ///
  /// If only the limit and the offset are others, the same rows are kept in order; otherwise the
  /// records are found anew.
  ///
  /// - Returns: What it did to the list; nil if that shows the same, or if there is nothing to compare
  ///   it with: before the first fetch, and where another journal has taken the place of the one that
  ///   the list was read from.
  /// - Throws: As for ``performFetch()``; then the request is the one before
  /// - Complexity: O(*n* log *n*); with another window only, O(*k* log *n*) in the rows that come or go
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
    let difference = take(script)
    context.deliver { tell(difference) }
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
    // What is not saved is in no cache.
    _ = projection.fold(to: context.frozen)
    try context.base.checkWhole(context.store.path)
    return projection
  }

  // MARK: What is shown

  /// The records that were found, in order; nil before the first fetch.
  public private(set) var fetchedObjects: FetchedObjects<R>?

  private func show(_ snapshot: ResultSnapshot) {
    fetchedObjects = FetchedObjects(snapshot, batchSize: fetchRequest.batchSize)
  }

  /// The record at a path, as it was after the last boundary.
  ///
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

  /// Where a record is shown; nil if it is not.
  ///
  /// - Complexity: O(log *n*)
  public func indexPath(forObject object: R) -> IndexPath? { indexPath(forID: object.id) }

  /// Where a record is shown; nil if it is not.
  ///
  /// - Complexity: O(log *n*)
  public func indexPath(forID id: R.ID) -> IndexPath? {
    fetchedObjects?.snapshot.path(of: id.recordIdentifier).map { IndexPath($0) }
  }

  /// The sections, in order; nil before the first fetch.
  ///
  /// - Complexity: O(1); O(log *n*) for each section that is looked at
  public var sections: FetchedSections<R>? {
    fetchedObjects.map { shown in
      FetchedSections(shown) { [self] in sectionIndexTitle(forSectionName: $0) }
    }
  }

  /// What is shown, by identifiers; nil before the first fetch.
  public var snapshot: ListSnapshot<R>? { fetchedObjects.map { ListSnapshot($0) } }

  // MARK: Following

  private func takeDelegate() {
    differenceDelegate = delegate as? any FetchedResultsDifferenceDelegate<R>
    snapshotDelegate = delegate as? any FetchedResultsSnapshotDelegate<R>
    if token == nil, projection != nil {
      hasMissed = true
      listen()
    }
    if delegate == nil { stop() }
  }

  private func follow() {
    hasMissed = false
    if delegate != nil { listen() }
  }

  /// Listens to what matters to the list, unless it does already.
  private func listen() {
    // What is in a cache has to be as of the last boundary, whatever that was of.
    let interest = cache == nil ? projection?.plan.interest : nil
    if token != nil, interest == self.interest { return }
    self.interest = interest
    // A delegate may let go of the controller while it is told.
    token = context.listen(to: interest) { [weak self] event in
      self?.hear(event)
    } settle: { [weak self] in
      self?.settle()
    }
  }

  /// Takes in the numbers that a save has given to records, by which a later boundary would find them
  /// moved.
  private func settle() {
    guard delegate != nil, !hasMissed, let projection, projection.plan.fits(context.frozen.catalog)
    else {
      return
    }
    if let script = projection.fold(to: context.frozen) { tell(take(script)) }
    keep()
  }

  /// Has the list kept in its cache, if it stands on what is saved.
  private func keep() {
    guard let cache, let projection else { return }
    cache.keep(projection.snapshot, over: context.base)
  }

  private func stop() {
    token = nil
    hasMissed = true
  }

  private func hear(_ event: ContextEvent) {
    guard token != nil else { return }
    // The delegate may have gone.
    guard delegate != nil, let projection else { return stop() }
    switch event {
    case .reset:
      // What is shown stays, and the next fetch begins anew.
      self.projection = nil
      stop()
    case .transaction(let transaction):
      if let script = follow(projection, to: context.frozen, after: transaction) {
        tell(take(script))
      }
      keep()
    }
  }

  /// Brings what is shown to another state; nil if it shows the same.
  private func follow(
    _ projection: Projection, to frozen: FrozenState, after transaction: StoreTransaction
  ) -> EditScript? {
    defer { hasMissed = false }
    guard projection.plan.fits(frozen.catalog) else {
      return replan(projection, for: frozen, causes: [DifferenceCause(transaction)])
    }
    if hasMissed { return projection.fold(to: frozen) }
    return projection.fold(transaction, to: frozen, isBehind: interest != nil)
  }

  /// Finds the records anew where a schema has grown, as what was found out about it does not do for
  /// rows of the new one.
  private func replan(
    _ projection: Projection, for frozen: FrozenState, causes: [DifferenceCause]
  ) -> EditScript? {
    let request = fetchRequest
    guard let plan = try? request.plan(frozen.catalog) else {
      preconditionFailure("\(request) does not fit a schema any more that has only grown")
    }
    let next = Projection(plan, of: frozen, window: request.window)
    self.projection = next
    listen()
    var script = EditScript(from: projection.snapshot, to: next.snapshot)
    script.causes = causes
    return script.isEmpty ? nil : script
  }

  /// Shows what is there after some edits.
  private func take(_ script: EditScript) -> ListDifference<R> {
    let before = fetchedObjects
    show(script.after)
    guard let before, let after = fetchedObjects else {
      preconditionFailure("a difference from what was never shown")
    }
    return ListDifference(script, before: before, after: after)
  }

  private func tell(_ difference: ListDifference<R>) {
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
