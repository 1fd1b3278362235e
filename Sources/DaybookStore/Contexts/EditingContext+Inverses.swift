extension EditingContext {
  // MARK: Inverses

  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// The method makes a boundary first, except during a delivery.
  ///
  /// ```swift
  /// let issues = try context.objects(\Issue.project, of: project)
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: A property that the schema declares as a reference to one record.
  ///   - record: The record that the returned records refer to. Only its identifier matters.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*), where *r* is the number of references to the record
  public func objects<R: Record, Target: Record>(
    _ keyPath: KeyPath<R, Reference<Target>?>, of record: Target
  ) throws(StoreError) -> [R] {
    try records(referringTo: record.id, by: keyPath)
  }

  /// Returns the records that refer to a record in an array of references, in the order of their
  /// creation.
  ///
  /// The method makes a boundary first, except during a delivery.
  ///
  /// - Parameters:
  ///   - keyPath: A property that the schema declares as references to any number of records.
  ///   - record: The record that the returned records refer to. Only its identifier matters.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*), where *r* is the number of references to the record
  public func objects<R: Record, Target: Record>(
    _ keyPath: KeyPath<R, [Reference<Target>]>, of record: Target
  ) throws(StoreError) -> [R] {
    try records(referringTo: record.id, by: keyPath)
  }

  /// Returns the record that refers to a record by a unique reference; nil if no record does.
  ///
  /// The method makes a boundary first, except during a delivery. Until the save checks it, two
  /// records of the context may have the same value of a unique reference. The method then returns
  /// the record that was created first.
  ///
  /// - Parameters:
  ///   - keyPath: A reference that ``RecordSchema/unique(_:)`` names alone.
  ///   - record: The record that the returned record refers to. Only its identifier matters.
  /// - Throws: ``StoreError`` with `unknownType`, `unknownAttribute`, or `inverseNotUnique`
  /// - Complexity: O(log *n*)
  public func object<R: Record, Target: Record>(
    _ keyPath: KeyPath<R, Reference<Target>?>, of record: Target
  ) throws(StoreError) -> R? {
    try view.catalog.checkUnique(keyPath, path: store.path)
    return try records(referringTo: record.id, by: keyPath).first
  }
}
