import DaybookJournal

/// All stored properties of an editing context, except the reference to its store.
///
/// A context retains its store, but its state does not. So the store can retain the state of its
/// view context without a reference cycle. The drafts, the undo history and the observers then
/// survive while the program has no reference to the view context.
///
/// ```
///   program ──▶ EditingContext ──▶ Store ──▶ ContextState (of the view context)
///                     └──────────────────────────▲
/// ```
final class ContextState {
  var mergePolicy = MergePolicy.refuse
  var uniqueConflictPolicy = UniqueConflictPolicy.refuse
  var metadata = TransactionMetadata()
  var undoLimit = 0 {
    didSet { history.limit(to: undoLimit) }
  }

  var isolation: ContextIsolation
  /// The records that the context shows.
  var view: ContextView {
    didSet {
      stepCount += 1
      overlay.forgetVisible()
    }
  }
  /// The uncommitted changes.
  var overlay = Overlay()
  /// A counter that increases with every change of the pending drafts or of the view. A caller that
  /// has read a record compares the counter to find out whether the record may be out of date.
  var stepCount = 0
  /// A Boolean value that indicates whether the context shows a fixed moment and does not follow
  /// the store.
  let isAtMoment: Bool
  /// The requirements of the next save: records that must be unchanged in the store, although the
  /// save does not change them.
  var requirements: [Proposal.Requirement] = []
  /// The lock that serializes the asynchronous saves of the context.
  let saveLock = FairLock()
  /// The save in progress; nil if none is. The overlay contains the drafts that the save has taken.
  var saving: PendingSave?
  /// The last save, if its outcome is unknown: its append, and the number of requirements that the
  /// save took. The first elements of `requirements` are those that it took.
  var uncertain: (append: UnknownAppend, requirementCount: Int)?
  /// The boundaries that the program can undo and redo.
  var history = UndoHistory()
  /// A Boolean value that indicates whether the context is notifying its observers. The program
  /// cannot save, merge or undo during such a *delivery*.
  var isDelivering = false
  /// The transaction number that observers receive during the delivery of a transaction; otherwise
  /// nil.
  ///
  /// For unsaved changes it is the number after that of the context's base state. For several
  /// merged transactions it is the number of the last one.
  var notifiedSequence: SequenceNumber?
  /// A Boolean value that indicates whether a job that makes a boundary is scheduled on the actor.
  var isBoundaryRequested = false
  /// A Boolean value that indicates whether an observer has changed a record or requested a
  /// boundary during the current delivery. The context makes the boundary after the delivery.
  var isFollowUpRequested = false
  /// The registered observers.
  var observers = ObserverTable() {
    didSet { hasObservers = !observers.isEmpty }
  }
  /// A Boolean value that indicates whether the context has observers. The value is cached, because
  /// every change reads it.
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
