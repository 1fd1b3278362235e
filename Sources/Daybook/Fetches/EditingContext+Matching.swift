import DaybookResults
import DaybookStore

extension EditingContext {
  /// Deletes the records that match a filter.
  ///
  /// ```swift
  /// let count = try context.delete(Bank.self, where: \Bank.state == "PR")
  /// ```
  ///
  /// The method starts with a boundary, so that the filter reads pending changes too. There is no
  /// boundary if an observer calls the method during a notification. Then the filter does not read
  /// changes that are still pending. The context applies the delete rules at once, as with
  /// ``delete(_:id:isolation:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - filter: The filter. `Filter.always` deletes all records of the type.
  ///   - isolation: The actor of the caller.
  /// - Returns: The number of deleted records.
  /// - Throws: `RequestError` for an error in the filter, `StoreError` with `unknownType`, or with
  ///   `journal` if a stored record is damaged
  /// - Complexity: O(*n*)
  @discardableResult
  public func delete<R: Record>(
    _ type: R.Type, where filter: Filter, isolation: (any Actor)? = #isolation
  ) throws -> Int {
    try delete(type, ids: identifiers(of: type, where: filter), isolation: isolation)
  }

  /// Calls a closure that updates each record that matches a filter.
  ///
  /// ```swift
  /// try context.update(Bank.self, where: \Bank.state == "PR") { $0.state = "Puerto Rico" }
  /// ```
  ///
  /// The closure receives the matching records one after another, in the order of their creation.
  /// The context changes the records only after the final call has returned. So no call sees the
  /// changes of an earlier call. Only the attributes that the closure changes are written.
  ///
  /// The method starts with a boundary, so that the filter reads pending changes too. There is no
  /// boundary if an observer calls the method during a notification. Then the filter does not read
  /// changes that are still pending.
  ///
  /// - Parameters:
  ///   - type: The type of the records.
  ///   - filter: The filter. `Filter.always` updates all records of the type.
  ///   - isolation: The actor of the caller.
  ///   - change: A closure that receives each record with its current values, and may change it.
  /// - Returns: The number of records that match the filter.
  /// - Throws: The errors of the closure, `RequestError` for an error in the filter, and
  ///   `StoreError` with one of the reasons below. After any error, no record is changed.
  ///   - `unknownType`
  ///   - `journal`, if a stored record is damaged
  ///   - `unknownValue`, if the type cannot represent the value of an attribute
  ///   - `identifierAssigned`, if the closure assigns a different identifier to a record
  ///   - `notFound`, if the closure uses the context to delete one of the records
  /// - Complexity: O(*n*)
  @discardableResult
  public func update<R: Record>(
    _ type: R.Type, where filter: Filter, isolation: (any Actor)? = #isolation,
    with change: (inout R) throws -> Void
  ) throws -> Int {
    try update(
      type, ids: identifiers(of: type, where: filter), isolation: isolation, with: change)
  }

  /// Returns the identifiers of the records that match a filter, in the order of their creation.
  private func identifiers<R: Record>(
    of type: R.Type, where filter: Filter
  ) throws -> [RecordIdentifier] {
    // The request names an entity and no record type, so it needs no sort key. Its rows are in the
    // order of creation.
    try fetchIdentifiers(ListRequest(entity: R.schema.entity, filter: filter))
  }
}
