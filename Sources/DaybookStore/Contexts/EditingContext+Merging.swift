import DaybookJournal

extension EditingContext {
  /// Merges the changes that other writers have saved. The merge is one boundary that contains
  /// these changes only.
  ///
  /// Attributes that this context has changed keep their values. The context also keeps the values
  /// from before its changes, so that the next save detects conflicts.
  ///
  /// If a new file has replaced the journal that the store follows, the context discards all
  /// unsaved changes, and observers receive `reset`.
  ///
  /// While a save of this context is in progress, the method does nothing, because the save merges
  /// at its end. In a context that shows an earlier moment, the method only makes a boundary of the
  /// pending changes.
  ///
  /// - Throws: ``StoreError`` with `duringDelivery`
  public func mergeChanges() throws(StoreError) {
    checkIsolation()
    try checkDelivery()
    guard state.saving == nil else { return }
    processPendingChanges()
    guard !state.isAtMoment else { return }
    resolveUncertainSave()
    let published = store.core.published()
    guard published.state.generation == view.base.state.generation else { return try reset() }
    guard published.sequence != view.base.sequence else { return }
    rebase(onto: published, .merge)
    followUp()
  }

  /// Replaces the base state of the view, and applies the unsaved changes to the new base. Removes
  /// the drafts that a save had taken, and notifies observers of every difference between the old
  /// view and the new one.
  func rebase(onto base: FrozenState, _ origin: StoreTransaction.Origin) {
    let old = view
    view = ContextView(base)
    if old.catalog.layouts.count != base.catalog.layouts.count {
      overlay.renew(from: old.catalog, to: base.catalog)
      // The undo history contains rows of the earlier layouts.
      state.history.removeAll()
    }
    // Without observers and unsaved changes, which is usual at the end of a save, nothing must be
    // applied or compared.
    if !state.hasObservers, overlay.unsaved.isEmpty { return overlay.removeTaken() }
    let takenKeys = overlay.keys(of: overlay.taken)
    let unsavedKeys = overlay.keys(of: overlay.unsaved)
    let newKeys = state.hasObservers ? overlay.newKeys : []
    overlay.removeTaken()
    view.apply(replays(of: old))
    guard state.hasObservers else { return }

    var touched = TouchedKeys(takenKeys)
    touched.addChanges(from: old.base, to: base)
    for key in unsavedKeys { touched.add(key) }
    var rowChanges: [RowChange] = []
    let reordered = reorderedKeys(among: newKeys, since: old)
    let isReordered = Set(reordered)
    for key in reordered { touched.add(key) }
    for key in touched.keys {
      // A save replaces the creation number of a new record, but the record's position in lists
      // stays the same.
      let isPlaced = isReordered.contains(key) || !newKeys.contains(key)
      if let change = difference(of: key, from: old, isPlaced: isPlaced) {
        rowChanges.append(change)
      }
    }
    guard !rowChanges.isEmpty else { return notifyNewBase() }
    var memory = view.reader.memory
    // Rows of the old view may be in its own memory, so observers need that memory to read them.
    memory.earlierDraft = old.reader.memory.draft
    deliver(
      .transaction(
        StoreTransaction(origin, rowChanges: rowChanges, memory: memory, catalog: view.catalog)))
  }

  /// Returns the changes that apply the unsaved drafts to the new base of the view. Removes drafts
  /// of records that have their original values again.
  private func replays(of old: ContextView) -> [Draft] {
    var undone: [Int] = []
    var changes: [Draft] = []
    for index in overlay.unsaved {
      let draft = overlay.drafts[index]
      let key = draft.key
      let current = renewedRow(of: key, in: old)
      if isUndone(draft, current: current) {
        undone.append(index)
        continue
      }
      var target = current
      if draft.base != .none, let current, let stored = view.row(key) {
        target = view.catalog.newest(key.entity).row(
          draft.changed, of: current.span.bytes, andOthersOf: stored.span.bytes, id: key.id)
      }
      let replay = Draft(key, to: target)
      if let change = overlay.change(replay, after: draft.creation, in: view) {
        changes.append(change)
      }
    }
    overlay.remove(undone)
    return changes
  }

  /// Returns the row of a record in an earlier view, converted to the newest layout of this view.
  private func renewedRow(of key: EntityKey, in old: ContextView) -> [UInt8]? {
    let row = old.row(key)
    guard let row, old.catalog.layouts.count != view.catalog.layouts.count else { return row }
    return view.catalog.types.newest(row.span.bytes, of: key.entity, in: view.catalog)
  }

