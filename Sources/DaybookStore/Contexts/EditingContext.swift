import DaybookJournal

/// A scratchpad over a store: records are changed here, seen at each boundary, and saved together.
///
/// ```swift
/// let context = store.makeContext()
/// try context.insert(Bank(name: "First"))
/// try context.update(Bank.self, id) { $0.state = "CA" }
/// context.processPendingChanges()   // one boundary: whoever listens hears one transaction
/// try await context.save()          // durable
/// ```
///
/// The life of a change. It is *pending* when it is made. At the next boundary it is coalesced with
/// the other pending changes, at most one for each record remains, and listeners hear them as one
/// ``Transaction``. From then on it is *unsaved*, until a save writes everything unsaved to the
/// journal as one transaction, again coalesced.
///
/// There is a boundary whenever ``processPendingChanges()`` is called, at the end of ``perform(_:)``,
/// and at the beginning of a save, of ``mergeChanges()``, and of an undo. Besides, the first pending
/// change asks the context's actor to make one when it comes to it. Other jobs of the actor may come
/// before and share that boundary, an `await` may split one's changes over two, a program that ends
/// first never has it, and a context made outside an actor has none of its own accord.
/// An actor's own initializer counts as outside, unless it is `async`.
///
/// A context of ``Store/makeContext(at:isolation:)`` shows an earlier moment, stays there until it
/// travels to another, and is never saved.
///
/// A context belongs to the isolation that made it: it is not Sendable, and each use from elsewhere
/// stops the program.
public final class EditingContext {
  /// The store whose records are changed.
  public let store: Store
  /// What decides when what is to be saved was meanwhile changed by someone else.
  public var mergePolicy = MergePolicy.refuse
  /// What is said about the next save. If that is refused, it is said about the one after it.
  public var metadata = TransactionMetadata()
  /// How many boundaries can be undone; 0 for none.
  public var undoLimit = 0 {
    didSet { history.limit(to: undoLimit) }
  }

  private let isolation: (any Actor)?
  var view: ContextView {
    didSet {
      stepCount += 1
      if !pending.isEmpty { pending.forgetShown() }
    }
  }
  /// How often what is pending or shown has become something else.
  var stepCount = 0
  /// Whether it stays at a moment, and does not go with the store.
  let isAtMoment: Bool
  var pending = PendingChanges()
  var unsaved = UnsavedChanges()
  /// A save of which it is not known whether it is in the journal, and the records that it had taken.
  var uncertain: (append: UnknownAppend, keys: [EntityKey])?
  /// What a save that is under way has taken.
  var saving: TakenChanges?
  var history = UndoHistory()
  var isDelivering = false
  /// The transaction that listeners are being told of: of what is not saved that which a save would make,
  /// of several that others have saved the last. None while they are told of nothing.
  package private(set) var toldSequence: SequenceNumber?
  /// Whether the context ends with its save, and need not show what comes after.
  var endsWithSave = false
  /// Whether a job is on its way that makes a boundary.
  private var isBoundaryAsked = false
  /// Whether a listener has changed something, or asked for a boundary: it follows the delivery.
  private var isFollowUpAsked = false
  private var listeners = ListenerTable() {
    didSet { isHeard = !listeners.isEmpty }
  }
  /// Whether anybody listens. Noted, as most changes ask for it where nobody does.
  private(set) var isHeard = false

  init(_ store: Store, isolation: (any Actor)?) {
    self.store = store
    self.isolation = isolation
    view = ContextView(store.core.shown())
    isAtMoment = false
  }

  /// A context as of a moment.
  ///
  /// - Parameter moment: A state that nobody else has.
  init(_ store: Store, at moment: FrozenState, isolation: (any Actor)?) {
    self.store = store
    self.isolation = isolation
    view = ContextView(moment)
    isAtMoment = true
  }

  var types: RecordTypes { view.catalog.types }

  /// Stops the program if it is used from elsewhere than where it was made.
  func checkIsolation(_ function: StaticString = #function) {
    isolation?.preconditionIsolated("\(function) was called outside the context's actor")
  }

  // MARK: Listening

  /// Calls a closure at each boundary, until the token is given up.
  ///
  /// What the closure changes is pending until the delivery has ended.
  public func listen(_ hear: @escaping (ContextEvent) -> Void) -> ListenerToken {
    listen(to: nil, hear, settle: {})
  }

  /// Calls a closure at each boundary, until the token is given up; and another one where there is none,
  /// but the state below is another, as behind a save: records then have the creation numbers that they
  /// got by it, and stand where they stood.
  ///
  /// - Parameter interest: What the closures are to be called for; everything, if that is nil. Who is not called
  ///   at a boundary has missed nothing that it asked for, and stands where it stood.
  package func listen(
    to interest: NarrowInterest?, _ hear: @escaping (ContextEvent) -> Void,
    settle: @escaping () -> Void
  ) -> ListenerToken {
    checkIsolation()
    let id = listeners.add(interest, view.catalog, hear, settle: settle)
    return ListenerToken { [weak self] in self?.listeners.remove(id) }
  }

