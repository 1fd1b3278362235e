extension EditingContext {
  /// Adds a condition to the next save of this context: the store must still contain a record as
  /// the program has read it. The store tests the condition when it numbers the transaction.
  ///
  /// ```swift
  /// let limit = try context.object(Limit.self, id: id)!
  /// try context.require(unchanged: limit, attributes: \.maximum)
  /// try context.update(Account.self, id: 7) { $0.balance = limit.maximum }
  /// try await context.save()
  /// ```
  ///
  /// A save detects conflicts only for the records that it changes. This method is for a record
  /// that the program has read and not changed, but that its changes depend on. The save compares
  /// the values of `record` with the newest state. If this context has changed an attribute of the
  /// record, the save compares the value before that change.
  ///
  /// If the values differ, or the record was deleted, the save throws ``StoreError`` with
  /// `conflict`, regardless of the merge policy. A save that has nothing to write checks nothing.
  /// The conditions are removed by a successful save, a save that has nothing to write, a rollback
  /// and a reset. The body of ``Store/write(_:isolation:body:)`` does not need this method, because
  /// no other save comes between its reads and its own save.
  ///
  /// - Parameters:
  ///   - record: The record as the program has read it.
  ///   - attributes: The attributes to compare; all attributes of the type if none are passed.
  /// - Throws: ``StoreError`` with `unknownType`, `unknownAttribute` if a property is not an
  ///   attribute, or `unknownValue`.
  public func require<R: Record>(
    unchanged record: R, attributes: PartialKeyPath<R>...
  ) throws(StoreError) {
    checkIsolation()
    let codec = try codec(R.self)
    let key = key(codec, id: record.id)
    let names = try attributeNames(attributes)
    let row = try verifiedRow(key)
    // If the type cannot represent the record, the program cannot have read it, so the call throws
    // an error.
    if let row { _ = try codec.record(row.span.bytes, path: store.path) }
    try require(key, names: names, read: codec.row(record, keepingOthersOf: row))
  }

  /// Adds a condition to the next save of this context: the store must contain a record as this
  /// context shows it.
  ///
  /// If the context shows no such record, the store must not contain one. See
  /// ``require(unchanged:attributes:)``.
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - id: The identifier of the record.
  ///   - attributes: The attributes to compare; all attributes of the type if none are passed.
  /// - Throws: ``StoreError`` with `unknownType`, or `unknownAttribute` if a property is not an
  ///   attribute.
  public func require<R: Record>(
    unchanged type: R.Type, id: R.ID, attributes: PartialKeyPath<R>...
  ) throws(StoreError) {
    checkIsolation()
    let key = key(try codec(type), id: id)
    let names = try attributeNames(attributes)
    try require(key, names: names, read: nil)
  }

  /// Adds a condition to the next save of this context: the store must contain a record of any
  /// entity as this context shows it.
  ///
  /// If the context shows no such record, the store must not contain one. See
  /// ``require(unchanged:attributes:)``.
  ///
  /// - Parameters:
  ///   - entity: The name of the entity.
  ///   - id: The identifier of the record.
  ///   - attributes: The names of the attributes to compare; all attributes if the array is empty.
  /// - Throws: ``StoreError`` with `unknownEntity` or `unknownAttribute`
  public func require(
    unchanged entity: String, id: RecordIdentifier, attributes: [String] = []
  ) throws(StoreError) {
    checkIsolation()
    let key = EntityKey(try self.entity(entity), id: id)
    let definition = view.catalog.newest(key.entity).entity
    for name in attributes where definition.index(of: name) == nil {
      throw StoreError(.unknownAttribute(entity: entity, attribute: name), path: store.path)
    }
    let names = attributes.isEmpty ? definition.attributes.map(\.name) : attributes
    try require(key, names: names, read: nil)
  }

  /// Returns the names of the attributes at some key paths of a record type. For an empty array,
  /// returns the names of all attributes of the type.
  func attributeNames<R: Record>(
    _ keyPaths: [PartialKeyPath<R>]
  ) throws(StoreError) -> [String] {
    if keyPaths.isEmpty { return R.schema.attributes.map(\.name) }
    var names: [String] = []
    for keyPath in keyPaths {
      guard let name = R.schema.attribute(at: keyPath) else {
        throw StoreError(
          .unknownAttribute(entity: R.schema.entity, attribute: "\(keyPath)"), path: store.path)
      }
      names.append(name)
    }
    return names
  }

  /// Adds a requirement on a record.
  ///
  /// - Parameter record: The row of the record as the program has read it; nil for the row that the
  ///   context shows.
  private func require(
    _ key: EntityKey, names: [String], read record: [UInt8]?
  ) throws(StoreError) {
    let layout = view.catalog.newest(key.entity)
    var attributes = AttributeSet(count: layout.fields.count)
    for name in names {
      if let index = layout.entity.index(of: name) { attributes.insert(index) }
    }
    let current = try verifiedRow(key)
    let draft = overlay.index(of: key, in: overlay.unsaved).map { overlay.drafts[$0] }
    let base = draft.map { view.row(at: $0.base, of: key.entity) } ?? view.row(key)
    requirements.append(
      Proposal.Requirement(
        entity: key.entity, id: key.id, attributes: attributes,
        row: required(key, base: base, current: current, read: record)))
  }

  /// Returns a row with the values that the record must have in the store; nil if the record must
  /// be absent.
  ///
  /// - Parameters:
  ///   - base: The row before the changes of this context; nil if the record did not exist.
  ///   - current: The current row in this context, changes included; nil if the record does not
  ///     exist.
  ///   - record: The row of the record as the program has read it; nil for the row that the context
  ///     shows.
  private func required(
    _ key: EntityKey, base: [UInt8]?, current: [UInt8]?, read record: [UInt8]?
  ) -> [UInt8]? {
    guard let record else { return base }
    // The store had no such record. If this context has inserted the record, the store must still
    // have none.
    guard let base else { return current == nil ? record : nil }
    guard let current else { return record }
    let layout = view.catalog.newest(key.entity)
    var changedHere = AttributeSet(count: layout.fields.count)
    for index in layout.fields.indices
    where layout.isEqual(index, in: record.span.bytes, and: current.span.bytes)
      && !layout.isEqual(index, in: base.span.bytes, and: current.span.bytes)
    {
      changedHere.insert(index)
    }
    return layout.row(changedHere, of: base.span.bytes, andOthersOf: record.span.bytes, id: key.id)
  }
}
