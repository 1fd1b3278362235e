/// The effect of conflicts on an undo or a redo. A conflict is an attribute or a record that a
/// second writer has changed after the boundary.
public enum UndoConflictPolicy: Hashable, Sendable {
  /// A conflict throws an error, and nothing changes.
  case refuse
  /// The attributes and records in conflict stay as they are. The others are undone. A skipped
  /// change can no longer be undone.
  case skip
}

extension EditingContext {
  /// A Boolean value that indicates whether ``undo(conflicts:)`` can succeed. The context must have
  /// a boundary to undo, and no other writer may have changed the same attributes after that
  /// boundary. The context keeps at most ``undoLimit`` boundaries.
  ///
  /// - Complexity: O(*k*) in the records of the boundary, and in those that are pending
  public var canUndo: Bool { canTake(.undo) }

  /// A Boolean value that indicates whether ``redo(conflicts:)`` can succeed. The context must have
  /// an undone boundary, and no other writer may have changed the same attributes after the undo.
  ///
  /// - Complexity: O(*k*) in the records of the boundary, and in those that are pending
  public var canRedo: Bool { canTake(.redo) }

  /// The changes of other writers that prevent ``undo(conflicts:)``, with the attributes that both
  /// sides have changed. Empty if the undo can succeed, or if there is nothing to undo.
  public var undoConflicts: [ConflictingChange] { conflicts(.undo) }

  /// The changes of other writers that prevent ``redo(conflicts:)``, with the attributes that both
  /// sides have changed. Empty if the redo can succeed, or if there is nothing to redo.
  public var redoConflicts: [ConflictingChange] { conflicts(.redo) }

  /// Undoes the last boundary of this context, or the last group of boundaries; see
  /// ``undoGroup(_:_:)``. The undo is a new boundary, which is not saved yet.
  ///
  /// The undo does not change what other writers have saved. A boundary that was saved can be
  /// undone too: the undo makes the opposite changes, which the next save writes.
  ///
  /// ```swift
  /// if context.canUndo {
  ///   try context.undo()
  /// } else if let skipped = try context.undo(conflicts: .skip) {
  ///   print("Others have changed: \(skipped)")
  /// }
  /// ```
  ///
  /// - Parameter conflicts: The effect of an attribute or a record that a second writer has changed
  ///   after the boundary.
  /// - Returns: The changes that were skipped, with their attributes; nil if there was nothing to
  ///   undo.
  /// - Throws: ``StoreError`` with `undoConflict`, if the policy is `refuse` and there is a
  ///   conflict. Then nothing is undone, and the boundary stays the next one to undo. The program
  ///   can skip the conflicts, or call ``discardLastUndo()``. Also with `duringDelivery`.
  @discardableResult
  public func undo(
    conflicts: UndoConflictPolicy = .refuse
  ) throws(StoreError) -> [ConflictingChange]? { try perform(.undo, conflicts: conflicts) }

  /// Removes the last boundary from the boundaries that can be undone. Its changes stay.
  ///
  /// - Returns: `true` if there was a boundary.
  /// - Throws: ``StoreError`` with `duringDelivery`
  @discardableResult
  public func discardLastUndo() throws(StoreError) -> Bool { try drop(.undo) }

  /// Applies the last undone boundary again.
  ///
  /// - Parameter conflicts: The effect of an attribute or a record that a second writer has changed
  ///   after the undo.
  /// - Returns: The changes that were skipped, with their attributes; nil if there was nothing to
  ///   redo.
  /// - Throws: ``StoreError`` with `redoConflict`, if the policy is `refuse` and there is a
  ///   conflict. Then nothing is redone, and the boundary stays the next one to redo. Also with
  ///   `duringDelivery`.
  @discardableResult
  public func redo(
    conflicts: UndoConflictPolicy = .refuse
  ) throws(StoreError) -> [ConflictingChange]? { try perform(.redo, conflicts: conflicts) }

  /// Removes the last undone boundary from the boundaries that can be redone. The records do not
  /// change.
  ///
  /// - Returns: `true` if there was a boundary.
  /// - Throws: ``StoreError`` with `duringDelivery`
  @discardableResult
  public func discardLastRedo() throws(StoreError) -> Bool { try drop(.redo) }

