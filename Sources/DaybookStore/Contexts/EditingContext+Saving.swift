import DaybookJournal

extension EditingContext {
  /// Whether anything has been changed that is not saved, pending changes included. What was changed
  /// and changed back, as by an undo, is nothing behind its boundary.
  ///
  /// - Complexity: O(*k*) in the records that were changed since the last save
  public var hasChanges: Bool {
    checkIsolation()
    return !overlay.pending.isEmpty
      || overlay.unsaved.contains { view.outcome(of: overlay.drafts[$0]).net != .none }
  }

  /// Writes everything unsaved to the journal as one transaction, and suspends until that is as
  /// durable as the store's durability says.
  ///
  /// It begins with a boundary. What is changed while it is suspended stays unsaved for the next
  /// save. If the save fails, what it had taken is unsaved again. A save that is called while another one of this
  /// context is under way begins when that has ended.
  ///
  /// - Returns: The receipt, or nil if there was nothing to save.
  /// - Throws: ``StoreError``: `validation`, `conflict`, `unknown`, `journal`, `readOnly`,
  ///   `transactionTooLarge`, `noCreationNumbers`, `duringDelivery`; `atMoment`, if the context is as
  ///   of a moment.
  @discardableResult
  public func save(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> Receipt? {
    checkIsolation()
    try checkDelivery()
    await state.saveLock.lock()
    defer { state.saveLock.unlock() }
    guard let proposal = try takeUnsaved() else { return nil }
    do throws(StoreError) {
      let receipt = try await store.save(proposal)
      saved(receipt)
      store.mergeNow(on: isolation)
      return receipt
    } catch {
      giveBack(error)
      throw error
    }
  }

  /// ``save(isolation:)`` for programs without tasks: the thread sleeps.
  ///
  /// - Throws: ``StoreError``, as ``save(isolation:)``; `duringSave`, if a save of this context has not returned yet, as
  ///   that could not end; `duringWrite`, in the body of a write.
  @discardableResult
  @available(*, noasync, message: "use save, so that no thread sleeps that tasks need")
  public func saveAndWait() throws(StoreError) -> Receipt? {
    try store.checkOutsideWrite()
    guard let proposal = try takeUnsaved() else { return nil }
    do throws(StoreError) {
      let receipt = try store.saveAndWait(proposal)
      saved(receipt)
      return receipt
    } catch {
      giveBack(error)
      throw error
    }
  }

  /// Everything unsaved as a proposal, after a boundary; nil if there is nothing.
  func takeUnsaved() throws(StoreError) -> Proposal? {
    checkIsolation()
    try checkDelivery()
    try checkSaving()
    try checkPresent()
    processPendingChanges()
    settleUncertain()
    var proposal = Proposal(metadata)
    proposal.requirements = requirements
    proposal.policy = mergePolicy
    proposal.isChecked = true
    var problems: [ValidationProblem] = []
    for index in overlay.unsaved {
      let draft = overlay.drafts[index]
      let (row, net) = view.outcome(of: draft)
      let found = self.problems(of: draft, row: row)
      if !found.isEmpty { problems += found }
      if let change = proposed(draft, net: net, row: row, rows: &proposal.rows) {
        proposal.changes.append(change)
      }
    }
    if view.catalog.hasGuardedReferences {
      // Others may have inserted the records since this context last merged.
      problems += proposal.checkReferences(on: store.core.shown().reader).problems
    }
    guard problems.isEmpty else { throw StoreError(.validation(problems), path: store.path) }
    guard !proposal.changes.isEmpty else {
      // If an earlier save turns out to be in the journal, the drafts change back what it has saved.
      if state.uncertain != nil { return nil }
      overlay.moveSaveCursor()
      requirements = []
      // Nothing differs from what was there before, but others may have made it otherwise since.
      rebase(onto: view.base, .merge)
      return nil
    }
    overlay.moveSaveCursor()
    if proposal.changes.count > 1 { proposal.sortNewRecords() }
    state.saving = SaveUnderway(metadata: metadata, requirements: requirements)
    metadata = TransactionMetadata()
    requirements = []
    return proposal
  }

  /// What a record's changes since the last save come to.
  ///
  /// - Parameter rows: The rows of the proposal, to which that of the record is added.
  private func proposed(
    _ draft: Draft, net: NetChange, row new: [UInt8]?, rows: inout RowBuffer
  ) -> Proposal.Change? {
    let key = draft.key
    let start = rows.count
    // The row of a lone change is there already.
    if let new { if start == 0 { rows = RowBuffer(new) } else { rows.append(new) } }
    switch net {
    case .none: return nil
    case .insert:
      let creation = new.map { Layout.creation(of: $0.span.bytes) } ?? 0
      return Proposal.Change(
        .insert, entity: key.entity, id: key.id, row: start..<rows.count,
        creation: creation < Draft.firstCreation ? creation : nil)
    case .delete:
      return Proposal.Change(.delete, entity: key.entity, id: key.id, base: draft.base)
    case .update(let differing):
      let layout = view.catalog.newest(key.entity)
      // An attribute that others have changed, and this context has merged, differs too.
      var changed = AttributeSet(count: layout.places.count)
      for attribute in layout.places.indices
      where differing.contains(attribute) && draft.changed.contains(attribute) {
        changed.insert(attribute)
      }
      guard !changed.isEmpty else { return nil }
      return Proposal.Change(
        .update, entity: key.entity, id: key.id, row: start..<rows.count, base: draft.base,
        changed: changed)
    }
  }

  /// What was taken has been saved: the context goes on from the state that the store has now.
  func saved(_ receipt: Receipt?) {
    state.saving = nil
    let shown = store.core.shown()
    if let receipt, !receipt.isRepeated { changeFrom(receipt.sequence, in: shown) }
    rebase(onto: shown, .merge)
    followUp()
  }

  /// What has been changed since a save took the same records was changed from what that has saved.
  private func changeFrom(_ sequence: SequenceNumber, in shown: FrozenState) {
    guard !overlay.unsaved.isEmpty else { return }
    let rows = shown.rows(of: sequence.rawValue)
    for index in overlay.unsaved {
      let key = overlay.drafts[index].key
      guard let location = rows[key] else { continue }
      let layout = view.catalog.newest(key.entity)
      let saved = location == .none ? nil : shown.reader.newestRow(at: location, of: key.entity)
      switch NetChange(from: saved, to: view.row(key), layout) {
      case .none:
        let none = AttributeSet(count: layout.places.count)
        overlay.rebase(at: index, onto: location, changed: none)
      case .update(let changed): overlay.rebase(at: index, onto: location, changed: changed)
      case .insert, .delete:
        let all = AttributeSet(all: layout.places.count)
        overlay.rebase(at: index, onto: location, changed: all)
      }
    }
  }

  /// What was taken could not be saved: it is unsaved again, before what was changed since.
  func giveBack(_ error: StoreError) {
    guard let taken = state.saving.take() else { return }
    if case .unknown(let append) = error.reason {
      // If it is in the journal, what was said about it is not to be said about the next as well.
      state.uncertain = (append, taken.requirements.count)
    } else if metadata.isEmpty {
      metadata = taken.metadata
    }
    requirements = taken.requirements + requirements
    overlay.moveSaveCursorBack()
    // What others have saved meanwhile was left for the end of this save.
    store.announce()
  }

  /// If a save was answered `unknown`, and it has turned out since that it is in the journal: what it
  /// had taken is saved, and what has been changed since was changed from that.
  func settleUncertain() {
    guard let (append, requirementCount) = state.uncertain,
      let isIncluded = store.isIncluded(append)
    else { return }
    state.uncertain = nil
    guard isIncluded else { return }
    requirements.removeFirst(requirementCount)
    let saved = store.core.shown()
    changeFrom(append.sequence, in: saved)
    rebase(onto: saved, .merge)
  }

  /// Throws away everything that is not saved, pending changes included. Listeners hear the inverse.
  ///
  /// - Throws: ``StoreError`` with `duringDelivery` or `duringSave`
  public func rollback() throws(StoreError) {
    try discardPending()
    if state.isAtMoment {
      let changes = takeBackUnsaved()
      if !changes.isEmpty { fold(changes, origin: .rollback) }
    } else {
      overlay.moveSaveCursor()
      rebase(onto: view.base, .rollback)
    }
    followUp()
  }

  /// Throws away everything and goes on from what the store has now, or from the moment that the context
  /// is at. Listeners hear that what they show is void.
  ///
  /// - Throws: ``StoreError`` with `duringDelivery` or `duringSave`
  public func reset() throws(StoreError) {
    try discardPending()
    if state.isAtMoment {
      view.show(takeBackUnsaved())
    } else {
      overlay = Overlay()
      view = ContextView(store.core.shown())
    }
    deliver(.reset)
    followUp()
  }

  /// Removes what is pending, what can be undone, and what the next save requires.
  private func discardPending() throws(StoreError) {
    checkIsolation()
    try checkDelivery()
    try checkSaving()
    overlay.removePending()
    // Also where the view stays the same, as at a moment.
    state.stepCount += 1
    state.history.removeAll()
    state.uncertain = nil
    requirements = []
  }
}

extension Proposal {
  /// Sorts the inserts that get creation numbers in the order in which their records are shown, which a save does not
  /// change. All other changes stay where they are.
  fileprivate mutating func sortNewRecords() {
    let places = changes.indices.filter {
      changes[$0].kind == .insert && changes[$0].creation == nil
    }
    let bytes = rows.bytes
    let creations = places.map {
      Layout.creation(of: bytes.span.bytes.extracting(changes[$0].row))
    }
    if zip(creations, creations.dropFirst()).allSatisfy({ $0 < $1 }) { return }
    let sorted = zip(creations, places).sorted { $0.0 < $1.0 }.map { changes[$0.1] }
    for (place, change) in zip(places, sorted) { changes[place] = change }
  }
}
