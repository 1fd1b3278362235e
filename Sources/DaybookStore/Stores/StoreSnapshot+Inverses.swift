extension StoreSnapshot {
  // MARK: Inverses

  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// ```swift
  /// let issues = try snapshot.objects(\Issue.project, of: project)
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
  /// ```swift
  /// let installation = try snapshot.object(\Installation.app, of: app)
  /// ```
  ///
  /// - Parameters:
  ///   - keyPath: A reference that ``RecordSchema/unique(_:)`` names alone.
  ///   - record: The record that the returned record refers to. Only its identifier matters.
  /// - Throws: ``StoreError`` with `unknownType`, `unknownAttribute`, or `inverseNotUnique`
  /// - Complexity: O(log *n*)
  public func object<R: Record, Target: Record>(
    _ keyPath: KeyPath<R, Reference<Target>?>, of record: Target
  ) throws(StoreError) -> R? {
    try frozen.catalog.checkUnique(keyPath, path: path)
    return try records(referringTo: record.id, by: keyPath).first
  }
}

extension Catalog {
  /// Throws an error unless the schema declares a reference as unique, so that at most one record
  /// can have each value.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, `unknownAttribute`, or `inverseNotUnique`
  func checkUnique<R: Record>(
    _ keyPath: PartialKeyPath<R>, path: String
  ) throws(StoreError) {
    guard types.codec(R.self) != nil, let entity = index(of: R.schema.entity) else {
      throw StoreError(.unknownType("\(R.self)"), path: path)
    }
    guard let name = R.schema.attribute(at: keyPath) else {
      throw StoreError(
        .unknownAttribute(entity: R.schema.entity, attribute: "\(keyPath)"), path: path)
    }
    guard newest(entity).entity.unique.contains([name]) else {
      throw StoreError(.inverseNotUnique(entity: R.schema.entity, attribute: name), path: path)
    }
  }
}
