import DaybookJournal

extension EditingContext {
  /// Whether anything has been changed that is not saved, pending changes included. What was changed
  /// and changed back, as by an undo, is nothing behind its boundary.
  ///
  /// - Complexity: O(*k*) in the records that were changed since the last save
  public var hasChanges: Bool {
    checkIsolation()
    return !pending.isEmpty
      || unsaved.keys.contains { key in
        guard let entry = unsaved[key] else { return false }
        return view.net(from: entry.base, key.entity, to: view.row(key, types)) != .none
      }
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
    await saveLock.lock()
    defer { saveLock.unlock() }
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

  /// Changes of which those that get creation numbers are in the order in which they are shown, which
  /// a save does not change; the others stay where they are.
  private func inOrderOfCreation(_ changes: [Proposal.Change]) -> [Proposal.Change] {
    let places = changes.indices.filter {
      changes[$0].kind == .insert && changes[$0].creation == nil
    }
    let creations = places.map {
      view.draftCreation(of: EntityKey(changes[$0].entity, changes[$0].id))
    }
    if zip(creations, creations.dropFirst()).allSatisfy({ $0 < $1 }) { return changes }
    var ordered = changes
    let sorted = zip(creations, places).sorted { $0.0 < $1.0 }
    for (place, (_, source)) in zip(places, sorted) { ordered[place] = changes[source] }
    return ordered
  }

  /// Everything unsaved as a proposal, after a boundary; nil if there is nothing.
  func takeUnsaved() throws(StoreError) -> Proposal? {
    checkIsolation()
    try checkDelivery()
    try checkSaving()
    try checkPresent()
    processPendingChanges()
    settleUncertain()
    // Moved from one to the other: a copy would count what each refers to.
    var taken = TakenChanges(
      changes: UnsavedChanges(), metadata: TransactionMetadata(), requirements: requirements)
    swap(&taken.changes, &unsaved)
    var proposal = Proposal(metadata)
    proposal.requirements = requirements
    proposal.policy = mergePolicy
    proposal.isChecked = true
    var problems: [ValidationProblem] = []
    let (view, types) = (view, types)
    taken.changes.forEach { key, entry in
      let row = view.row(key, types)
      let found = self.problems(key, entry, row)
      if !found.isEmpty { problems += found }
      if let change = proposed(key, entry, row, &proposal.rows) { proposal.changes.append(change) }
    }
    if view.catalog.hasGuardedReferences {
      // Others may have inserted the records since this context last merged.
      problems += proposal.checkReferences(on: store.core.shown()).problems
    }
    guard problems.isEmpty else {
      swap(&taken.changes, &unsaved)
      throw StoreError(.validation(problems), path: store.path)
    }
    guard !proposal.changes.isEmpty else {
      requirements = []
      // Nothing differs from what was there before, but others may have made it otherwise since.
      rebase(onto: view.base, .merge, also: taken.changes.keys)
      return nil
    }
    if proposal.changes.count > 1 { proposal.changes = inOrderOfCreation(proposal.changes) }
    swap(&taken.metadata, &metadata)
    requirements = []
    saving = consume taken
    return proposal
  }

  /// What a record's changes since the last save come to.
  private func proposed(
    _ key: EntityKey, _ entry: UnsavedChanges.Entry, _ new: [UInt8]?, _ rows: inout RowBuffer
  ) -> Proposal.Change? {
    let start = rows.count
    // The row of a lone change is there already.
    if let new { if start == 0 { rows = RowBuffer(new) } else { rows.append(new) } }
    switch view.net(from: entry.base, key.entity, to: new) {
    case .none: return nil
    case .insert:
      let creation = new.map { Layout.creation(of: $0.span.bytes) } ?? 0
      return Proposal.Change(
        .insert, entity: key.entity, id: key.id, row: start..<rows.count,
        creation: creation < ContextView.firstDraftCreation ? creation : nil)
    case .delete:
      return Proposal.Change(.delete, entity: key.entity, id: key.id, base: entry.base)
    case .update(let differing):
      let layout = view.catalog.newest(key.entity)
      // An attribute that others have changed, and this context has merged, differs too.
      var changed = AttributeSet(count: layout.places.count)
      for attribute in layout.places.indices
      where differing.contains(attribute) && entry.changed.contains(attribute) {
        changed.insert(attribute)
      }
      guard !changed.isEmpty else { return nil }
      return Proposal.Change(
        .update, entity: key.entity, id: key.id, row: start..<rows.count, base: entry.base,
        changed: changed)
    }
  }

  /// What was taken has been saved: the context goes on from the state that the store has now.
  private func saved(_ receipt: Receipt?) {
    // Nobody asks for them if nobody listens and nothing was changed meanwhile.
    let isAsked = isHeard || !unsaved.isEmpty
    let keys = isAsked ? saving?.changes.keys ?? [] : []
    saving = nil
    let shown = store.core.shown()
    if isAsked, let receipt, !receipt.isRepeated {
      changeFrom(receipt.sequence, keys, in: shown)
    }
    rebase(onto: shown, .merge, also: keys)
    followUp()
  }

  /// What has been changed since a save took these records was changed from what that has saved.
  private func changeFrom(
    _ sequence: SequenceNumber, _ keys: [EntityKey], in shown: FrozenState
  ) {
    guard !unsaved.isEmpty else { return }
    let rows = shown.rows(of: sequence.rawValue)
    for key in keys {
      guard var entry = unsaved[key], let location = rows[key] else { continue }
      entry.base = location
      let old =
        location == .none
        ? nil
        : shown.memory.withWholeRow(at: location, shown.catalog.layouts) {
          types.newest($0, key.entity, shown.catalog)
        }
      let layout = view.catalog.newest(key.entity)
      switch NetChange(from: old, to: view.row(key, types), layout) {
      case .none:
        unsaved.remove(key)
        continue
      case .update(let changed): entry.changed = changed
      case .insert, .delete: entry.changed = AttributeSet(all: layout.places.count)
      }
      unsaved.set(key, to: entry)
    }
  }

  /// What was taken could not be saved: it is unsaved again, before what was changed since.
  private func giveBack(_ error: StoreError) {
    guard let taken = saving.take() else { return }
    if case .unknown(let append) = error.reason {
      // If it is in the journal, what was said about it is not to be said about the next as well.
      uncertain = (append, taken.changes.keys, taken.requirements.count)
    } else if metadata.isEmpty {
      metadata = taken.metadata
    }
    requirements = taken.requirements + requirements
    var all = taken.changes
    for key in unsaved.keys {
      guard let entry = unsaved[key] else { continue }
      if var earlier = all[key] {
        earlier.changed.formUnion(entry.changed)
        all.set(key, to: earlier)
      } else {
        all.set(key, to: entry)
      }
    }
    unsaved = all
    // What others have saved meanwhile was left for the end of this save.
    store.announce()
  }

  /// If a save was answered `unknown`, and it has turned out since that it is in the journal: what it
  /// had taken is saved, and what has been changed since was changed from that.
  func settleUncertain() {
    guard let (append, keys, requirementCount) = uncertain,
      let isIncluded = store.isIncluded(append)
    else { return }
    uncertain = nil
    guard isIncluded else { return }
    requirements.removeFirst(requirementCount)
    let saved = store.core.shown()
    changeFrom(append.sequence, keys, in: saved)
    rebase(onto: saved, .merge, also: keys)
  }

  /// Throws away everything that is not saved, pending changes included. Listeners hear the inverse.
  ///
  /// - Throws: ``StoreError`` with `duringDelivery` or `duringSave`
  public func rollback() throws(StoreError) {
    checkIsolation()
    try checkDelivery()
    try checkSaving()
    pending.removeAll()
    history.removeAll()
    uncertain = nil
    requirements = []
    if isAtMoment {
      let rowChanges = takeBackUnsaved()
      if !rowChanges.isEmpty {
        deliver(.transaction(StoreTransaction(.rollback, rowChanges, view.memory, view.catalog)))
      }
    } else {
      let keys = unsaved.keys
      unsaved.removeAll()
      rebase(onto: view.base, .rollback, also: keys)
    }
    followUp()
  }

  /// Throws away everything and goes on from what the store has now, or from the moment that the context
  /// is at. Listeners hear that what they show is void.
  ///
  /// - Throws: ``StoreError`` with `duringDelivery` or `duringSave`
  public func reset() throws(StoreError) {
    checkIsolation()
    try checkDelivery()
    try checkSaving()
    pending.removeAll()
    history.removeAll()
    uncertain = nil
    requirements = []
    if isAtMoment {
      _ = takeBackUnsaved()
    } else {
      unsaved.removeAll()
      view = ContextView(store.core.shown())
    }
    deliver(.reset)
    followUp()
  }
}
