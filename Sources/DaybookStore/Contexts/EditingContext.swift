import DaybookJournal

/// A set of uncommitted changes over a snapshot of a store. A program changes records in a context,
/// observers see the changes at each boundary, and a save writes all changes as one transaction.
///
/// ```swift
/// let context = store.makeContext()
/// try context.insert(Bank(name: "First"))
/// try context.update(Bank.self, id: id) { $0.state = "CA" }
/// context.processPendingChanges()   // one boundary: observers receive one transaction
/// try await context.save()          // durable
/// ```
///
/// ## The life of a change
///
/// A new change is *pending*. The next boundary combines the pending changes, so that at most one
/// change of each record remains. Observers receive them as one ``StoreTransaction``. After the
/// boundary the change is *unsaved*. A save combines all unsaved changes in the same way, and
/// writes them to the journal as one transaction.
///
/// ## Boundaries
///
/// A context makes a boundary:
///
/// - whenever ``processPendingChanges()`` is called;
/// - at the end of ``perform(_:)``;
/// - at the start of a save, of ``mergeChanges()``, and of an undo, a redo, a revert and a travel;
/// - at the start and at the end of an undo group;
/// - before a read of all records of a type, of a record by its unique values, or of referring
///   records.
///
/// In addition, the first pending change schedules a boundary on the context's actor:
///
/// - Other jobs of the actor may run first, and then share that boundary.
/// - An `await` may split the changes of one function into two boundaries.
/// - If the program exits before the scheduled job runs, the boundary is never made.
/// - If the context belongs to no actor, no boundary is scheduled.
///
/// ## Isolation
///
/// A context belongs to the actor that creates it. A context that is created outside any actor
/// belongs to the first actor that changes it. The initializer of an actor, the initial values of
/// its properties and its `lazy` properties run outside the actor.
///
/// A context is not Sendable. Each use outside its actor stops the program, with a message on
/// standard error. The message names the called function and the line of code where the context was
/// created.
///
/// ## Earlier moments
///
/// A context created by `Store.makeContext(at:)` shows an earlier moment. The context stays at that
/// moment until the program calls `travel(to:)`, and its changes cannot be saved.
public final class EditingContext {
  /// The store that the context reads and saves to.
  public let store: Store
  /// All other stored properties of the context, in a separate object. The store retains this
  /// object of its view context, and not the context; see ``ContextState``.
  let state: ContextState

  /// The policy that resolves conflicts between a save and the changes of other writers, such as
  /// other contexts and calls of ``Store/write(_:isolation:body:)``.
  public var mergePolicy: MergePolicy {
    get { state.mergePolicy }
    set { state.mergePolicy = newValue }
  }

  /// The policy for saved records whose values of a unique list belong to another record.
  ///
  /// ```swift
  /// context.uniqueConflictPolicy = .update
  /// ```
  public var uniqueConflictPolicy: UniqueConflictPolicy {
    get { state.uniqueConflictPolicy }
    set { state.uniqueConflictPolicy = newValue }
  }

  /// The metadata of the next save. If that save fails, the metadata stays for the save after it.
  /// If the outcome of the save is unknown, the metadata is removed, because the transaction may be
  /// in the journal with it.
  public var metadata: TransactionMetadata {
    get { state.metadata }
    _modify { yield &state.metadata }
  }

  /// The maximum number of boundaries that can be undone; 0, the default, disables undo. A group of
  /// boundaries counts as one.
  public var undoLimit: Int {
    get { state.undoLimit }
    set { state.undoLimit = newValue }
  }

  /// Creates a context that shows a state of the store.
  ///
  /// - Parameter base: The state; nil for the state that readers of the store see.
  init(_ store: Store, base: FrozenState? = nil, isolation: ContextIsolation) {
    self.store = store
    state = ContextState(
      ContextView(base ?? store.core.published()), isAtMoment: false, isolation: isolation)
  }

  /// Creates a context that shows an earlier moment.
  ///
  /// - Parameter moment: A state that has no other owner.
  init(_ store: Store, at moment: FrozenState, isolation: ContextIsolation) {
    self.store = store
    state = ContextState(ContextView(moment), isAtMoment: true, isolation: isolation)
  }

