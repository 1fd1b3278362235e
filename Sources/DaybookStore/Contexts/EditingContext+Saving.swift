import DaybookJournal

extension EditingContext {
  /// A Boolean value that indicates whether the context has unsaved changes, pending changes
  /// included.
  ///
  /// Each pending change counts. An unsaved change does not count if the record equals the saved
  /// record, for example after an undo. Changes that a save in progress has taken do not count
  /// either.
  ///
  /// - Complexity: O(*k*) in the records that were changed after the last save
  public var hasChanges: Bool {
    checkIsolation()
    return !overlay.pending.isEmpty
      || overlay.unsaved.contains { view.outcome(of: overlay.drafts[$0]).net != .none }
  }

  /// Writes all unsaved changes to the journal as one transaction, and suspends until the
  /// transaction is as durable as the store's options require.
  ///
  /// The save starts with a boundary. Changes that the program makes while the save is in progress
  /// belong to the next save. If the save fails, its changes are unsaved again. If a save of this
  /// context is already in progress, a second one starts after its end.
  ///
  /// If the task is cancelled before the transaction has a number, nothing is saved. A cancellation
  /// after that has no effect: the save suspends until the transaction is durable.
  ///
  /// - Returns: The receipt, or nil if the context has no changes to save.
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
    while let proposal = try takeUnsaved() {
      do throws(StoreError) {
        let receipt = try await store.save(proposal)
        saved(receipt)
        store.mergeNow(on: isolation)
        return receipt
      } catch {
        try restoreUnsaved(retryingAfter: error)
      }
    }
    return nil
  }

  /// Saves like ``save(isolation:)``, for programs without tasks. The method blocks the thread.
  ///
  /// - Throws: ``StoreError``, as ``save(isolation:)`` does; `duringSave`, if an asynchronous save
  ///   of this context is in progress, because that save cannot finish while the thread is blocked;
  ///   `duringWrite`, in the body of a write.
  @discardableResult
  @available(*, noasync, message: "use save, which does not block a thread of the cooperative pool")
  public func saveAndWait() throws(StoreError) -> Receipt? {
    try store.checkOutsideWrite()
    while let proposal = try takeUnsaved() {
      do throws(StoreError) {
        let receipt = try store.saveAndWait(proposal)
        saved(receipt)
        return receipt
      } catch {
        try restoreUnsaved(retryingAfter: error)
      }
    }
    return nil
  }

  /// Makes a boundary, and returns all unsaved changes as a proposal; nil if the context has no
  /// changes to save. The save has then taken the drafts.
  func takeUnsaved() throws(StoreError) -> Proposal? {
    checkIsolation()
    try checkDelivery()
    try checkSaving()
    try checkPresent()
    processPendingChanges()
    resolveUncertainSave()
    if store.isSharing { try checkGeneration(of: store.core.published()) }
    var proposal = Proposal(metadata)
    proposal.requirements = requirements
    proposal.policy = mergePolicy
    proposal.uniquePolicy = uniqueConflictPolicy
    proposal.isChecked = true
    proposal.layoutCount = view.catalog.layouts.count
    proposal.generation = view.base.state.generation
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
    if view.catalog.hasGuardedReferences { problems += referenceProblems(of: proposal) }
    guard problems.isEmpty else { throw StoreError(.validation(problems), path: store.path) }
    guard !proposal.changes.isEmpty else {
      // All records have their saved values. If the last save has an unknown outcome, the drafts
      // must stay: should its transaction be in the journal, the drafts revert it.
      if state.uncertain != nil { return nil }
      overlay.moveSaveCursor()
      requirements = []
      // The drafts are removed, so the context must show the values that other writers have saved
      // for these records.
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

  /// Returns the violations of guarded references by a proposal in the newest state.
  ///
  /// The result is empty if the store changes the proposal before it checks it: another writer has
  /// changed a record, which may also be a conflict, or a policy resolves unique conflicts. For
  /// example, a record that the policy skips needs no targets.
  private func referenceProblems(of proposal: borrowing Proposal) -> [ValidationProblem] {
    guard uniqueConflictPolicy == .refuse else { return [] }
    // The newest state that readers see contains targets that other writers have inserted after the
    // last merge.
    let newest = store.core.published()
    guard Proposal.Merge.isUntouched(proposal, in: newest.reader) else { return [] }
    // The delete rules are applied first: they delete referring records.
    switch proposal.completed(on: newest.reader) {
    case let completed?: return completed.checkReferences(on: newest.reader).problems
    case nil: return proposal.checkReferences(on: newest.reader).problems
    }
  }

  /// Returns the net change of a record since the last save, as a change of a proposal; nil if
  /// nothing has changed.
  ///
  /// - Parameter rows: The rows of the proposal. The record's row is added to them.
  private func proposed(
    _ draft: Draft, net: NetChange, row new: [UInt8]?, rows: inout RowBuffer
  ) -> Proposal.Change? {
    let key = draft.key
    let start = rows.count
    // The first row becomes the buffer itself, which saves a copy for a proposal with one row.
    if let new { if start == 0 { rows = RowBuffer(new) } else { rows.append(new) } }
    switch net {
    case .none: return nil
    case .insert:
      let creation = new.map { Layout.creation(of: $0.span.bytes) } ?? 0
      return Proposal.Change(
        .insert, entity: key.entity, id: key.id, row: start..<rows.count,
        creation: creation < Draft.firstCreation ? creation : nil)
    case .delete:
      return Proposal.Change(deleting: key, base: draft.base, deletion: draft.deletion)
    case .update(let differing):
      let layout = view.catalog.newest(key.entity)
      // The row also differs from the base in attributes that a merge has changed. So only
      // attributes in `draft.changed` count.
      var changed = AttributeSet(count: layout.fields.count)
      for attribute in layout.fields.indices
      where differing.contains(attribute) && draft.changed.contains(attribute) {
        changed.insert(attribute)
      }
      guard !changed.isEmpty else { return nil }
      var change = Proposal.Change(
        .update, entity: key.entity, id: key.id, row: start..<rows.count, base: draft.base,
        changed: changed)
      change.deletion = draft.deletion
      return change
    }
  }

  /// Ends a successful save. The context merges the store's current state, which contains the saved
  /// changes.
  func saved(_ receipt: Receipt?) {
    state.saving = nil
    // A save with an unknown outcome had left its changes unsaved, so this save contained them.
    state.uncertain = nil
    let published = store.core.published()
    // The replica can have restarted after the save.
    guard isOfGeneration(of: published) else {
      try? reset()
      return
    }
    if let receipt, !receipt.isRepeated { changeFrom(receipt.sequence, in: published) }
    rebase(onto: published, .merge)
    followUp()
  }

  /// Sets the base of drafts that were made during the save: the rows that the save has written.
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
        let none = AttributeSet(count: layout.fields.count)
        overlay.rebase(at: index, onto: location, changed: none)
      case .update(let changed): overlay.rebase(at: index, onto: location, changed: changed)
      case .insert, .delete:
        let all = AttributeSet(all: layout.fields.count)
        overlay.rebase(at: index, onto: location, changed: all)
      }
    }
  }

  /// Ends a failed save. If a different machine has changed a schema meanwhile, the context merges
  /// the new schema, and the caller makes a new proposal. Otherwise the method throws the error.
  private func restoreUnsaved(retryingAfter error: StoreError) throws(StoreError) {
    restoreUnsaved(after: error)
    guard case .schemaChanged = error.reason else { throw error }
    let published = store.core.published()
    try checkGeneration(of: published)
    rebase(onto: published, .merge)
  }

  /// Returns whether a state has its rows in the same file as the context. A restart of a replica
  /// replaces the file.
  private func isOfGeneration(of state: FrozenState) -> Bool {
    state.state.generation == view.base.state.generation
  }

  /// - Throws: ``StoreError`` with `restarted`
  private func checkGeneration(of state: FrozenState) throws(StoreError) {
    guard isOfGeneration(of: state) else { throw StoreError(.restarted, path: store.path) }
  }

  /// Ends a failed save. The changes that it had taken are unsaved again.
  func restoreUnsaved(after error: StoreError) {
    guard let taken = state.saving.take() else { return }
    if case .unknown(let append) = error.reason {
      // The transaction may be in the journal, with this metadata. So the next save must not have
      // the same metadata.
      state.uncertain = (append, taken.requirements.count)
    } else if metadata.isEmpty {
      metadata = taken.metadata
    }
    requirements = taken.requirements + requirements
    overlay.moveSaveCursorBack()
    // The context has not merged during this save, so a merge is scheduled here.
    store.announce()
  }

  /// Resolves a save with the outcome `unknown`, if the outcome has become known.
  ///
  /// If the transaction is in the journal, the changes that the save had taken are saved, and
  /// become the base of later changes.
  func resolveUncertainSave() {
    guard let (append, requirementCount) = state.uncertain,
      let isIncluded = store.isIncluded(append)
    else { return }
    state.uncertain = nil
    guard isIncluded else { return }
    guard isOfGeneration(of: store.core.published()) else { return }
    requirements.removeFirst(requirementCount)
    let saved = store.core.published()
    changeFrom(append.sequence, in: saved)
    rebase(onto: saved, .merge)
  }

  /// Discards all unsaved changes, pending changes included. Observers receive the inverse changes.
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

  /// Discards all unsaved changes, and shows the store's current state, or the moment of the
  /// context. Observers receive `reset`, because the records that they show are no longer valid.
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
    // The counter must also increase if the view object stays the same, as in a context at a
    // moment.
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
    let indexes = changes.indices.filter {
      changes[$0].kind == .insert && changes[$0].creation == nil
    }
    let bytes = rows.bytes
    let creations = indexes.map {
      Layout.creation(of: bytes.span.bytes.extracting(changes[$0].row))
    }
    if zip(creations, creations.dropFirst()).allSatisfy({ $0 < $1 }) { return }
    let sorted = zip(creations, indexes).sorted { $0.0 < $1.0 }.map { changes[$0.1] }
    for (index, change) in zip(indexes, sorted) { changes[index] = change }
  }
}
