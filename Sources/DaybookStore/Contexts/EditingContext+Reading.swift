extension EditingContext {
  // MARK: One record

  /// The record with an identifier as it is now, pending changes included; nil if there is none.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  public func object<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
    checkIsolation()
    let codec = try codec(type)
    guard let row = try wholeRow(key(codec, id: id)) else { return nil }
    return try codec.record(row.span.bytes, path: store.path)
  }

  /// The record that a reference leads to, or nil if there is none.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  public func object<R: Record>(_ reference: Reference<R>?) throws(StoreError) -> R? {
    guard let reference else { return nil }
    return try object(R.self, id: reference.id)
  }

  /// The record of an entity with an identifier as it is now, pending changes included; nil if there
  /// is none.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`
  public func object(_ entity: String, id: RecordIdentifier) throws(StoreError) -> DynamicRecord? {
    checkIsolation()
    let key = EntityKey(try self.entity(entity), id: id)
    return try wholeRow(key).flatMap { record($0, of: key.entity) }
  }

  /// The value of an attribute of a record as it is now, pending changes included.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, `unknownAttribute` or `notThere`
  public func value(
    forKey attribute: String, of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> AttributeValue {
    checkIsolation()
    let (key, index) = try place(entity, id: id, attribute: attribute)
    guard let row = try wholeRow(key) else {
      throw StoreError(.notThere(entity: entity, id: id), path: store.path)
    }
    let layout = view.catalog.newest(key.entity)
    guard let range = layout.range(of: index, in: row.span.bytes) else { return .null }
    let type = layout.entity.attributes[index].type
    return AttributeValue(type, bytes: row.span.bytes.extracting(range)) ?? .null
  }

  // MARK: All records

  /// All records of a type, in the order in which they were made; those that are not saved yet stand
  /// at the end. It begins with a boundary, unless a listener asks.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
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

  /// All records of an entity, in the order in which they were made; those that are not saved yet
  /// stand at the end. It begins with a boundary, unless a listener asks.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`
  /// - Complexity: O(*n* log *n*)
  public func objects(_ entity: String) throws(StoreError) -> [DynamicRecord] {
    processPendingChanges()
    let index = try self.entity(entity)
    let records = view.reader.records(at: view.reader.locations(of: index), of: index)
    try view.base.checkWhole(store.path)
    return records
  }

  /// How many records of a type there are. It begins with a boundary, unless a listener asks.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  /// - Complexity: O(1) behind the boundary
  public func count<R: Record>(of type: R.Type) throws(StoreError) -> Int {
    processPendingChanges()
    _ = try codec(type)
    return view.reader.state.tables[try entity(R.schema.entity)].count
  }

  /// What the context showed after its last boundary, for ever.
  ///
  /// - Complexity: O(1)
  package var frozen: FrozenState {
    checkIsolation()
    return view.frozen
  }

  /// The state of the store on which what the context shows stands.
  package var base: FrozenState {
    checkIsolation()
    return view.base
  }

  // MARK: What is not saved

  /// The records of a type that were inserted and are not saved yet, pending changes included, in the
  /// order in which they were first changed.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  public func insertedObjects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    try unsavedObjects(type) { old, new in old == nil ? new : nil }
  }

  /// The records of a type that were changed and are not saved yet, as they are now, pending changes
  /// included, in the order in which they were first changed. One whose values are those of the store
  /// is none.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  public func updatedObjects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    let catalog = view.catalog
    return try unsavedObjects(type) { old, new in
      guard let old, let new, let entity = catalog.index(of: R.schema.entity),
        case .update = NetChange(from: old, to: new, catalog.newest(entity))
      else { return nil }
      return new
    }
  }

  /// The records of a type that were deleted and whose deletion is not saved yet, as the store still
  /// has them, in the order in which they were first changed. What cascades does so at the boundary.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  public func deletedObjects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    try unsavedObjects(type) { old, new in new == nil ? old : nil }
  }

  /// - Parameter chosen: Returns the row of which to make a record; nil for none.
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

  /// What was and what is of each record of an entity that has been changed and is not saved.
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
}
