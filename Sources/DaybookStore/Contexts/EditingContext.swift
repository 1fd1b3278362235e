import DaybookJournal

/// A scratchpad over a store: records are changed here, seen at each boundary, and saved together.
///
/// ```swift
/// let context = store.makeContext()
/// try context.insert(Bank(name: "First"))
/// try context.update(Bank.self, id: id) { $0.state = "CA" }
/// context.processPendingChanges()   // one boundary: whoever listens hears one transaction
/// try await context.save()          // durable
/// ```
///
/// The life of a change. It is *pending* when it is made. At the next boundary it is coalesced with
/// the other pending changes, at most one for each record remains, and listeners hear them as one
/// ``StoreTransaction``. From then on it is *unsaved*, until a save writes everything unsaved to the
/// journal as one transaction, again coalesced.
///
/// There is a boundary whenever ``processPendingChanges()`` is called, at the end of ``perform(_:)``,
/// and at the beginning of a save, of ``mergeChanges()``, and of an undo. Besides, the first pending
/// change asks the context's actor to make one when it comes to it. Other jobs of the actor may come
/// before and share that boundary, an `await` may split one's changes over two, a program that ends
/// first never has it, and a context that is used outside any actor has none of its own accord.
/// The initializer of an actor, the initial values of its properties and its `lazy` properties are outside: a context
/// that is made there belongs to the actor from its first change on.
///
/// A context of ``Store/makeContext(at:isolation:)`` shows an earlier moment, stays there until it
/// travels to another, and is never saved.
///
/// A context belongs to the actor in whose code it was made; or, if it was made outside any, to the first in whose
/// code it is changed. It is not Sendable, and each use from elsewhere stops the program, with a sentence on
/// standard error that says what was called and where the context was made.
public final class EditingContext {
  /// The store whose records are changed.
  public let store: Store
  /// Everything that the context knows. A context has no stored properties beside these two, as the store
  /// keeps the state of its view context and not the context itself; see ``Store/viewContext``.
  let state: ContextState

  /// What decides when what is to be saved was meanwhile changed by someone else.
  public var mergePolicy: MergePolicy {
    get { state.mergePolicy }
    set { state.mergePolicy = newValue }
  }

  /// What is said about the next save. If that is refused, it is said about the one after it.
  public var metadata: TransactionMetadata {
    get { state.metadata }
    _modify { yield &state.metadata }
  }

  /// How many boundaries can be undone; 0 for none.
  public var undoLimit: Int {
    get { state.undoLimit }
    set { state.undoLimit = newValue }
  }

  /// - Parameter base: The state of the store that it shows; nil for the one that readers are shown.
  init(_ store: Store, base: FrozenState? = nil, isolation: ContextIsolation) {
    self.store = store
    state = ContextState(
      ContextView(base ?? store.core.shown()), isAtMoment: false, isolation: isolation)
  }

  /// A context as of a moment.
  ///
  /// - Parameter moment: A state that nobody else has.
  init(_ store: Store, at moment: FrozenState, isolation: ContextIsolation) {
    self.store = store
    state = ContextState(ContextView(moment), isAtMoment: true, isolation: isolation)
  }

  /// Creates a context that goes on from a state.
  init(_ store: Store, state: ContextState) {
    self.store = store
    self.state = state
  }

  var types: RecordTypes { view.catalog.types }

  /// Stops the program if it is used outside the actor that the context belongs to.
  func checkIsolation(_ function: StaticString = #function) {
    state.isolation.check(function, calledIn: nil)
  }

  /// Takes the actor of a caller if the context belongs to none yet, and stops the program if it belongs to another.
  ///
  /// - Parameter caller: The actor in whose code the call was written; nil if it is in none, or that is not known.
  func enter(_ caller: (any Actor)?, function: StaticString = #function) {
    guard state.isolation.adopt(caller) else {
      return state.isolation.check(function, calledIn: caller)
    }
    // What was changed before there was an actor has no boundary on its way.
    if !overlay.pending.isEmpty { askForBoundary() }
  }

