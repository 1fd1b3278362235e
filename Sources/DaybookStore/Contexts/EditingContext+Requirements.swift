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
    let key = key(codec, record.id)
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
    let key = key(try codec(type), id)
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
    let key = EntityKey(try self.entity(entity), id)
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
    let base = unsaved[key].map { view.row(at: $0.base, key.entity, types) } ?? view.row(key, types)
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
    where layout.isEqual(index, in: record.span.bytes, current.span.bytes)
      && !layout.isEqual(index, in: base.span.bytes, current.span.bytes)
    {
      changedHere.insert(index)
    }
    return layout.row(changedHere, of: base.span.bytes, andOthersOf: record.span.bytes, id: key.id)
  }
}

extension Proposal {
  /// A record that must be in the store what the program has read, although the proposal does not change it.
  package struct Requirement: Sendable {
    /// The entity's place in the catalog.
    var entity: Int
    var id: RecordIdentifier
    /// The attributes that must have the values of the row.
    var attributes: AttributeSet
    /// A row of the newest layout; nil if there must be no such record.
    var row: [UInt8]?
  }

  /// The requirements that a state does not meet.
  func unmetRequirements(
    in state: borrowing some ReadableState & ~Copyable
  ) -> [ConflictingChange] {
    var unmet: [ConflictingChange] = []
    for requirement in requirements {
      guard let kind = Proposal.difference(requirement, in: state) else { continue }
      unmet.append(
        ConflictingChange(
          entity: state.catalog.names[requirement.entity], id: requirement.id,
          kind: .required(kind)))
    }
    return unmet
  }

  /// What another writer has done to a record that must be unchanged; nil if it is unchanged.
  private static func difference(
    _ requirement: Requirement, in state: borrowing some ReadableState & ~Copyable
  ) -> ConflictingChange.Requirement? {
    let location = state.location(requirement.entity, IdentifierBytes(requirement.id))
    guard let required = requirement.row else { return location == .none ? nil : .absent }
    if location == .none { return .present }
    let catalog = state.catalog
    let layout = catalog.newest(requirement.entity)
    let stored = state.memory.withWholeRow(at: location, catalog.layouts) {
      catalog.types.newest($0, requirement.entity, catalog)
    }
    let changed = layout.places.indices.filter {
      requirement.attributes.contains($0)
        && !layout.isEqual($0, in: required.span.bytes, stored.span.bytes)
    }
    if changed.isEmpty { return nil }
    return .unchanged(attributes: changed.map { layout.entity.attributes[$0].name })
  }
}
