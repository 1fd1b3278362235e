import DaybookJournal

// The names of version 0.2. They are removed in version 0.4.

extension EditingContext {
  /// Undoes the last boundary, except what a second writer has changed.
  @available(*, deprecated, message: "Use undo(conflicts: .skip).")
  @discardableResult
  public func undoPassingOverConflicts() throws(StoreError) -> [ConflictingChange]? {
    try undo(conflicts: .skip)
  }

  /// Applies the last undone boundary again, except what a second writer has changed.
  @available(*, deprecated, message: "Use redo(conflicts: .skip).")
  @discardableResult
  public func redoPassingOverConflicts() throws(StoreError) -> [ConflictingChange]? {
    try redo(conflicts: .skip)
  }

  /// The earlier name of ``discardLastUndo()``.
  @available(*, deprecated, renamed: "discardLastUndo()")
  @discardableResult
  public func dropUndo() throws(StoreError) -> Bool { try discardLastUndo() }

  /// The earlier name of ``discardLastRedo()``.
  @available(*, deprecated, renamed: "discardLastRedo()")
  @discardableResult
  public func dropRedo() throws(StoreError) -> Bool { try discardLastRedo() }

  /// Returns the records that refer to a record.
  @available(*, deprecated, renamed: "records(referringTo:by:)")
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, Reference<Target>?>
  ) throws(StoreError) -> [R] { try records(referringTo: id, by: keyPath) }

  /// Returns the records that refer to a record.
  @available(*, deprecated, renamed: "records(referringTo:by:)")
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, [Reference<Target>]>
  ) throws(StoreError) -> [R] { try records(referringTo: id, by: keyPath) }

  /// Returns the records that refer to a record.
  @available(*, deprecated, message: "Use records(referringTo:of:by:).")
  public func inverse(
    _ name: String, of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> [DynamicRecord] {
    try records(referringTo: id, of: entity, by: name)
  }
}

extension StoreSnapshot {
  /// Returns the records that refer to a record.
  @available(*, deprecated, renamed: "records(referringTo:by:)")
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, Reference<Target>?>
  ) throws(StoreError) -> [R] { try records(referringTo: id, by: keyPath) }

  /// Returns the records that refer to a record.
  @available(*, deprecated, renamed: "records(referringTo:by:)")
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, [Reference<Target>]>
  ) throws(StoreError) -> [R] { try records(referringTo: id, by: keyPath) }

  /// Returns the records that refer to a record.
  @available(*, deprecated, message: "Use records(referringTo:of:by:).")
  public func inverse(
    _ name: String, of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> [DynamicRecord] {
    try records(referringTo: id, of: entity, by: name)
  }
}

extension Store {
  /// The earlier name of ``readNextTransaction()``.
  @available(*, deprecated, renamed: "readNextTransaction()")
  public func catchUpByOne() throws(StoreError) -> Bool { try readNextTransaction() }

  /// Waits until the writing process may have saved a transaction.
  @available(*, deprecated, message: "Use waitForTransactions(timeout: .milliseconds(…)).")
  public func waitForMore(milliseconds: Int) {
    waitForTransactions(timeout: .milliseconds(milliseconds))
  }

  /// The earlier name of ``FollowMode``.
  @available(*, deprecated, renamed: "FollowMode")
  public typealias CatchingUp = FollowMode

  /// Opens and follows the journal of a store that a different process writes.
  @available(*, deprecated, renamed: "init(following:records:options:mode:)")
  public convenience init(
    following path: String, records types: any Record.Type...,
    options: JournalOptions = JournalOptions(), catchingUp: FollowMode
  ) throws(StoreError) {
    var options = options
    if catchingUp == .manual { options.worksInBackground = false }
    try self.init(following: path, types: types, options: options)
  }
}

extension Store.FollowMode {
  /// The earlier name of ``automatic``.
  @available(*, deprecated, renamed: "automatic")
  public static var byItself: Store.FollowMode { .automatic }

  /// The earlier name of ``manual``.
  @available(*, deprecated, renamed: "manual")
  public static var whenCalled: Store.FollowMode { .manual }
}

extension RecordSchema {
  /// Adds a reference to one record.
  @available(
    *, deprecated,
    renamed: "reference(_:at:required:checked:inverse:whenTargetDeleted:renamedFrom:)"
  )
  public func reference<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, Reference<Target>?> & Sendable,
    required isRequired: Bool = false, checked isChecked: Bool = false, inverse: String? = nil,
    whenDeleted rule: DeleteRule, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    reference(
      name, at: keyPath, required: isRequired, checked: isChecked, inverse: inverse,
      whenTargetDeleted: rule, renamedFrom: earlierName)
  }

  /// Adds references to any number of records.
  @available(
    *, deprecated, renamed: "references(_:at:checked:inverse:whenTargetDeleted:renamedFrom:)"
  )
  public func references<Target: Record>(
    _ name: String, at keyPath: WritableKeyPath<R, [Reference<Target>]> & Sendable,
    checked isChecked: Bool = false, inverse: String? = nil,
    whenDeleted rule: DeleteRule, renamedFrom earlierName: String? = nil
  ) -> RecordSchema {
    references(
      name, at: keyPath, checked: isChecked, inverse: inverse, whenTargetDeleted: rule,
      renamedFrom: earlierName)
  }
}

extension DeleteRule {
  /// The earlier name of ``keep``.
  @available(*, deprecated, renamed: "keep")
  public static var none: DeleteRule { .keep }
}

extension FetchStatistics {
  /// The earlier name of ``fetchCount``.
  @available(*, deprecated, renamed: "fetchCount")
  public var findCount: Int { fetchCount }

  /// The earlier name of ``fetchDuration``.
  @available(*, deprecated, renamed: "fetchDuration")
  public var findDuration: Duration { fetchDuration }
}