  /// Where the context was made, in words.
  package var origin: String { state.isolation.place }

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
    let id = state.listeners.add(interest, catalog: view.catalog, hear: hear, settle: settle)
    return ListenerToken { [weak state] in state?.listeners.remove(id) }
  }

  func deliver(_ event: ContextEvent) {
    guard state.isHeard else { return }
    state.isDelivering = true
    if case .transaction(let transaction) = event {
      let sequence = view.base.sequence
      state.toldSequence = isOfPast(transaction.origin) ? sequence : sequence.next
    }
    for listener in state.listeners.hearing(event) { listener.hear(event) }
    state.toldSequence = nil
    state.isDelivering = false
  }

  /// Tells listeners that the state below is another, and that nothing is shown otherwise.
  func settle() {
    state.isDelivering = true
    for listener in state.listeners.settling() { listener.settle() }
    state.isDelivering = false
  }

  /// Whether a boundary tells of what is in the journal already.
  private func isOfPast(_ origin: StoreTransaction.Origin) -> Bool {
    switch origin {
    case .merge, .travel, .journal: true
    case .changes, .undo, .rollback: false
    }
  }

  /// Refuses what cannot be done while a listener is being told of a boundary.
  package func checkDelivery() throws(StoreError) {
    guard !state.isDelivering else { throw StoreError(.duringDelivery, path: store.path) }
  }

  /// Refuses what would take from a save under way what it has taken.
  func checkSaving() throws(StoreError) {
    guard state.saving == nil else { throw StoreError(.duringSave, path: store.path) }
  }

  // MARK: Boundaries

  /// Makes a boundary: what is pending is coalesced, folded into what the context shows, and told to
  /// listeners as one transaction. Nothing pending, nothing happens.
  ///
  /// Called by a listener, it only asks for the boundary that follows.
  public func processPendingChanges() {
    checkIsolation()
    guard !state.isDelivering else { return askForBoundary() }
    makeBoundary()
    // What listeners have changed meanwhile.
    while state.isFollowUpAsked, !overlay.pending.isEmpty {
      state.isFollowUpAsked = false
      makeBoundary()
    }
    state.isFollowUpAsked = false
    state.isBoundaryAsked = false
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
    if state.isDelivering {
      state.isFollowUpAsked = true
      return
    }
    guard !state.isBoundaryAsked, let isolation = state.isolation.actor else { return }
    state.isBoundaryAsked = true
    let reference = WeakContext(store: store, state: state)
    Task { await EditingContext.makeBoundary(of: reference, on: isolation) }
  }

  private static func makeBoundary(of reference: WeakContext, on actor: isolated any Actor) {
    reference.context?.processPendingChanges()
  }

  /// Makes the boundary that listeners have asked for while they were told of something else than one.
  func followUp() {
    if state.isFollowUpAsked, !state.isDelivering { processPendingChanges() }
  }

  /// Tells a subscriber of what is no boundary, by the rules of one: what is changed meanwhile is pending
  /// until it has ended, and told behind it.
  package func deliver(_ body: () -> Void) {
    precondition(!state.isDelivering, "a delivery within another")
    state.isDelivering = true
    body()
    state.isDelivering = false
    followUp()
  }

  private func makeBoundary() {
    applyDeleteRules()
    makeBoundary(.changes)
  }

  /// Folds pending changes into what the context shows, from when on they are unsaved, and tells of them.
  func makeBoundary(_ origin: StoreTransaction.Origin) {
    let changes = overlay.moveBoundary(in: view)
    guard !changes.isEmpty else { return }
    state.stepCount += 1
    if origin == .changes, undoLimit > 0 {
      state.history.record(changes, before: { view.row($0) }, limit: undoLimit)
    }
    guard state.isHeard else { return view.show(changes) }
    fold(changes, origin: origin)
  }

  /// Folds changes into what the context shows, and tells of them.
  func fold(_ changes: [Draft], origin: StoreTransaction.Origin) {
    let rowChanges = view.fold(changes)
    deliver(
      .transaction(
        StoreTransaction(
          origin, rowChanges: rowChanges, memory: view.reader.memory, catalog: view.catalog)))
  }
}

/// What a context tells those who listen.
public enum ContextEvent: Sendable {
  /// There was a boundary.
  case transaction(StoreTransaction)
  /// Everything that was shown is void: fetch again.
  case reset
}

/// What keeps a listener listening.
public final class ListenerToken {
  private let end: () -> Void

  init(_ end: @escaping () -> Void) { self.end = end }

  deinit { end() }
}

/// A reference to a context that keeps neither the context nor its store.
//
// Handed to a job on the context's own actor, and read nowhere else.
private final class WeakContext: @unchecked Sendable {
  private weak let store: Store?
  private weak let state: ContextState?

  init(store: Store, state: ContextState) {
    self.store = store
    self.state = state
  }

  /// The context, if its state and its store are still there.
  var context: EditingContext? {
    guard let store, let state else { return nil }
    return EditingContext(store, state: state)
  }
}

extension EditingContext: CustomStringConvertible {
  /// The journal, the transaction that the context stands on and whether it has changes, in one line:
  /// `EditingContext: banks.daybook after transaction 7, unsaved changes`.
  public var description: String {
    "EditingContext: \(store.path) after transaction \(view.base.sequence), "
      + (hasChanges ? "unsaved changes" : "no changes")
  }
}