  /// Creates a context object for a state that exists already.
  init(_ store: Store, state: ContextState) {
    self.store = store
    self.state = state
  }

  var types: RecordTypes { view.catalog.types }

  /// Stops the program if the caller runs outside the actor that the context belongs to.
  func checkIsolation(_ function: StaticString = #function) {
    state.isolation.check(function, calledIn: nil)
  }

  /// Binds the context to the caller's actor, if the context belongs to no actor yet. Stops the
  /// program if the context belongs to a different actor.
  ///
  /// - Parameter caller: The actor that isolates the calling code; nil if the code runs outside any
  ///   actor, or if the actor is unknown.
  func enter(_ caller: (any Actor)?, function: StaticString = #function) {
    guard state.isolation.adopt(caller) else {
      return state.isolation.check(function, calledIn: caller)
    }
    // Changes that were made before the context had an actor have no scheduled boundary.
    if !overlay.pending.isEmpty { askForBoundary() }
  }

  /// A description of where the context was created.
  package var origin: String { state.isolation.creationDescription }

  // MARK: Observing

  /// Calls a closure at each boundary, until the token is released.
  ///
  /// Changes that the closure makes are pending until all observers are notified. The context then
  /// makes a boundary of them.
  public func observe(_ onChange: @escaping (ContextEvent) -> Void) -> ObservationToken {
    observe(matching: nil, onChange, onNewBase: {})
  }

  /// Calls a closure at each boundary, until the token is released. Calls a second closure when the
  /// base state changes without a boundary.
  ///
  /// The base state changes without a boundary at the end of a save, for example. The records then
  /// have the creation numbers that the save has assigned, and their positions in lists are
  /// unchanged.
  ///
  /// - Parameter interest: The changes for which the closures are called; nil for all changes. If
  ///   an observer is not called at a boundary, the boundary has not changed its records, nor their
  ///   positions.
  package func observe(
    matching interest: NarrowInterest?, _ onChange: @escaping (ContextEvent) -> Void,
    onNewBase: @escaping () -> Void
  ) -> ObservationToken {
    checkIsolation()
    let id = state.observers.add(
      interest, catalog: view.catalog, onChange: onChange, onNewBase: onNewBase)
    return ObservationToken { [weak state] in state?.observers.remove(id) }
  }

  func deliver(_ event: ContextEvent) {
    guard state.hasObservers else { return }
    state.isDelivering = true
    if case .transaction(let transaction) = event {
      let sequence = view.base.sequence
      state.notifiedSequence = isOfPast(transaction.origin) ? sequence : sequence.next
    }
    for observer in state.observers.observers(of: event) { observer.onChange(event) }
    state.notifiedSequence = nil
    state.isDelivering = false
  }

  /// Notifies observers that the base state has changed and the shown records have the same values.
  func notifyNewBase() {
    state.isDelivering = true
    for observer in state.observers.observersOfBase() { observer.onNewBase() }
    state.isDelivering = false
  }

  /// Returns whether a boundary with an origin delivers changes that the journal already contains.
  private func isOfPast(_ origin: StoreTransaction.Origin) -> Bool {
    switch origin {
    case .merge, .travel, .journal: true
    case .changes, .undo, .rollback: false
    }
  }

  /// Throws `duringDelivery` during a delivery, that is, while the context notifies its observers.
  package func checkDelivery() throws(StoreError) {
    guard !state.isDelivering else { throw StoreError(.duringDelivery, path: store.path) }
  }

  /// Throws `duringSave` while a save is in progress, because the operation would remove drafts
  /// that the save has taken.
  func checkSaving() throws(StoreError) {
    guard state.saving == nil else { throw StoreError(.duringSave, path: store.path) }
  }

  // MARK: Boundaries

