extension EditingContext {
  /// Requires that a record which was read is unchanged in the store when the next save of this context is numbered.
  ///
  /// ```swift
  /// let limit = try context.object(Limit.self, id: id)!
  /// try context.require(unchanged: limit, attributes: \.maximum)
  /// try context.update(Account.self, id: 7) { $0.balance = limit.maximum }
  /// try await context.save()
  /// ```
  ///
  /// A save finds out by itself whether another writer has changed what it changes. This is for a record that the
  /// changes depend on and that they leave as it is. The values of `record` are compared with the newest state; for an
  /// attribute that this context has changed, the value from which it was changed.
  ///
  /// If they differ, or the record was deleted, the save throws ``StoreError`` with `conflict`, whatever the merge
  /// policy is. A save that has nothing to write checks nothing. After a save that has succeeded, a rollback or a reset
  /// nothing is required any more. In the body of ``Store/write(_:isolation:body:)`` nothing needs to be required.
  ///
  /// - Parameter attributes: The attributes that are compared; all of the type if none is given.
  /// - Throws: ``StoreError`` with `unknownType`, `unknownAttribute` if a property is no attribute, or `unknownValue`.
  public func require<R: Record>(
    unchanged record: R, attributes: PartialKeyPath<R>...
  ) throws(StoreError) {
    checkIsolation()
    let codec = try codec(R.self)
    let key = key(codec, id: record.id)
    let names = try attributeNames(attributes)
    let row = try wholeRow(key)
    // A record that cannot be read was not read.
    if let row { _ = try codec.record(row.span.bytes, path: store.path) }
    try require(key, names: names, read: codec.row(record, keepingOthersOf: row))
  }

  /// Requires that a record is as this context shows it, or absent if it shows none, in the store when the next
  /// save of this context is numbered; see ``require(unchanged:attributes:)``.
  ///
  /// - Parameter attributes: The attributes that are compared; all of the type if none is given.
  /// - Throws: ``StoreError`` with `unknownType`, or `unknownAttribute` if a property is no attribute.
  public func require<R: Record>(
    unchanged type: R.Type, id: R.ID, attributes: PartialKeyPath<R>...
  ) throws(StoreError) {
    checkIsolation()
    let key = key(try codec(type), id: id)
    let names = try attributeNames(attributes)
    try require(key, names: names, read: nil)
  }

  /// Requires that a record of any entity is as this context shows it, or absent if it shows none, in the store when
  /// the next save of this context is numbered; see ``require(unchanged:attributes:)``.
  ///
  /// - Parameter attributes: The names of the attributes that are compared; all if there are none.
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

  /// The names of properties in the schema of a record type; of all, if there are none.
  private func attributeNames<R: Record>(
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

  /// - Parameter record: The row of the record that the program has read; nil for what the context shows.
  private func require(
    _ key: EntityKey, names: [String], read record: [UInt8]?
  ) throws(StoreError) {
    let layout = view.catalog.newest(key.entity)
    var attributes = AttributeSet(count: layout.places.count)
    for name in names {
      if let index = layout.entity.index(of: name) { attributes.insert(index) }
    }
    let current = try wholeRow(key)
    let draft = overlay.index(of: key, in: overlay.unsaved).map { overlay.drafts[$0] }
    let base = draft.map { view.row(at: $0.base, of: key.entity) } ?? view.row(key)
    requirements.append(
      Proposal.Requirement(
        entity: key.entity, id: key.id, attributes: attributes,
        row: required(key, base: base, current: current, read: record)))
  }

  /// The values that a record must have in the store; nil if there must be no such record.
  ///
  /// - Parameters:
  ///   - base: The row from which the record was changed here, or which the store has; nil if there was none.
  ///   - current: The row that this context has, changes included; nil if it has none.
  ///   - record: The row of the record that the program has read; nil for what the context shows.
  private func required(
    _ key: EntityKey, base: [UInt8]?, current: [UInt8]?, read record: [UInt8]?
  ) -> [UInt8]? {
    guard let record else { return base }
    // It was inserted here, and not read from the store.
    guard let base else { return current == nil ? record : nil }
    guard let current else { return record }
    let layout = view.catalog.newest(key.entity)
    var changedHere = AttributeSet(count: layout.places.count)
    for index in layout.places.indices
    where layout.isEqual(index, in: record.span.bytes, and: current.span.bytes)
      && !layout.isEqual(index, in: base.span.bytes, and: current.span.bytes)
    {
      changedHere.insert(index)
    }
    return layout.row(changedHere, of: base.span.bytes, andOthersOf: record.span.bytes, id: key.id)
  }
}
