import DaybookJournal

/// The state of an editing context, apart from its store.
///
/// A context keeps its store alive. The state does not, so the store can keep the state of its view
/// context. Drafts, undo history and observers therefore survive while the program has no reference
/// to the context, and there is no reference cycle.
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
      overlay.forgetVisible()
    }
  }
  var overlay = Overlay()
  /// A counter that increases whenever the pending changes or the view change.
  var stepCount = 0
  /// A Boolean value that indicates whether the context shows a fixed moment and does not follow
  /// the store.
  let isAtMoment: Bool
  /// The requirements of the next save on records that it does not change.
  var requirements: [Proposal.Requirement] = []
  /// The lock that serializes the asynchronous saves of the context.
  let saveLock = FairLock()
  /// The save in progress. The overlay contains the drafts that it has taken.
  var saving: PendingSave?
  /// A save with an unknown outcome: its append, and the number of requirements that it took. These
  /// are the first elements of `requirements`.
  var uncertain: (append: UnknownAppend, requirementCount: Int)?
  var history = UndoHistory()
  var isDelivering = false
  /// The transaction number that observers receive during a delivery; nil outside the delivery of a
  /// transaction.
  ///
  /// For unsaved changes it is the number that a save would assign. For several merged transactions
  /// it is the number of the last one.
  var notifiedSequence: SequenceNumber?
  /// A Boolean value that indicates whether a job that makes a boundary is scheduled on the actor.
  var isBoundaryAsked = false
  /// A Boolean value that indicates whether an observer has changed a record or requested a
  /// boundary. That boundary follows the delivery.
  var isFollowUpAsked = false
  var observers = ObserverTable() {
    didSet { hasObservers = !observers.isEmpty }
  }
  /// A Boolean value that indicates whether the context has observers. It is cached, because most
  /// changes read it while there are no observers.
  private(set) var hasObservers = false

  init(_ view: ContextView, isAtMoment: Bool, isolation: ContextIsolation) {
    self.view = view
    self.isAtMoment = isAtMoment
    self.isolation = isolation
  }
}

/// A save that has taken the unsaved drafts of a context, and has not finished.
struct PendingSave {
  var metadata: TransactionMetadata
  var requirements: [Proposal.Requirement]
}

// Shortcuts to the state, for the functions of the context.
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

  package var notifiedSequence: SequenceNumber? { state.notifiedSequence }
}
