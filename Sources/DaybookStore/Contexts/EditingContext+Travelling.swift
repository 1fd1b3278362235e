import DaybookJournal

extension EditingContext {
  /// The last transaction of the state that the context shows, without unsaved changes.
  ///
  /// In a context at a moment, the value changes when the context travels. In any other context, it
  /// changes with each merge and save.
  public var sequence: SequenceNumber {
    checkIsolation()
    return view.base.sequence
  }

  /// Moves a context at a moment to the moment after a given transaction. The transaction can be
  /// earlier or later than the shown moment; 0 is the moment before the first transaction.
  ///
  /// ```swift
  /// let context = try store.makeContext(at: 57)
  /// let controller = FetchedResultsController(fetchRequest: request, context: context)
  /// controller.delegate = list
  /// try controller.performFetch()   // the list as it was after transaction 57
  /// try context.travel(to: 41)      // the list receives the exact difference
  /// ```
  ///
  /// The travel is one boundary. Forward, the boundary contains the combined changes of the
  /// transactions in between. Backward, it contains the inverse of these changes. A separate
  /// boundary for the pending changes precedes it. The travel clears the undo history.
  ///
  /// If a new file has replaced the journal that the store follows, observers receive `reset`.
  ///
  /// - Throws: ``StoreError``, and then the context stays at its moment: `notAtMoment`, if it is
  ///   not a context at a moment; `unsavedChanges`, if the context has unsaved changes;
  ///   `noSuchMoment`; `duringDelivery`.
  /// - Complexity: O(*k*) in the changes after the moment, and in the changes between the two
  ///   moments
  public func travel(to sequence: SequenceNumber) throws(StoreError) {
    try checkTravel()
    travel(to: try store.snapshot(at: sequence).frozen)
  }

  /// Moves the context to the moment after the last transaction at or before a time; see
  /// ``travel(to:)-(SequenceNumber)``.
  ///
  /// - Throws: The errors of ``travel(to:)-(SequenceNumber)``.
  public func travel(to time: JournalTime) throws(StoreError) {
    try checkTravel()
    travel(to: try store.snapshot(at: time).frozen)
  }

  private func checkTravel() throws(StoreError) {
    checkIsolation()
    try checkDelivery()
    guard state.isAtMoment else { throw StoreError(.notAtMoment, path: store.path) }
    processPendingChanges()
    guard !hasChanges else {
      throw StoreError(.unsavedChanges(at: view.base.sequence), path: store.path)
    }
  }

  private func travel(to moment: FrozenState) {
    let here = view.base
    let isOtherJournal = moment.state.generation != here.state.generation
    if !isOtherJournal, moment.sequence == here.sequence { return }
    // Drafts that change nothing may remain, and are removed like drafts that a save has taken.
    overlay.moveSaveCursor()
    state.history.removeAll()
    if isOtherJournal {
      overlay.removeTaken()
      view = ContextView(moment)
      deliver(.reset)
    } else {
      rebase(onto: moment, .travel)
    }
    followUp()
  }

  /// Throws `atMoment` if the context is at a moment.
  func checkPresent() throws(StoreError) {
    guard !state.isAtMoment else {
      throw StoreError(.atMoment(view.base.sequence), path: store.path)
    }
  }

  /// Removes the unsaved drafts, and returns the changes that restore every record to its state at
  /// the moment.
  //
  // The caller applies the changes to the existing pages. Computing the state of the moment from
  // the newest state again would cost more.
  func removeUnsaved() -> [Draft] {
    let changes = overlay.unsaved.compactMap { index in
      let draft = overlay.drafts[index]
      let row = view.row(at: draft.base, of: draft.key.entity)
      return overlay.change(Draft(draft.key, to: row), after: draft.creation, in: view)
    }
    overlay.moveSaveCursor()
    overlay.removeTaken()
    return changes
  }
}
