import DaybookJournal

extension EditingContext {
  /// The last transaction in what it shows, whatever is unsaved aside. Of a context as of a moment it
  /// changes when that travels; of any other, with each merge and save.
  public var sequence: SequenceNumber {
    checkIsolation()
    return view.base.sequence
  }

  /// Goes to the moment after another transaction, before or behind the one that is shown; 0 is before
  /// the first.
  ///
  /// ```swift
  /// let context = try store.makeContext(at: 57)
  /// let controller = FetchedResultsController(fetchRequest: request, context: context)
  /// controller.delegate = list
  /// try controller.performFetch()   // the list as it was after transaction 57
  /// try context.travel(to: 41)      // the list hears exactly what makes it that after 41
  /// ```
  ///
  /// It is one boundary: forward it carries what the transactions in between did, taken together, and
  /// backward what takes that back. It begins with a boundary of its own for what is pending. What could
  /// be undone before cannot be undone behind it.
  ///
  /// If another file has taken the place of a journal that is followed, listeners hear `reset`.
  ///
  /// - Throws: ``StoreError``, and then it stays where it is: `notAtMoment`, if it goes with the store;
  ///   `unsavedChanges`, if there are any; `noSuchMoment`; `duringDelivery`.
  /// - Complexity: O(*k*) in the changes since the moment, and in those between the two
  public func travel(to sequence: SequenceNumber) throws(StoreError) {
    try checkTravel()
    travel(to: try store.snapshot(at: sequence).frozen)
  }

  /// Goes to the moment after the last transaction at or before a time; see
  /// ``travel(to:)-(SequenceNumber)``.
  ///
  /// - Throws: ``StoreError``, as for a transaction.
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
    // What was changed and changed back is nothing, but may stand in the draft.
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

  /// Refuses what a context as of a moment cannot do.
  func checkPresent() throws(StoreError) {
    guard !state.isAtMoment else {
      throw StoreError(.atMoment(view.base.sequence), path: store.path)
    }
  }

  /// Removes the unsaved drafts, and returns the changes that make every record again what it is at the moment.
  //
  // In the pages that there are: a state of an earlier moment would have to be made anew from the head,
  // and what is shown is the same.
  func takeBackUnsaved() -> [Draft] {
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