  /// Returns whether the record of an unsaved draft has its original values again, those of the
  /// draft's base.
  ///
  /// The comparison is with the draft's base and not with the newest row. If a second writer has
  /// saved the same new value, both writers have replaced the original value, which is a conflict.
  /// The draft must stay, so that the save reports it.
  private func isUndone(_ draft: Draft, current: [UInt8]?) -> Bool {
    let base = view.row(at: draft.base, of: draft.key.entity)
    guard let base, let current else {
      let isGone = current == nil && view.location(draft.key) == .none
      return isGone || base == nil && current == nil
    }
    let layout = view.catalog.newest(draft.key.entity)
    return layout.fields.indices.allSatisfy {
      !draft.changed.contains($0)
        || layout.isEqual($0, in: base.span.bytes, and: current.span.bytes)
    }
  }

  /// Returns the new records if their relative order has changed; otherwise an empty array. The
  /// order changes if a second writer has saved a record with the same identifier as a new record.
  /// The new record then has the position of the saved one.
  private func reorderedKeys(
    among drafts: Set<EntityKey>, since old: ContextView
  ) -> [EntityKey] {
    let creations = drafts.compactMap { key -> (old: UInt64, new: UInt64, key: EntityKey)? in
      guard let before = old.creation(of: key), let after = view.creation(of: key) else {
        return nil
      }
      return (before, after, key)
    }.sorted { $0.old < $1.old }
    if zip(creations, creations.dropFirst()).allSatisfy({ $0.new < $1.new }) { return [] }
    return creations.map(\.key)
  }

  /// Returns the change of a record from the old view to the new one; nil if observers need not be
  /// notified of it.
  ///
  /// - Parameter isPlaced: A Boolean value that indicates whether a different creation number alone
  ///   is a change. For a record that was deleted and inserted again it is one, because the
  ///   record's position differs.
  private func difference(
    of key: EntityKey, from old: ContextView, isPlaced: Bool
  ) -> RowChange? {
    guard let slot = view.slot(key) ?? old.slot(key) else { return nil }
    let (before, after) = (old.creation(of: key), view.creation(of: key))
    let kind: ChangeKind
    switch NetChange(
      from: renewedRow(of: key, in: old), to: view.row(key), view.catalog.newest(key.entity))
    {
    case .none:
      guard isPlaced, before != after else { return nil }
      kind = .update
    case .insert: kind = .insert
    case .update: kind = .update
    case .delete: kind = .delete
    }
    var location = old.location(key)
    if location.region == .draft { location = location.asEarlierDraft }
    return RowChange(
      kind: kind, entity: key.entity, slot: slot, old: location, new: view.location(key),
      creation: after ?? before ?? 0)
  }
}

/// A set of records, in the order of their first addition. A merge collects in it the records that
/// may look different after it.
struct TouchedKeys {
  private(set) var keys: [EntityKey] = []
  private var known: Set<EntityKey> = []

  init(_ keys: [EntityKey]) {
    for key in keys { add(key) }
  }

  mutating func add(_ key: EntityKey) {
    if known.insert(key).inserted { keys.append(key) }
  }

  /// Adds the records that the transactions between two states have changed. Either state may be
  /// the later one.
  mutating func addChanges(from one: FrozenState, to other: FrozenState) {
    let (old, new) = one.sequence < other.sequence ? (one, other) : (other, one)
    guard old.sequence < new.sequence else { return }
    for sequence in (old.sequence.rawValue + 1)...new.sequence.rawValue {
      for key in new.changedKeys(of: sequence) { add(key) }
    }
  }
}

extension FrozenState {
  /// Returns the records that a transaction has changed.
  func changedKeys(of sequence: UInt64) -> [EntityKey] {
    var keys: [EntityKey] = []
    forEachRow(of: sequence) { key, _ in keys.append(key) }
    return keys
  }

  /// Returns the locations of the rows that a transaction has written; `.none` for records that it
  /// has deleted.
  func rows(of sequence: UInt64) -> [EntityKey: RowLocation] {
    var rows: [EntityKey: RowLocation] = [:]
    forEachRow(of: sequence) { key, location in rows[key] = location }
    return rows
  }

  private func forEachRow(of sequence: UInt64, _ body: (EntityKey, RowLocation) -> Void) {
    let payload = memory.locator.location(of: sequence, in: memory)
    precondition(
      payload != .none, "transaction \(sequence) is not at the location it was applied from")
    memory.withBytes(at: payload) { bytes in
      var reader = PayloadReader(bytes, layouts: catalog.layouts)
      while let change = reader.next(in: bytes) {
        let row = bytes.extracting(change.row)
        let kind = change.layout.entity.identifierKind
        guard
          let range = change.kind == .delete
            ? 0..<row.byteCount
            : change.layout.identifierRange(in: row),
          let id = RecordIdentifier(kind, bytes: row.extracting(range))
        else { preconditionFailure("transaction \(sequence) was applied but is incomplete") }
        let location = change.kind == .delete ? .none : payload + change.row.lowerBound
        body(EntityKey(catalog.entity(of: change.layout.number), id: id), location)
      }
    }
  }
}