  // MARK: Taking boundaries

  /// A Boolean value that indicates whether the pending changes become a boundary before an undo or
  /// redo. An undo then undoes that boundary first, and a redo has nothing to redo.
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
    _ direction: UndoHistory.Direction, conflicts policy: UndoConflictPolicy
  ) throws(StoreError) -> [ConflictingChange]? {
    checkIsolation()
    try checkDelivery()
    // The pending changes become the last boundary. If there are any, nothing can be redone after
    // that.
    processPendingChanges()
    state.history.endAllGroups()
    guard let entry = state.history.next(direction) else { return nil }
    let inverse = InverseChanges(of: entry.steps, in: view)
    let conflicts = inverse.conflicts
    guard policy == .skip || conflicts.isEmpty else {
      let reason: StoreError.Reason =
        direction == .undo ? .undoConflict(conflicts) : .redoConflict(conflicts)
      throw StoreError(reason, path: store.path)
    }
    state.history.move(direction, keeping: inverse.steps, in: view)
    let referrers = inverse.unchangedReferrers
    set(inverse) { referrers[$0] ?? [] }
    // Other writers can have set references to records that the undo deletes. The history does not
    // record the effects of the rules on them, so a redo does not revert these effects.
    applyDeleteRules(to: inverse, keeping: referrers)
    makeBoundary(.undo)
    followUp()
    return conflicts
  }

  /// Makes pending changes of an inverse.
  ///
  /// - Parameter referrers: Returns the references to a deleted record that stay.
  func set(_ inverse: InverseChanges, keeping referrers: (EntityKey) -> Set<Referrer>) {
    for (key, row) in inverse.rows {
      var deletion: Deletion?
      if row == nil, view.catalog.hasDeleteRules(key.entity) {
        deletion = Deletion(
          cause: .inverse, row: view.catalog.isOwner(key.entity) ? view.row(key) : nil,
          unchangedReferrers: referrers(key))
      }
      overlay.set(key, to: row, deletion: deletion)
    }
  }

  private func drop(_ direction: UndoHistory.Direction) throws(StoreError) -> Bool {
    checkIsolation()
    try checkDelivery()
    processPendingChanges()
    state.history.endAllGroups()
    guard state.history.next(direction) != nil else { return false }
    state.history.move(direction, keeping: [], in: view)
    return true
  }
}

extension EditingContext {
  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// The method makes a boundary first, except during a delivery.
  ///
  /// - Parameters:
  ///   - id: The identifier of the record.
  ///   - keyPath: A property that the schema declares as a reference to one record.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*), where *r* is the number of references to the record
  public func records<R: Record, Target: Record>(
    referringTo id: Target.ID, by keyPath: KeyPath<R, Reference<Target>?>
  ) throws(StoreError) -> [R] {
    processPendingChanges()
    return try view.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: store.path)
  }

  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// The method makes a boundary first, except during a delivery.
  ///
  /// - Parameters:
  ///   - id: The identifier of the record.
  ///   - keyPath: A property that the schema declares as references to any number of records.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*), where *r* is the number of references to the record
  public func records<R: Record, Target: Record>(
    referringTo id: Target.ID, by keyPath: KeyPath<R, [Reference<Target>]>
  ) throws(StoreError) -> [R] {
    processPendingChanges()
    return try view.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: store.path)
  }

  /// Returns the records that refer to a record by an attribute, in the order of their creation.
  /// The name of the attribute's inverse identifies the attribute.
  ///
  /// The method makes a boundary first, except during a delivery.
  ///
  /// - Parameters:
  ///   - id: The identifier of the record.
  ///   - entity: The entity of the record.
  ///   - inverse: The name of the inverse.
  /// - Throws: ``StoreError`` with `unknownEntity` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*), where *r* is the number of references to the record
  public func records(
    referringTo id: RecordIdentifier, of entity: String, by inverse: String
  ) throws(StoreError) -> [DynamicRecord] {
    processPendingChanges()
    return try view.reader.inverse(inverse, of: entity, id: id, path: store.path)
  }
}
