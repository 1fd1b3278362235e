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

  /// Undoes the last boundary of this context. The undo is a new boundary, which is not saved yet.
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
  private var hasPendingBoundary: Bool {
    guard undoLimit > 0 else { return false }
    return overlay.pending.contains { index in
      var draft = overlay.drafts[index]
      return draft.changesRecord(in: view)
    }
  }

  private func canTake(_ direction: UndoHistory.Direction) -> Bool {
    checkIsolation()
    if hasPendingBoundary { return direction == .undo }
    guard let steps = state.history.next(direction) else { return false }
    return inverse(of: steps).conflicts.isEmpty
  }

  private func conflicts(_ direction: UndoHistory.Direction) -> [ConflictingChange] {
    checkIsolation()
    if hasPendingBoundary { return [] }
    return state.history.next(direction).map { inverse(of: $0).conflicts } ?? []
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
    guard let steps = state.history.next(direction) else { return nil }
    let inverse = inverse(of: steps)
    let conflicts = inverse.conflicts
    guard passesOver || conflicts.isEmpty else {
      let reason: StoreError.Reason =
        direction == .undo ? .undoConflict(conflicts) : .redoConflict(conflicts)
      throw StoreError(reason, path: store.path)
    }
    state.history.move(direction, keeping: inverse.steps)
    for (key, row) in inverse.rows { overlay.set(key, to: row) }
    makeBoundary(.undo)
    followUp()
    return conflicts
  }

  private func drop(_ direction: UndoHistory.Direction) throws(StoreError) -> Bool {
    checkIsolation()
    try checkDelivery()
    processPendingChanges()
    guard state.history.next(direction) != nil else { return false }
    state.history.move(direction, keeping: [])
    return true
  }

  // MARK: Inverses

  /// The changes that undo a boundary, and the conflicts with other writers.
  private struct Inverse {
    /// The new row of each record; nil if the record is deleted.
    var rows: [(key: EntityKey, row: [UInt8]?)] = []
    /// The part of the boundary that `rows` undo.
    var steps: [UndoHistory.Step] = []
    /// The part of the boundary that is in conflict.
    var conflicts: [ConflictingChange] = []
  }

  private func inverse(of steps: [UndoHistory.Step]) -> Inverse {
    var inverse = Inverse()
    for step in steps.reversed() { add(step, to: &inverse) }
    inverse.steps.reverse()
    return inverse
  }

  /// Adds the inverse of a step, except the part that is in conflict with another writer.
  private func add(_ step: UndoHistory.Step, to inverse: inout Inverse) {
    let current = view.row(step.key)
    func undo(_ step: UndoHistory.Step, to row: [UInt8]?) {
      inverse.steps.append(step)
      inverse.rows.append((step.key, row))
    }
    guard let current, let new = step.new else {
      switch (current != nil, step.new != nil) {
      case (false, false): undo(step, to: step.old)
      // The undo deletes the record, and another writer has deleted it already.
      case (false, true) where step.old == nil: undo(step, to: nil)
      case (false, true): inverse.conflicts.append(conflict(step.key, kind: .deleted))
      case (true, _): inverse.conflicts.append(conflict(step.key, kind: .added))
      }
      return
    }
    let layout = view.catalog.newest(step.key.entity)
    var touched = AttributeSet(all: layout.places.count)
    if let old = step.old {
      touched = layout.changedAttributes(from: old.span.bytes, to: new.span.bytes)
    }
    var own = AttributeSet(count: layout.places.count)
    var foreign: [String] = []
    for place in layout.places.indices where touched.contains(place) {
      if layout.isEqual(place, in: current.span.bytes, and: new.span.bytes) {
        own.insert(place)
      } else {
        foreign.append(layout.entity.attributes[place].name)
      }
    }
    if !foreign.isEmpty {
      inverse.conflicts.append(conflict(step.key, kind: .changed(attributes: foreign)))
    }
    guard let old = step.old else {
      // A record that another writer has changed is not deleted.
      if foreign.isEmpty { undo(step, to: nil) }
      return
    }
    guard foreign.isEmpty || !own.isEmpty else { return }
    func row(_ other: [UInt8]) -> [UInt8] {
      layout.row(own, of: old.span.bytes, andOthersOf: other.span.bytes, id: step.key.id)
    }
    let part = UndoHistory.Step(
      key: step.key, old: foreign.isEmpty ? old : row(new), new: new)
    undo(part, to: row(current))
  }

  private func conflict(
    _ key: EntityKey, kind: ConflictingChange.Kind
  ) -> ConflictingChange {
    ConflictingChange(entity: view.catalog.names[key.entity], id: key.id, kind: kind)
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

/// The boundaries that a context can undo and redo.
struct UndoHistory {
  /// The effect of one boundary on one record: its row before and after, each nil if there was no
  /// record.
  struct Step {
    var key: EntityKey
    var old: [UInt8]?
    var new: [UInt8]?
  }

  private(set) var done: [[Step]] = []
  private(set) var undone: [[Step]] = []

  mutating func limit(to count: Int) {
    if done.count > count { done.removeFirst(done.count - count) }
    if count == 0 { undone = [] }
  }

  /// Records a boundary that this context has made. After it, nothing can be redone.
  mutating func record(
    _ changes: [Draft], before: (EntityKey) -> [UInt8]?, limit: Int
  ) {
    precondition(limit > 0, "a boundary was recorded while undo is off")
    done.append(changes.map { Step(key: $0.key, old: before($0.key), new: $0.row) })
    undone = []
    self.limit(to: limit)
  }

  /// The direction of a step in the history.
  enum Direction {
    case undo, redo
  }

  /// Returns the next boundary in a direction.
  func next(_ direction: Direction) -> [Step]? {
    switch direction {
    case .undo: done.last
    case .redo: undone.last
    }
  }

  /// Moves the next boundary to the other side, inverted.
  ///
  /// - Parameter steps: The part of the boundary that was applied. If it is empty, the boundary is
  ///   dropped.
  mutating func move(_ direction: Direction, keeping steps: [Step]) {
    guard next(direction) != nil else { return }
    let inverse = UndoHistory.inverse(steps)
    switch direction {
    case .undo:
      done.removeLast()
      if !inverse.isEmpty { undone.append(inverse) }
    case .redo:
      undone.removeLast()
      if !inverse.isEmpty { done.append(inverse) }
    }
  }

  mutating func removeAll() {
    done = []
    undone = []
  }

  private static func inverse(_ steps: [Step]) -> [Step] {
    steps.reversed().map { Step(key: $0.key, old: $0.new, new: $0.old) }
  }
}
