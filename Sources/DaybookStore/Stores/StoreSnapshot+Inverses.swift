extension StoreSnapshot {
  /// The records that refer to a record, in the order in which they were made.
  ///
  /// ```swift
  /// let staff = try snapshot.referrers(to: department.id, by: \Employee.department)
  /// ```
  ///
  /// - Parameter keyPath: A property that the schema knows as a reference to one record.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, Reference<Target>?>
  ) throws(StoreError) -> [R] {
    try frozen.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: path)
  }

  /// The records that refer to a record, in the order in which they were made.
  ///
  /// - Parameter keyPath: A property that the schema knows as references to any number of records.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func referrers<R: Record, Target: Record>(
    to id: Target.ID, by keyPath: KeyPath<R, [Reference<Target>]>
  ) throws(StoreError) -> [R] {
    try frozen.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: path)
  }

  /// The records that refer to a record by the attribute whose inverse has a name, in the order in
  /// which they were made.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  public func inverse(
    _ name: String, of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> [DynamicRecord] {
    try frozen.reader.inverse(name, of: entity, id: id, path: path)
  }
}

extension StateReader {
  func referrers<R: Record>(
    to id: RecordIdentifier, of target: String, by keyPath: PartialKeyPath<R>, path: String
  ) throws(StoreError) -> [R] {
    guard let codec = catalog.types.codec(R.self), let entity = catalog.index(of: R.schema.entity)
    else { throw StoreError(.unknownType("\(R.self)"), path: path) }
    guard let name = R.schema.attribute(at: keyPath),
      let attribute = catalog.newest(entity).entity.index(of: name)
    else {
      throw StoreError(
        .unknownAttribute(entity: R.schema.entity, attribute: "\(keyPath)"), path: path)
    }
    guard let target = catalog.index(of: target) else { return [] }
    let rows = referrers(to: EntityKey(target, id: id), from: entity, attribute: attribute)
    return try records(at: rows, codec, path: path)
  }

  func inverse(
    _ name: String, of entity: String, id: RecordIdentifier, path: String
  ) throws(StoreError) -> [DynamicRecord] {
    guard let target = catalog.index(of: entity) else {
      throw StoreError(.unknownEntity(entity), path: path)
    }
    guard let (referrer, attribute) = catalog.inverse(name, of: target) else {
      throw StoreError(.unknownAttribute(entity: entity, attribute: name), path: path)
    }
    let rows = referrers(to: EntityKey(target, id: id), from: referrer, attribute: attribute)
    return records(at: rows, of: referrer)
  }
}