  /// Makes a boundary: combines the pending changes, applies them to the records that the context
  /// shows, and notifies observers of them as one transaction. Without pending changes, the method
  /// does nothing.
  ///
  /// If an observer calls the method while it is being notified, the context makes the boundary
  /// after the delivery.
  public func processPendingChanges() {
    checkIsolation()
    guard !state.isDelivering else { return askForBoundary() }
    makeBoundary(.changes)
    // Observers may have made changes during the delivery.
    while state.isFollowUpRequested, !overlay.pending.isEmpty {
      state.isFollowUpRequested = false
      makeBoundary(.changes)
    }
    state.isFollowUpRequested = false
    state.isBoundaryRequested = false
  }

  /// Runs a closure, and then makes a boundary.
  public func perform<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    checkIsolation()
    defer { processPendingChanges() }
    return try body()
  }

  /// Schedules a boundary on the context's actor, or after the current delivery.
  func askForBoundary() {
    if state.isDelivering {
      state.isFollowUpRequested = true
      return
    }
    guard !state.isBoundaryRequested, let isolation = state.isolation.actor else { return }
    state.isBoundaryRequested = true
    let reference = WeakContext(store: store, state: state)
    Task { await EditingContext.makeBoundary(of: reference, on: isolation) }
  }

  private static func makeBoundary(of reference: WeakContext, on actor: isolated any Actor) {
    reference.context?.processPendingChanges()
  }

  /// Makes the boundary that observers have requested during the delivery of a merge, an undo or a
  /// reset.
  func followUp() {
    if state.isFollowUpRequested, !state.isDelivering { processPendingChanges() }
  }

  /// Notifies a subscriber of an event that is not a boundary, with the rules of a delivery.
  /// Changes that the subscriber makes are pending until the delivery ends. The context then makes
  /// a boundary of them.
  package func deliver(_ body: () -> Void) {
    precondition(!state.isDelivering, "a delivery started within another delivery")
    state.isDelivering = true
    body()
    state.isDelivering = false
    followUp()
  }

  /// Applies the pending changes to the records that the context shows, and notifies observers.
  /// After that the changes are unsaved.
  func makeBoundary(_ origin: StoreTransaction.Origin) {
    let changes = overlay.moveBoundary(in: view)
    guard !changes.isEmpty else { return }
    state.stepCount += 1
    if origin == .changes, undoLimit > 0 {
      state.history.record(changes, in: view, limit: undoLimit)
    }
    guard state.hasObservers else { return view.apply(changes) }
    fold(changes, origin: origin)
  }

  /// Applies changes to the records that the context shows, and notifies observers of them.
  func fold(_ changes: [Draft], origin: StoreTransaction.Origin) {
    let rowChanges = view.fold(changes)
    deliver(
      .transaction(
        StoreTransaction(
          origin, rowChanges: rowChanges, memory: view.reader.memory, catalog: view.catalog)))
  }
}

/// An event that a context reports to its observers.
public enum ContextEvent: Sendable {
  /// A boundary, with its changes.
  case transaction(StoreTransaction)
  /// All shown records are invalid, and must be fetched again.
  case reset
}

/// A token that keeps an observer registered until the token is released.
public final class ObservationToken {
  private let end: () -> Void

  init(_ end: @escaping () -> Void) { self.end = end }

  deinit { end() }
}

/// A reference to a context that keeps neither the context nor its store alive.
//
// The reference is not Sendable, but only a job on the context's actor reads it.
private final class WeakContext: @unchecked Sendable {
  private weak let store: Store?
  private weak let state: ContextState?

  init(store: Store, state: ContextState) {
    self.store = store
    self.state = state
  }

  /// The context, if its state and its store still exist.
  var context: EditingContext? {
    guard let store, let state else { return nil }
    return EditingContext(store, state: state)
  }
}

extension EditingContext: CustomStringConvertible {
  /// A description in one line, with the journal, the last transaction of the base state, and
  /// whether there are changes. Example: `EditingContext: banks.daybook after transaction 7,
  /// unsaved changes`.
  public var description: String {
    "EditingContext: \(store.path) after transaction \(view.base.sequence), "
      + (hasChanges ? "unsaved changes" : "no changes")
  }
}
