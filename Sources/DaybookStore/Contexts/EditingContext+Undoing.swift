extension EditingContext {
  /// A Boolean value that indicates whether ``undo()`` can succeed: there is a boundary to undo,
  /// and no other writer has changed the same attributes after it. At most ``undoLimit`` boundaries
  /// are kept.
  ///
  /// - Complexity: O(*k*) in the records of the boundary, and in those that are pending
  public var canUndo: Bool { canTake(.undo) }

  /// A Boolean value that indicates whether ``redo()`` can succeed: there is an undone boundary,
  /// and no other writer has changed the same attributes after it.
  ///
  /// - Complexity: O(*k*) in the records of the boundary, and in those that are pending
  public var canRedo: Bool { canTake(.redo) }

  /// The changes of other writers that prevent ``undo()``, with the attributes that both have
  /// changed; empty if the undo can succeed, or if there is nothing to undo.
  public var undoConflicts: [ConflictingChange] { conflicts(.undo) }

  /// The changes of other writers that prevent ``redo()``, with the attributes that both have
  /// changed; empty if the redo can succeed, or if there is nothing to redo.
  public var redoConflicts: [ConflictingChange] { conflicts(.redo) }

  /// Undoes the last boundary of this context, or the last group of boundaries; see
  /// ``undoGroup(_:_:)``. The undo is a new boundary, which is not saved yet.
  ///
  /// Merges are skipped: the changes of other writers stay. After a save, the undo makes
  /// compensating changes, which the next save writes.
  ///
  /// ```swift
  /// if context.canUndo {
  ///   try context.undo()
  /// } else if let kept = try context.undoPassingOverConflicts() {
  ///   print("Others have changed: \(kept)")
  /// }
  /// ```
  ///
  /// - Returns: `true` if there was a boundary to undo.
  /// - Throws: ``StoreError`` with `undoConflict`, if another writer has changed the same
  ///   attributes after the boundary. Then nothing is undone, and the boundary stays the next one
  ///   to undo. Continue with ``undoPassingOverConflicts()`` or ``dropUndo()``. With
  ///   `duringDelivery`
  @discardableResult
  public func undo() throws(StoreError) -> Bool { try perform(.undo, passesOver: false) != nil }

  /// Undoes the last boundary of this context, except the attributes and records that another
  /// writer has changed after it.
  ///
  /// If some attributes of a record are in conflict, the other attributes are undone. A skipped
  /// change can no longer be undone.
  ///
  /// - Returns: The changes that were skipped, with the attributes; nil if there was no boundary.
  /// - Throws: ``StoreError`` with `duringDelivery`
  @discardableResult
  public func undoPassingOverConflicts() throws(StoreError) -> [ConflictingChange]? {
    try perform(.undo, passesOver: true)
  }

  /// Removes the last boundary from the boundaries that can be undone. Its changes stay.
  ///
  /// - Returns: `true` if there was a boundary.
  /// - Throws: ``StoreError`` with `duringDelivery`
  @discardableResult
  public func dropUndo() throws(StoreError) -> Bool { try drop(.undo) }

  /// Applies the last undone boundary again.
  ///
  /// - Returns: `true` if there was a boundary to redo.
  /// - Throws: ``StoreError`` with `redoConflict`, if another writer has changed the same
  ///   attributes after the undo, as ``undo()`` does.
  @discardableResult
  public func redo() throws(StoreError) -> Bool { try perform(.redo, passesOver: false) != nil }

  /// Applies the last undone boundary again, except the attributes and records that another writer
  /// has changed after the undo.
  ///
  /// - Returns: The changes that were skipped, with the attributes; nil if there was no boundary.
  /// - Throws: ``StoreError`` with `duringDelivery`
  @discardableResult
  public func redoPassingOverConflicts() throws(StoreError) -> [ConflictingChange]? {
    try perform(.redo, passesOver: true)
  }

  /// Removes the last undone boundary from the boundaries that can be redone.
  ///
  /// - Returns: `true` if there was a boundary.
  /// - Throws: ``StoreError`` with `duringDelivery`
  @discardableResult
  public func dropRedo() throws(StoreError) -> Bool { try drop(.redo) }

  // MARK: Taking boundaries

  /// A Boolean value that indicates whether the pending changes become a boundary before an undo or
  /// redo. That boundary is undone first, and after it nothing can be redone.
  var hasPendingBoundary: Bool {
    guard undoLimit > 0 else { return false }
    return overlay.pending.contains { index in
      var draft = overlay.drafts[index]
      return draft.changesRecord(in: view)
    }
  }

  private func canTake(_ direction: UndoHistory.Direction) -> Bool {
    checkIsolation()
    if hasPendingBoundary { return direction == .undo }
    guard let entry = state.history.next(direction) else { return false }
    return InverseChanges(of: entry.steps, in: view).conflicts.isEmpty
  }

  private func conflicts(_ direction: UndoHistory.Direction) -> [ConflictingChange] {
    checkIsolation()
    if hasPendingBoundary { return [] }
    return state.history.next(direction).map {
      InverseChanges(of: $0.steps, in: view).conflicts
    } ?? []
  }

  /// Undoes or redoes the next boundary.
  ///
  /// - Returns: The changes that were skipped; nil if there was no boundary.
  private func perform(
    _ direction: UndoHistory.Direction, passesOver: Bool
  ) throws(StoreError) -> [ConflictingChange]? {
    checkIsolation()
    try checkDelivery()
    // The pending changes become the last boundary, and then nothing can be redone.
    processPendingChanges()
    state.history.endAllGroups()
    guard let entry = state.history.next(direction) else { return nil }
    let inverse = InverseChanges(of: entry.steps, in: view)
    let conflicts = inverse.conflicts
    guard passesOver || conflicts.isEmpty else {
      let reason: StoreError.Reason =
        direction == .undo ? .undoConflict(conflicts) : .redoConflict(conflicts)
      throw StoreError(reason, path: store.path)
    }
    state.history.move(direction, keeping: inverse.steps)
    for (key, row) in inverse.rows { overlay.set(key, to: row) }
    // The rules apply to the deletions of an undo, too. Their effects are not part of the undo, so
    // a redo does not remove them.
    applyDeleteRules()
    makeBoundary(.undo)
    followUp()
    return conflicts
  }

  private func drop(_ direction: UndoHistory.Direction) throws(StoreError) -> Bool {
    checkIsolation()
    try checkDelivery()
    processPendingChanges()
    state.history.endAllGroups()
    guard state.history.next(direction) != nil else { return false }
    state.history.move(direction, keeping: [])
    return true
  }
}

extension EditingContext {
  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// It makes a boundary first, except during a delivery.
  ///
  /// - Parameters:
  ///   - id: The identifier of the record.
  ///   - keyPath: A property that the schema declares as a reference to one record.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, Reference<Target>?>
  ) throws(StoreError) -> [R] {
    processPendingChanges()
    return try view.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: store.path)
  }

  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// It makes a boundary first, except during a delivery.
  ///
  /// - Parameters:
  ///   - id: The identifier of the record.
  ///   - keyPath: A property that the schema declares as references to any number of records.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, [Reference<Target>]>
  ) throws(StoreError) -> [R] {
    processPendingChanges()
    return try view.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: store.path)
  }

  /// Returns the records that refer to a record by the attribute with a given inverse name, in the
  /// order of their creation.
  ///
  /// It makes a boundary first, except during a delivery.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func inverse(
    _ name: String, of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> [DynamicRecord] {
    processPendingChanges()
    return try view.reader.inverse(name, of: entity, id: id, path: store.path)
  }
}
