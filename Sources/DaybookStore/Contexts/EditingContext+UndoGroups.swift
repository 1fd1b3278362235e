extension EditingContext {
  /// The name of the group that ``undo(conflicts:)`` would undo, for the title of a menu item. Nil
  /// if there is nothing to undo, or if the boundary does not belong to a group.
  ///
  /// - Complexity: O(*k*) in the records that are pending
  public var undoName: String? {
    checkIsolation()
    return hasPendingBoundary ? state.history.openName : state.history.next(.undo)?.name
  }

  /// The name of the group that ``redo(conflicts:)`` would redo, for the title of a menu item. Nil
  /// if there is nothing to redo, or if the boundary does not belong to a group.
  ///
  /// - Complexity: O(*k*) in the records that are pending
  public var redoName: String? {
    checkIsolation()
    return hasPendingBoundary ? nil : state.history.next(.redo)?.name
  }

  /// Runs a closure whose changes are undone and redone together, under one name.
  ///
  /// ```swift
  /// try context.undoGroup("Move Card") {
  ///   try context.update(Card.self, id: 7) { $0.column = "done" }
  ///   try context.update(Board.self, id: 1) { $0.moveCount += 1 }
  /// }
  /// menuItem.title = "Undo \(context.undoName ?? "")"
  /// ```
  ///
  /// The group starts and ends with a boundary. All boundaries in between belong to it, and
  /// ``undo(conflicts:)`` undoes them as one boundary. A group inside a group is a part of the
  /// outer group, and its name is not used. If the closure throws, the group contains the changes
  /// before the error.
  ///
  /// For a gesture that takes several events, such as a drag, call ``beginUndoGroup(_:)`` and
  /// ``endUndoGroup()``.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; ``StoreError`` with `duringDelivery`, if an observer calls
  ///   the method while it is being notified. The closure is not called then.
  public func undoGroup<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
    try beginUndoGroup(name)
    defer { closeUndoGroup() }
    return try body()
  }

  /// Makes a boundary, and opens a group. All boundaries of this context until the end of the group
  /// are undone and redone together, under one name.
  ///
  /// Merges are not a part of a group. An undo, a redo, a rollback and a reset end all open groups.
  /// A program can therefore cancel a gesture with ``undo(conflicts:)``.
  ///
  /// - Throws: ``StoreError`` with `duringDelivery`
  public func beginUndoGroup(_ name: String) throws(StoreError) {
    checkIsolation()
    try checkDelivery()
    processPendingChanges()
    state.history.beginGroup(name)
  }

  /// Makes a boundary, and ends the group that was opened last.
  ///
  /// - Returns: `true` if a group was open; `false` if, for example, an undo or a rollback has
  ///   ended the group already.
  /// - Throws: ``StoreError`` with `duringDelivery`
  @discardableResult
  public func endUndoGroup() throws(StoreError) -> Bool {
    checkIsolation()
    try checkDelivery()
    return closeUndoGroup()
  }

  @discardableResult
  private func closeUndoGroup() -> Bool {
    processPendingChanges()
    return state.history.endGroup()
  }
}
