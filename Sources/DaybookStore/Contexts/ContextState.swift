import DaybookJournal

/// Everything that an editing context knows, apart from its store.
///
/// A context keeps its store alive. The state does not, so that the store can keep the state of its view
/// context: drafts, undo history and listeners stay while nobody holds the context, and neither keeps
/// the other alive.
///
/// ```
///   program ──▶ EditingContext ──▶ Store ──▶ ContextState (of the view context)
///                     └──────────────────────────▲
/// ```
final class ContextState {
  var mergePolicy = MergePolicy.refuse
  var metadata = TransactionMetadata()
  var undoLimit = 0 {
    didSet { history.limit(to: undoLimit) }
  }

  var isolation: ContextIsolation
  var view: ContextView {
    didSet {
      stepCount += 1
      if !pending.isEmpty { pending.forgetShown() }
    }
  }
  var stepCount = 0
  let isAtMoment: Bool
  var pending = PendingChanges()
  var unsaved = UnsavedChanges()
  var requirements: [Proposal.Requirement] = []
  let saveLock = FairLock()
  var uncertain: (append: UnknownAppend, keys: [EntityKey], requirementCount: Int)?
  var saving: TakenChanges?
  var history = UndoHistory()
  var isDelivering = false
  var toldSequence: SequenceNumber?
  /// Whether a job is on its way that makes a boundary.
  var isBoundaryAsked = false
  /// Whether a listener has changed something, or asked for a boundary: it follows the delivery.
  var isFollowUpAsked = false
  var listeners = ListenerTable() {
    didSet { isHeard = !listeners.isEmpty }
  }
  /// Whether anybody listens. Noted, as most changes ask for it where nobody does.
  private(set) var isHeard = false

  init(_ view: ContextView, isAtMoment: Bool, isolation: ContextIsolation) {
    self.view = view
    self.isAtMoment = isAtMoment
    self.isolation = isolation
  }
}

// The names by which the context's own functions use its state.
extension EditingContext {
  var view: ContextView {
    get { state.view }
    set { state.view = newValue }
  }

  /// How often what is pending or shown has become something else.
  var stepCount: Int {
    get { state.stepCount }
    set { state.stepCount = newValue }
  }

  /// Whether it stays at a moment, and does not go with the store.
  var isAtMoment: Bool { state.isAtMoment }

  var pending: PendingChanges {
    _read { yield state.pending }
    _modify { yield &state.pending }
  }

  var unsaved: UnsavedChanges {
    _read { yield state.unsaved }
    _modify { yield &state.unsaved }
  }

  /// What the next save requires of records that it does not change.
  var requirements: [Proposal.Requirement] {
    _read { yield state.requirements }
    _modify { yield &state.requirements }
  }

  /// Held by the save that is under way.
  var saveLock: FairLock { state.saveLock }

  /// A save of which it is not known whether it is in the journal, the records that it had taken, and how
  /// many of the requirements, the first ones.
  var uncertain: (append: UnknownAppend, keys: [EntityKey], requirementCount: Int)? {
    get { state.uncertain }
    set { state.uncertain = newValue }
  }

  /// What a save that is under way has taken.
  var saving: TakenChanges? {
    _read { yield state.saving }
    _modify { yield &state.saving }
  }

  var history: UndoHistory {
    _read { yield state.history }
    _modify { yield &state.history }
  }

  var isDelivering: Bool {
    get { state.isDelivering }
    set { state.isDelivering = newValue }
  }

  /// The transaction that listeners are being told of: of what is not saved that which a save would make,
  /// of several that others have saved the last. None while they are told of nothing.
  package var toldSequence: SequenceNumber? {
    get { state.toldSequence }
    set { state.toldSequence = newValue }
  }

  var isBoundaryAsked: Bool {
    get { state.isBoundaryAsked }
    set { state.isBoundaryAsked = newValue }
  }

  var isFollowUpAsked: Bool {
    get { state.isFollowUpAsked }
    set { state.isFollowUpAsked = newValue }
  }

  var isHeard: Bool { state.isHeard }
}
