extension EditingContext {
  /// Whether there is a boundary to undo. Boundaries are kept up to ``undoLimit``.
  public var canUndo: Bool { !history.done.isEmpty }

  /// Whether there is a boundary that was undone and can be done again.
  public var canRedo: Bool { !history.undone.isEmpty }

  /// Takes back the last boundary of this context, as a boundary of its own that is not saved yet.
  ///
  /// Merges are passed over: what others have changed stays. After a save this makes the
  /// compensating changes, which the next save writes.
  ///
  /// - Returns: Whether there was one.
  /// - Throws: ``StoreError`` with `conflict`, if someone else has since changed what it had changed;
  ///   then nothing is undone. With `duringDelivery` in a delivery.
  @discardableResult
  public func undo() throws(StoreError) -> Bool {
    try step({ $0.done.last }) { $0.undo() }
  }

  /// Does again what was undone last.
  ///
  /// - Returns: Whether there was something.
  /// - Throws: ``StoreError``, as ``undo()``.
  @discardableResult
  public func redo() throws(StoreError) -> Bool {
    try step({ $0.undone.last }) { $0.redo() }
  }

  private func step(
    _ last: (UndoHistory) -> [UndoHistory.Step]?, _ move: (inout UndoHistory) -> Void
  ) throws(StoreError) -> Bool {
    checkIsolation()
    try checkDelivery()
    // What was pending is the last boundary now, and then nothing can be done again.
    processPendingChanges()
    guard let steps = last(history) else { return false }
    var changes: [ContextView.DraftChange] = []
    var conflicts: [ConflictingChange] = []
    for step in steps.reversed() {
      switch inverse(step) {
      case .success(let change): if let change { changes.append(change) }
      case .failure(let conflict): conflicts.append(conflict.change)
      }
    }
    guard conflicts.isEmpty else { throw StoreError(.conflict(conflicts), path: store.path) }
    move(&history)
    if !changes.isEmpty { apply(changes, .undo) }
    followUp()
    return true
  }

  private struct Conflict: Error {
    var change: ConflictingChange
  }

  /// What takes a step back; nil if nothing is left of it.
  private func inverse(
    _ step: UndoHistory.Step
  ) -> Result<ContextView.DraftChange?, Conflict> {
    let layout = view.catalog.newest(step.key.entity)
    let current = view.row(step.key, types)
    var touched = AttributeSet(all: layout.places.count)
    if let old = step.old, let new = step.new {
      touched = layout.changedAttributes(from: old.span.bytes, to: new.span.bytes)
    }
    let isThere = current != nil
    guard isThere == (step.new != nil) else {
      // Both have deleted it.
      if step.old == nil, !isThere { return .success(nil) }
      return .failure(conflict(step.key, isThere ? .added : .deleted))
    }
    guard let current, let new = step.new else {
      return .success(view.change(step.key, to: step.old))
    }
    let foreign = layout.places.indices.filter {
      touched.contains($0) && !layout.isEqual($0, in: current.span.bytes, new.span.bytes)
    }
    guard foreign.isEmpty else {
      let attributes = foreign.map { layout.entity.attributes[$0].name }
      return .failure(conflict(step.key, .changed(attributes: attributes)))
    }
    guard let old = step.old else { return .success(view.change(step.key, to: nil)) }
    let target = layout.row(
      touched, of: old.span.bytes, andOthersOf: current.span.bytes, id: step.key.id)
    return .success(view.change(step.key, to: target))
  }

  private func conflict(_ key: EntityKey, _ kind: ConflictingChange.Kind) -> Conflict {
    Conflict(
      change: ConflictingChange(
        entity: view.catalog.names[key.entity], id: key.id, kind: kind))
  }
}
