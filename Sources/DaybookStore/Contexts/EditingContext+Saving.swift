import DaybookJournal

extension EditingContext {
  /// A Boolean value that indicates whether the context has unsaved changes, pending changes
  /// included.
  ///
  /// After a boundary, drafts whose rows equal the saved rows do not count, for example after an
  /// undo.
  ///
  /// - Complexity: O(*k*) in the records that were changed after the last save
  public var hasChanges: Bool {
    checkIsolation()
    return !overlay.pending.isEmpty
      || overlay.unsaved.contains { view.outcome(of: overlay.drafts[$0]).net != .none }
  }

  /// Writes everything unsaved to the journal as one transaction, and suspends until the
  /// transaction has the durability that the store is configured for.
  ///
  /// The save starts with a boundary. Changes that are made after the save has taken its drafts
  /// belong to the next save. If the save fails, the changes that it had taken are unsaved again. A
  /// save that is called while another save of this context is in progress starts after that one
  /// ends.
  ///
  /// If the task is cancelled before the transaction has a number, nothing is saved. A cancellation
  /// after that has no effect: the save suspends until the transaction is durable.
  ///
  /// - Returns: The receipt, or nil if there was nothing to save.
  /// - Throws: ``StoreError``: `validation`, `conflict`, `unknown`, `journal`, `readOnly`,
  ///   `transactionTooLarge`, `noCreationNumbers`, `duringDelivery`; `atMoment`, if the context is
  ///   at a moment; `cancelled`, if the task is cancelled before the transaction has a number.
  @discardableResult
  public func save(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> Receipt? {
    checkIsolation()
    try checkDelivery()
    do { try await state.saveLock.lockUnlessCancelled() } catch {
      throw StoreError(.cancelled, path: store.path)
    }
    defer { state.saveLock.unlock() }
    guard let proposal = try takeUnsaved() else { return nil }
    do throws(StoreError) {
      let receipt = try await store.save(proposal)
      saved(receipt)
      store.mergeNow(on: isolation)
      return receipt
    } catch {
      restoreUnsaved(after: error)
      throw error
    }
  }

  /// Saves like ``save(isolation:)``, for programs without tasks: it blocks the thread.
  ///
  /// - Throws: ``StoreError``, as ``save(isolation:)`` does; `duringSave`, if another save of this
  ///   context is in progress, because that save cannot finish while the thread is blocked;
  ///   `duringWrite`, in the body of a write.
  @discardableResult
  @available(*, noasync, message: "use save, which does not block a thread of the cooperative pool")
  public func saveAndWait() throws(StoreError) -> Receipt? {
    try store.checkOutsideWrite()
    guard let proposal = try takeUnsaved() else { return nil }
    do throws(StoreError) {
      let receipt = try store.saveAndWait(proposal)
      saved(receipt)
      return receipt
    } catch {
      restoreUnsaved(after: error)
      throw error
    }
  }

  /// Returns everything unsaved as a proposal, after a boundary; nil if there is nothing to save.
  func takeUnsaved() throws(StoreError) -> Proposal? {
    checkIsolation()
    try checkDelivery()
    try checkSaving()
    try checkPresent()
    processPendingChanges()
    resolveUncertainSave()
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
      // Other writers may have inserted the referenced records after this context last merged, or
      // the delete rules may delete records that refer to deleted ones.
      let newest = store.core.published()
      switch proposal.completed(on: newest.reader) {
      case let completed?: problems += completed.checkReferences(on: newest.reader).problems
      case nil: problems += proposal.checkReferences(on: newest.reader).problems
      }
    }
    guard problems.isEmpty else { throw StoreError(.validation(problems), path: store.path) }
    guard !proposal.changes.isEmpty else {
      // The drafts equal the base. They are kept, because they revert an earlier save of unknown
      // outcome, if that save is in the journal.
      if state.uncertain != nil { return nil }
      overlay.moveSaveCursor()
      requirements = []
      // The values equal the original ones, but other writers may have changed the records.
      rebase(onto: view.base, .merge)
      return nil
    }
    overlay.moveSaveCursor()
    if proposal.changes.count > 1 { proposal.sortNewRecords() }
    state.saving = PendingSave(metadata: metadata, requirements: requirements)
    metadata = TransactionMetadata()
    requirements = []
    return proposal
  }

