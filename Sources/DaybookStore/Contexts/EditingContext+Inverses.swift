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
    return try view.referrers(
      to: id.recordIdentifier, Target.schema.entity, by: keyPath, path: store.path)
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
    return try view.referrers(
      to: id.recordIdentifier, Target.schema.entity, by: keyPath, path: store.path)
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
    return try view.inverse(name, of: entity, id: id, path: store.path)
  }
}
