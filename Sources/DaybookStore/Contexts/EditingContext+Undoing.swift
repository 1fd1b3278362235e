extension EditingContext {
  /// A Boolean value that indicates whether ``undo()`` can succeed: there is a boundary to undo, and nobody else
  /// has changed the same since. Boundaries are kept up to ``undoLimit``.
  ///
  /// - Complexity: O(*k*) in the records of the boundary, and in those that are pending
  public var canUndo: Bool { canTake(.undo) }

  /// A Boolean value that indicates whether ``redo()`` can succeed: there is a boundary that was undone, and nobody
  /// else has changed the same since.
  ///
  /// - Complexity: O(*k*) in the records of the boundary, and in those that are pending
  public var canRedo: Bool { canTake(.redo) }

  /// The changes of others that ``undo()`` is refused for, with the attributes that both have changed; empty if
  /// it can succeed, or if there is nothing to undo.
  public var undoConflicts: [ConflictingChange] { conflicts(.undo) }

  /// The changes of others that ``redo()`` is refused for, with the attributes that both have changed; empty if
  /// it can succeed, or if there is nothing to do again.
  public var redoConflicts: [ConflictingChange] { conflicts(.redo) }

  /// Takes back the last boundary of this context, as a boundary of its own that is not saved yet.
  ///
  /// Merges are passed over: what others have changed stays. After a save this makes the
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
  /// - Returns: Whether there was one.
  /// - Throws: ``StoreError`` with `undoConflict`, if someone else has since changed what it had changed;
  ///   then nothing is undone, and the boundary stays the next one: go on with
  ///   ``undoPassingOverConflicts()`` or ``dropUndo()``. With `duringDelivery` in a delivery.
  @discardableResult
  public func undo() throws(StoreError) -> Bool { try take(.undo, passesOver: false) != nil }

  /// Takes back the last boundary of this context, but for what someone else has changed since, which stays.
  ///
  /// Of a record of which some attributes are in conflict, the others are taken back. What was passed over cannot be
  /// undone any more.
  ///
  /// - Returns: What was passed over, with the attributes; nil if there was no boundary.
  /// - Throws: ``StoreError`` with `duringDelivery` in a delivery.
  @discardableResult
  public func undoPassingOverConflicts() throws(StoreError) -> [ConflictingChange]? {
    try take(.undo, passesOver: true)
  }

  /// Removes the last boundary from what can be undone. What it changed stays.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``StoreError`` with `duringDelivery` in a delivery.
  @discardableResult
  public func dropUndo() throws(StoreError) -> Bool { try drop(.undo) }

  /// Does again what was undone last.
  ///
  /// - Returns: Whether there was something.
  /// - Throws: ``StoreError`` with `redoConflict`, if someone else has since changed the same; as ``undo()`` does.
  @discardableResult
  public func redo() throws(StoreError) -> Bool { try take(.redo, passesOver: false) != nil }

  /// Does again what was undone last, but for what someone else has changed since, which stays.
  ///
  /// - Returns: What was passed over, with the attributes; nil if there was nothing.
  /// - Throws: ``StoreError`` with `duringDelivery` in a delivery.
  @discardableResult
  public func redoPassingOverConflicts() throws(StoreError) -> [ConflictingChange]? {
    try take(.redo, passesOver: true)
  }

  /// Removes what was undone last from what can be done again.
  ///
  /// - Returns: Whether there was something.
  /// - Throws: ``StoreError`` with `duringDelivery` in a delivery.
  @discardableResult
  public func dropRedo() throws(StoreError) -> Bool { try drop(.redo) }

  // MARK: Taking boundaries

  /// Whether what is pending becomes a boundary before any other is taken: that one is undone first, and
  /// behind it nothing can be done again.
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

  /// - Returns: What was passed over; nil if there was no boundary.
  private func take(
    _ direction: UndoHistory.Direction, passesOver: Bool
  ) throws(StoreError) -> [ConflictingChange]? {
    checkIsolation()
    try checkDelivery()
    // What was pending is the last boundary now, and then nothing can be done again.
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

  /// What takes a boundary back.
  private struct Inverse {
    /// The row that each record has then; nil if it is deleted.
    var rows: [(key: EntityKey, row: [UInt8]?)] = []
    /// The part of the boundary that they take back.
    var steps: [UndoHistory.Step] = []
    /// The rest of it.
    var conflicts: [ConflictingChange] = []
  }

  private func inverse(of steps: [UndoHistory.Step]) -> Inverse {
    var inverse = Inverse()
    for step in steps.reversed() { add(step, to: &inverse) }
    inverse.steps.reverse()
    return inverse
  }

  /// Adds what takes a step back, as far as nobody else has changed the same.
  private func add(_ step: UndoHistory.Step, to inverse: inout Inverse) {
    let current = view.row(step.key)
    func take(_ step: UndoHistory.Step, to row: [UInt8]?) {
      inverse.steps.append(step)
      inverse.rows.append((step.key, row))
    }
    guard let current, let new = step.new else {
      switch (current != nil, step.new != nil) {
      case (false, false): take(step, to: step.old)
      // Both have deleted it.
      case (false, true) where step.old == nil: take(step, to: nil)
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
      // A record that others have changed is not deleted.
      if foreign.isEmpty { take(step, to: nil) }
      return
    }
    guard foreign.isEmpty || !own.isEmpty else { return }
    func row(_ other: [UInt8]) -> [UInt8] {
      layout.row(own, of: old.span.bytes, andOthersOf: other.span.bytes, id: step.key.id)
    }
    let part = UndoHistory.Step(
      key: step.key, old: foreign.isEmpty ? old : row(new), new: new)
    take(part, to: row(current))
  }

  private func conflict(
    _ key: EntityKey, kind: ConflictingChange.Kind
  ) -> ConflictingChange {
    ConflictingChange(entity: view.catalog.names[key.entity], id: key.id, kind: kind)
  }
}

extension EditingContext {
  /// The records that refer to a record, in the order in which they were made. It begins with a
  /// boundary, unless a listener asks.
  ///
  /// - Parameter keyPath: A property that the schema knows as a reference to one record.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, Reference<Target>?>
  ) throws(StoreError) -> [R] {
    processPendingChanges()
    return try view.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: store.path)
  }

  /// The records that refer to a record, in the order in which they were made. It begins with a
  /// boundary, unless a listener asks.
  ///
  /// - Parameter keyPath: A property that the schema knows as references to any number of records.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, [Reference<Target>]>
  ) throws(StoreError) -> [R] {
    processPendingChanges()
    return try view.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: store.path)
  }

  /// The records that refer to a record by the attribute whose inverse has a name, in the order in
  /// which they were made. It begins with a boundary, unless a listener asks.
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

/// The boundaries that a context can undo and do again.
struct UndoHistory {
  /// What one boundary did to one record: its row before and after, each nil if there was none.
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

  /// Records a boundary of the context's own. What had been undone cannot be done again after it.
  mutating func record(
    _ changes: [Draft], before: (EntityKey) -> [UInt8]?, limit: Int
  ) {
    precondition(limit > 0, "a boundary is recorded that cannot be undone")
    done.append(changes.map { Step(key: $0.key, old: before($0.key), new: $0.row) })
    undone = []
    self.limit(to: limit)
  }

  /// In which direction a boundary is taken.
  enum Direction {
    case undo, redo
  }

  /// The boundary that is next in a direction.
  func next(_ direction: Direction) -> [Step]? {
    switch direction {
    case .undo: done.last
    case .redo: undone.last
    }
  }

  /// Moves the next boundary from one side to the other, turned round.
  ///
  /// - Parameter steps: The part of it that was carried out. Where that is nothing, the boundary is dropped.
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
