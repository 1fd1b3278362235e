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
      overlay.forgetShown()
    }
  }
  var overlay = Overlay()
  /// How often what is pending or shown has become something else.
  var stepCount = 0
  /// Whether it stays at a moment, and does not go with the store.
  let isAtMoment: Bool
  /// What the next save requires of records that it does not change.
  var requirements: [Proposal.Requirement] = []
  /// Held by the save that is under way.
  let saveLock = FairLock()
  /// The save that is under way. The overlay has the drafts that it has taken.
  var saving: SaveUnderway?
  /// A save of which it is not known whether it is in the journal, and how many of the requirements it had
  /// taken, the first ones.
  var uncertain: (append: UnknownAppend, requirementCount: Int)?
  var history = UndoHistory()
  var isDelivering = false
  /// The transaction that listeners are being told of: of what is not saved that which a save would make,
  /// of several that others have saved the last. None while they are told of nothing.
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

/// A save that has taken the unsaved drafts of a context.
struct SaveUnderway {
  var metadata: TransactionMetadata
  var requirements: [Proposal.Requirement]
}

// The names by which the context's own functions use its state.
extension EditingContext {
  var view: ContextView {
    get { state.view }
    set { state.view = newValue }
  }

  var overlay: Overlay {
    _read { yield state.overlay }
    _modify { yield &state.overlay }
  }

  var requirements: [Proposal.Requirement] {
    _read { yield state.requirements }
    _modify { yield &state.requirements }
  }

  package var toldSequence: SequenceNumber? { state.toldSequence }
}