  /// Returns the net change of a record after the last save, as a change of a proposal; nil if
  /// nothing changed.
  ///
  /// - Parameter rows: The rows of the proposal. The record's row is added to them.
  private func proposed(
    _ draft: Draft, net: NetChange, row new: [UInt8]?, rows: inout RowBuffer
  ) -> Proposal.Change? {
    let key = draft.key
    let start = rows.count
    // A single row becomes the buffer without a copy.
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
      // The row also differs where another writer's change was merged, so only attributes in
      // `draft.changed` count.
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

  /// Ends a successful save: the context continues from the store's current state.
  func saved(_ receipt: Receipt?) {
    state.saving = nil
    let published = store.core.published()
    if let receipt, !receipt.isRepeated { changeFrom(receipt.sequence, in: published) }
    rebase(onto: published, .merge)
    followUp()
  }

  /// Makes the rows that a save wrote the base of later drafts of these records.
  private func changeFrom(_ sequence: SequenceNumber, in published: FrozenState) {
    guard !overlay.unsaved.isEmpty else { return }
    let rows = published.rows(of: sequence.rawValue)
    for index in overlay.unsaved {
      let key = overlay.drafts[index].key
      guard let location = rows[key] else { continue }
      let layout = view.catalog.newest(key.entity)
      let saved = location == .none ? nil : published.reader.newestRow(at: location, of: key.entity)
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

  /// Ends a failed save: the changes that it had taken are unsaved again, before later changes.
  func restoreUnsaved(after error: StoreError) {
    guard let taken = state.saving.take() else { return }
    if case .unknown(let append) = error.reason {
      // The transaction may be in the journal, with this metadata. The next save must not repeat
      // the metadata.
      state.uncertain = (append, taken.requirements.count)
    } else if metadata.isEmpty {
      metadata = taken.metadata
    }
    requirements = taken.requirements + requirements
    overlay.moveSaveCursorBack()
    // Merging was postponed during this save, so the changes of other writers are announced here.
    store.announce()
  }

  /// Resolves a save with the outcome `unknown`, if the outcome has become known.
  ///
  /// If the transaction is in the journal, the changes that it had taken are saved, and later
  /// changes are based on them.
  func resolveUncertainSave() {
    guard let (append, requirementCount) = state.uncertain,
      let isIncluded = store.isIncluded(append)
    else { return }
    state.uncertain = nil
    guard isIncluded else { return }
    requirements.removeFirst(requirementCount)
    let saved = store.core.published()
    changeFrom(append.sequence, in: saved)
    rebase(onto: saved, .merge)
  }

  /// Discards everything unsaved, pending changes included. Observers receive the inverse changes.
  ///
  /// - Throws: ``StoreError`` with `duringDelivery` or `duringSave`
  public func rollback() throws(StoreError) {
    try discardPending()
    if state.isAtMoment {
      let changes = removeUnsaved()
      if !changes.isEmpty { fold(changes, origin: .rollback) }
    } else {
      overlay.moveSaveCursor()
      rebase(onto: view.base, .rollback)
    }
    followUp()
  }

  /// Discards everything unsaved, and continues from the store's current state, or from the moment
  /// of the context. Observers receive `reset`, because the records that they show are no longer
  /// valid.
  ///
  /// - Throws: ``StoreError`` with `duringDelivery` or `duringSave`
  public func reset() throws(StoreError) {
    try discardPending()
    if state.isAtMoment {
      view.apply(removeUnsaved())
    } else {
      overlay = Overlay()
      view = ContextView(store.core.published())
    }
    deliver(.reset)
    followUp()
  }

  /// Removes the pending changes, the undo history and the requirements of the next save.
  private func discardPending() throws(StoreError) {
    checkIsolation()
    try checkDelivery()
    try checkSaving()
    overlay.removePending()
    // The counter must also increase where the view stays the same, as at a moment.
    state.stepCount += 1
    state.history.removeAll()
    state.uncertain = nil
    requirements = []
  }
}

extension Proposal {
  /// Sorts the inserts that receive creation numbers by the order of their records in the context,
  /// so that a save does not change that order. All other changes keep their positions.
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