  func deliver(_ event: ContextEvent) {
    guard isHeard else { return }
    isDelivering = true
    if case .transaction(let transaction) = event {
      toldSequence = isOfPast(transaction.origin) ? view.base.sequence : view.base.sequence.next
    }
    for listener in listeners.hearing(event) { listener.hear(event) }
    toldSequence = nil
    isDelivering = false
  }

  /// Tells listeners that the state below is another, and that nothing is shown otherwise.
  func settle() {
    isDelivering = true
    for listener in listeners.settling() { listener.settle() }
    isDelivering = false
  }

  /// Whether a boundary tells of what is in the journal already.
  private func isOfPast(_ origin: Transaction.Origin) -> Bool {
    switch origin {
    case .merge, .travel, .journal: true
    case .changes, .undo, .rollback: false
    }
  }

  /// Refuses what cannot be done while a listener is being told of a boundary.
  package func checkDelivery() throws(StoreError) {
    guard !isDelivering else { throw StoreError(.duringDelivery, path: store.path) }
  }

  /// Refuses what would take from a save under way what it has taken.
  func checkSaving() throws(StoreError) {
    guard saving == nil else { throw StoreError(.duringSave, path: store.path) }
  }

  // MARK: Boundaries

  /// Makes a boundary: what is pending is coalesced, folded into what the context shows, and told to
  /// listeners as one transaction. Nothing pending, nothing happens.
  ///
  /// Called by a listener, it only asks for the boundary that follows.
  public func processPendingChanges() {
    checkIsolation()
    guard !isDelivering else { return askForBoundary() }
    makeBoundary()
    // What listeners have changed meanwhile.
    while isFollowUpAsked, !pending.isEmpty {
      isFollowUpAsked = false
      makeBoundary()
    }
    isFollowUpAsked = false
    isBoundaryAsked = false
  }

  /// Runs a closure, and makes a boundary.
  public func perform<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    checkIsolation()
    defer { processPendingChanges() }
    return try body()
  }

  /// Asks the context's actor for a boundary, when it comes to it.
  func askForBoundary() {
    if isDelivering {
      isFollowUpAsked = true
      return
    }
    guard !isBoundaryAsked, let isolation else { return }
    isBoundaryAsked = true
    let box = WeakContext(context: self)
    Task { await EditingContext.makeBoundary(box, on: isolation) }
  }

  private static func makeBoundary(_ box: WeakContext, on actor: isolated any Actor) {
    box.context?.processPendingChanges()
  }

  /// Makes the boundary that listeners have asked for while they were told of something else than one.
  func followUp() {
    if isFollowUpAsked, !isDelivering { processPendingChanges() }
  }

  /// Tells a subscriber of what is no boundary, by the rules of one: what is changed meanwhile is pending
  /// until it has ended, and told behind it.
  package func deliver(_ body: () -> Void) {
    precondition(!isDelivering, "a delivery within another")
    isDelivering = true
    body()
    isDelivering = false
    followUp()
  }

  private func makeBoundary() {
    let changes = coalesce()
    pending.removeAll()
    guard !changes.isEmpty else { return }
    apply(changes, .changes)
  }

  /// The pending changes, at most one for each record, those left out that change nothing.
  private func coalesce() -> [ContextView.DraftChange] {
    applyDeleteRules()
    let view = view
    var changes: [ContextView.DraftChange] = []
    let rows = pending.rows
    changes.reserveCapacity(rows.count)
    for index in rows.indices {
      let change = view.change(
        rows[index].key, to: rows[index].row, shown: rows[index].shown, net: rows[index].net)
      if let change { changes.append(change) }
    }
    return changes
  }

  /// Folds changes into what the context shows, notes them as unsaved, and tells of them.
  func apply(_ changes: consuming [ContextView.DraftChange], _ origin: Transaction.Origin) {
    precondition(
      pending.isEmpty, "\(pending.rows.count) changes are pending where others are folded in")
    stepCount += 1
    unsaved.note(changes, in: view)
    if origin == .changes, undoLimit > 0 {
      history.record(changes, before: { view.row($0, types) }, undoLimit)
    }
    guard isHeard else { return view.show(changes) }
    let rowChanges = view.fold(changes)
    deliver(.transaction(Transaction(origin, rowChanges, view.memory, view.catalog)))
  }
}

/// What a context tells those who listen.
public enum ContextEvent: Sendable {
  /// There was a boundary.
  case transaction(Transaction)
  /// Everything that was shown is void: fetch again.
  case reset
}

/// What a save has taken from a context.
struct TakenChanges {
  var changes: UnsavedChanges
  var metadata: TransactionMetadata
}

/// What keeps a listener listening.
public final class ListenerToken {
  private let end: () -> Void

  init(_ end: @escaping () -> Void) { self.end = end }

  deinit { end() }
}

/// A context that may be gone when a job comes to it.
//
// Handed to a job on the context's own actor, and looked at nowhere else.
private final class WeakContext: @unchecked Sendable {
  weak var context: EditingContext?

  init(context: EditingContext) { self.context = context }
}
