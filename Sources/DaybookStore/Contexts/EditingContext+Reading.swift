extension EditingContext {
  // MARK: One record

  /// Returns the current record with an identifier, pending changes included; nil if the record
  /// does not exist.
  ///
  /// - Throws: ``StoreError`` with `unknownType` or `unknownValue`
  public func object<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
    checkIsolation()
    let codec = try codec(type)
    guard let row = try verifiedRow(key(codec, id: id)) else { return nil }
    return try codec.record(row.span.bytes, path: store.path)
  }

  /// Returns the record that a reference points to; nil if the record does not exist, or if the
  /// reference is nil.
  ///
  /// - Throws: ``StoreError`` with `unknownType` or `unknownValue`
  public func object<R: Record>(_ reference: Reference<R>?) throws(StoreError) -> R? {
    guard let reference else { return nil }
    return try object(R.self, id: reference.id)
  }

  /// Returns the current record of an entity with an identifier, pending changes included; nil if
  /// it does not exist.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`
  public func object(_ entity: String, id: RecordIdentifier) throws(StoreError) -> DynamicRecord? {
    checkIsolation()
    let key = EntityKey(try self.entity(entity), id: id)
    return try verifiedRow(key).flatMap { record($0, of: key.entity) }.map { stored($0, key) }
  }

  /// Returns the current value of an attribute of a record, pending changes included.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, `unknownAttribute`, `computed` if the name is
  ///   that of an inverse, or `notFound`
  public func value(
    forKey attribute: String, of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> AttributeValue {
    checkIsolation()
    let (key, index) = try keyAndIndex(entity, id: id, attribute: attribute)
    guard let row = try verifiedRow(key) else {
      throw StoreError(.notFound(entity: entity, id: id), path: store.path)
    }
    if view.catalog.types.isMigrating, let record = record(row, of: key.entity) {
      return stored(record, key).values[index]
    }
    let layout = view.catalog.newest(key.entity)
    guard let range = layout.range(of: index, in: row.span.bytes) else { return .null }
    let type = layout.entity.attributes[index].type
    return AttributeValue(type, bytes: row.span.bytes.extracting(range)) ?? .null
  }

  // MARK: All records

  /// Returns all records of a type in the order of their creation, unsaved records last.
  ///
  /// The method makes a boundary first, except during a delivery.
  ///
  /// - Throws: ``StoreError`` with `unknownType` or `unknownValue`
  /// - Complexity: O(*n* log *n*)
  public func objects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    processPendingChanges()
    let codec = try codec(type)
    let index = try entity(R.schema.entity)
    let records = Result { () throws(StoreError) in
      try view.reader.records(at: view.reader.locations(of: index), codec, path: store.path)
    }
    try view.base.checkWhole(store.path)
    return try records.get()
  }

  /// Returns all records of an entity in the order of their creation, unsaved records last.
  ///
  /// The method makes a boundary first, except during a delivery.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`
  /// - Complexity: O(*n* log *n*)
  public func objects(_ entity: String) throws(StoreError) -> [DynamicRecord] {
    processPendingChanges()
    let index = try self.entity(entity)
    let locations = view.reader.locations(of: index)
    let records =
      view.catalog.types.isMigrating
      ? locations.compactMap { location in
        view.row(at: location, of: index).flatMap { record($0, of: index) }
          .map { stored($0, EntityKey(index, id: $0.id)) }
      } : view.reader.records(at: locations, of: index)
    try view.base.checkWhole(store.path)
    return records
  }

  /// Returns the number of records of a type.
  ///
  /// The method makes a boundary first, except during a delivery.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  /// - Complexity: O(1) after the boundary
  public func count<R: Record>(of type: R.Type) throws(StoreError) -> Int {
    processPendingChanges()
    _ = try codec(type)
    return view.reader.state.tables[try entity(R.schema.entity)].count
  }

  /// An immutable state with the records that the context shows. Pending changes are not included.
  ///
  /// - Complexity: O(1)
  package var frozen: FrozenState {
    checkIsolation()
    return view.frozen
  }

  /// An immutable state for a fetch: ``frozen``, or without changes of the context the state of the
  /// store.
  package var searched: FrozenState {
    checkIsolation()
    return view.searched
  }

  /// The state of the store that the context's view is based on.
  package var base: FrozenState {
    checkIsolation()
    return view.base
  }

  // MARK: Unsaved changes

  /// Returns the records of a type that were inserted and are not saved, pending changes included,
  /// in the order of their first change. Changes that a save in progress has taken are not
  /// included.
  ///
  /// - Throws: ``StoreError`` with `unknownType` or `unknownValue`
  public func insertedObjects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    try unsavedObjects(type) { old, new in old == nil ? new : nil }
  }

  /// Returns the current records of a type that were changed and are not saved, pending changes
  /// included, in the order of their first change. Changes that a save in progress has taken are
  /// not included.
  ///
  /// A record with the same values as in the store is not included.
  ///
  /// - Throws: ``StoreError`` with `unknownType` or `unknownValue`
  public func updatedObjects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    let catalog = view.catalog
    return try unsavedObjects(type) { old, new in
      guard let old, let new, let entity = catalog.index(of: R.schema.entity),
        case .update = NetChange(from: old, to: new, catalog.newest(entity))
      else { return nil }
      return new
    }
  }

  /// Returns the records of a type with an unsaved deletion, as the store contains them, in the
  /// order of their first change. Changes that a save in progress has taken are not included.
  ///
  /// Records that only a delete rule has deleted are included.
  ///
  /// - Throws: ``StoreError`` with `unknownType` or `unknownValue`
  public func deletedObjects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    try unsavedObjects(type) { old, new in new == nil ? old : nil }
  }

  /// Returns a record for each unsaved draft of a type for which a closure selects a row.
  ///
  /// - Parameter chosen: A closure that returns one of the two rows, or nil to leave the draft out.
  private func unsavedObjects<R: Record>(
    _ type: R.Type, chosen: (_ old: [UInt8]?, _ new: [UInt8]?) -> [UInt8]?
  ) throws(StoreError) -> [R] {
    let codec = try codec(type)
    var objects: [R] = []
    for (old, new) in try unsavedRows(R.schema.entity) {
      guard let row = chosen(old, new),
        let object = try codec.record(row.span.bytes, path: store.path)
      else { continue }
      objects.append(object)
    }
    return objects
  }

  /// Returns the rows of each changed and unsaved record of an entity: the store's row and the
  /// current row.
  private func unsavedRows(
    _ entity: String
  ) throws(StoreError) -> [(old: [UInt8]?, new: [UInt8]?)] {
    checkIsolation()
    let entity = try self.entity(entity)
    let drafts = overlay.unsaved.lowerBound..<overlay.pending.upperBound
    return drafts.compactMap { index in
      let draft = overlay.drafts[index]
      guard draft.key.entity == entity else { return nil }
      var base = draft.base
      if overlay.pending.contains(index) {
        if overlay.index(of: draft.key, in: overlay.unsaved) != nil { return nil }
        base = view.location(draft.key)
      }
      return (view.row(at: base, of: entity), currentRow(draft.key))
    }
  }

  private func record(_ row: [UInt8], of entity: Int) -> DynamicRecord? {
    DynamicRecord(row.span.bytes, of: entity, in: view.catalog)
  }

  /// Returns a record as a migration step reads it. An attribute that no record type declares,
  /// and whose type has changed, has the value that the store contains, unless the step has set
  /// a value other than nil and the default. Outside of steps, the method returns the record
  /// unchanged.
  private func stored(_ record: DynamicRecord, _ key: EntityKey) -> DynamicRecord {
    guard view.catalog.types.isMigrating else { return record }
    var record = record
    let location = view.base.reader.location(of: IdentifierBytes(key.id), in: key.entity)
    for (attribute, _, value) in view.unconvertedValues(at: location, of: key.entity) {
      let definition = view.catalog.newest(key.entity).entity.attributes[attribute.index]
      let shown = record.values[attribute.index]
      if shown.isNull || shown == definition.defaultValue {
        record.values[attribute.index] = value
      }
    }
    return record
  }
}

extension EditingContext {
  /// Returns the record that has a value in a unique attribute, unsaved changes included; nil if no
  /// record has it.
  ///
  /// The method makes a boundary first, except during a delivery. Two records of the context can
  /// have the same value until a save checks it. The result is then one of the two.
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - keyPath: A property that ``RecordSchema/unique(_:)`` names alone.
  ///   - value: The value that the record must have.
  /// - Throws: ``StoreError``, as ``StoreSnapshot/object(_:where:is:)``
  /// - Complexity: O(log *n*) after the boundary
  public func object<R: Record, Value: AttributeRepresentable>(
    _ type: R.Type, where keyPath: KeyPath<R, Value>, is value: Value
  ) throws(StoreError) -> R? {
    processPendingChanges()
    let record = Result { () throws(StoreError) in
      try view.reader.object(where: keyPath, is: value, path: store.path)
    }
    try view.base.checkWhole(store.path)
    return try record.get()
  }
}
