extension EditingContext {
  // MARK: Inverses

  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// It makes a boundary first, except during a delivery.
  ///
  /// ```swift
  /// let issues = try context.objects(\Issue.project, of: project)
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: A property that the schema declares as a reference to one record.
  ///   - record: The record that they refer to. Only its identifier matters.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func objects<R: Record, Target: Record>(
    _ keyPath: KeyPath<R, Reference<Target>?>, of record: Target
  ) throws(StoreError) -> [R] {
    try referrers(to: record.id, by: keyPath)
  }

  /// Returns the records with a reference to a record in an array, in the order of their creation.
  ///
  /// It makes a boundary first, except during a delivery.
  ///
  /// - Parameters:
  ///   - keyPath: A property that the schema declares as references to any number of records.
  ///   - record: The record that they refer to. Only its identifier matters.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func objects<R: Record, Target: Record>(
    _ keyPath: KeyPath<R, [Reference<Target>]>, of record: Target
  ) throws(StoreError) -> [R] {
    try referrers(to: record.id, by: keyPath)
  }

  /// Returns the record that refers to a record by a unique reference; nil if no record does.
  ///
  /// It makes a boundary first, except during a delivery. Before a save, two records of the context
  /// may have the same value of a unique reference. The one that was created first is returned.
  ///
  /// - Parameters:
  ///   - keyPath: A reference that ``RecordSchema/unique(_:)`` names alone.
  ///   - record: The record that it refers to. Only its identifier matters.
  /// - Throws: ``StoreError`` with `unknownType`, `unknownAttribute`, or `inverseNotUnique`
  /// - Complexity: O(log *n*)
  public func object<R: Record, Target: Record>(
    _ keyPath: KeyPath<R, Reference<Target>?>, of record: Target
  ) throws(StoreError) -> R? {
    try view.catalog.checkUnique(keyPath, path: store.path)
    return try referrers(to: record.id, by: keyPath).first
  }
}
