extension EditingContext {
  /// Inserts a record.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `alreadyExists` if a record with this
  ///   identifier exists.
  public func insert<R: Record>(
    _ record: R, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let codec = try codec(R.self)
    let key = key(codec, id: record.id)
    let (row, visible) = try rowToChange(key)
    guard row == nil else {
      throw StoreError(
        .alreadyExists(entity: R.schema.entity, id: record.id.recordIdentifier), path: store.path)
    }
    set(key, from: row, to: codec.row(record), visible: visible)
  }

  /// Updates a record with a closure.
  ///
  /// Records are values, so changing a copy does not change the context. The closure receives the
  /// record to change. Attributes of the entity that the type does not name keep their values.
  ///
  /// ```swift
  /// try context.update(Bank.self, id: 7) { $0.state = "NY" }
  /// let balance = try context.update(Account.self, id: 7) { account in
  ///   account.balance -= 10
  ///   return account.balance
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - id: The identifier of the record.
  ///   - isolation: The actor of the caller.
  ///   - change: A closure that receives the record with its current values. If the closure also
  ///     changes the same record with methods of the context, this update follows those changes.
  ///     The update then writes all values of the closure's record, including those that the
  ///     closure did not change.
  /// - Returns: The result of the closure.
  /// - Throws: The errors of the closure, and ``StoreError`` with one of the reasons below. After
  ///   any error, this update has changed nothing.
  ///   - `unknownType`
  ///   - `notFound`, if the record does not exist, or if the closure has deleted it
  ///   - `unknownValue`, if the type cannot represent the value of an attribute
  ///   - `identifierAssigned`, if the closure assigns a different identifier to the record
  @discardableResult
  public func update<R: Record, Value>(
    _ type: R.Type, id: R.ID, isolation: (any Actor)? = #isolation,
    with change: (inout R) throws -> Value
  ) throws -> Value {
    enter(isolation)
    let codec = try codec(type)
    let key = key(codec, id: id)
    var (row, visible) = try rowToChange(key)
    guard let old = row,
      var record = try codec.record(old.span.bytes, path: store.path)
    else { throw notFound(type, id: id) }
    let step = state.stepCount
    let value = try change(&record)
    guard record.id == id else { throw identifierAssigned(R.self, id: id, to: record.id) }
    if state.stepCount != step {
      // The closure has called methods of the context, which may have changed this record.
      (row, visible) = try rowToChange(key)
      if row == nil { throw notFound(type, id: id) }
    }
    set(key, from: row, to: codec.row(record, keepingOthersOf: row), visible: visible)
    return value
  }

  /// Sets an attribute of a record, for programs that do not know the record's type.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, `unknownAttribute`, `computed` if the name is
  ///   that of an inverse, `typeMismatch` or `notFound`
  public func setValue(
    _ value: AttributeValue, forKey attribute: String, of entity: String, id: RecordIdentifier,
    isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let (key, index) = try keyAndIndex(entity, id: id, attribute: attribute)
    let layout = view.catalog.newest(key.entity)
    let type = layout.entity.attributes[index].type
    guard value.fits(type) else {
      throw StoreError(
        .typeMismatch(entity: entity, attribute: attribute, type: type.name), path: store.path)
    }
    let (row, visible) = try rowToChange(key)
    guard let row else { throw StoreError(.notFound(entity: entity, id: id), path: store.path) }
    let new = layout.row(row.span.bytes, setting: index, to: value, id: id)
    set(key, from: row, to: new, visible: visible)
  }

  /// Inserts a record of any entity, for programs that do not know its type.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, `valueCount`, `typeMismatch` or `alreadyExists`
  public func insert(
    _ record: DynamicRecord, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let (key, layout) = try checked(record)
    let (row, visible) = try rowToChange(key)
    guard row == nil else {
      throw StoreError(.alreadyExists(entity: record.entity, id: record.id), path: store.path)
    }
    set(key, from: row, to: record.row(layout), visible: visible)
  }

  /// Inserts a record of any entity, with the values of some of its attributes by name.
  ///
  /// The other attributes have their defaults, or no value if they have none. So a migration step
  /// that inserts in this way still runs after the entity has got further attributes.
  ///
  /// ```swift
  /// try context.insert("Address", id: .int(7), values: ["street": .string("Main")])
  /// ```
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, `unknownAttribute`, `computed` if a name is
  ///   that of an inverse, `typeMismatch` or `alreadyExists`
  public func insert(
    _ entity: String, id: RecordIdentifier, values: [String: AttributeValue],
    isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let definition = view.catalog.newest(try self.entity(entity)).entity
    var record = DynamicRecord(
      entity, id: id, values: definition.attributes.map(\.defaultValue))
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      record.values[try keyAndIndex(entity, id: id, attribute: name).index] = value
    }
    try insert(record, isolation: isolation)
  }

  /// Deletes a record, and applies the delete rules of the references from and to the record at
  /// once:
  ///
  /// - A record that it owns is deleted too, unless a further record owns it.
  /// - A record with a reference to it is deleted too, if the reference has the rule `cascade`.
  /// - A reference to it is removed, if it has the rule `nullify` and is not required.
  ///
  /// Before the save, a record that a rule has deleted can be deleted again, which changes nothing.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `notFound` if there is no such record.
  public func delete<R: Record>(
    _ type: R.Type, id: R.ID, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    _ = try codec(type)
    try delete(R.schema.entity, id: id.recordIdentifier, isolation: isolation)
  }

  /// Deletes the record that has the identifier of a given record. The values of the given record
  /// do not matter.
  ///
  /// ```swift
  /// try context.delete(controller.object(at: indexPath))
  /// ```
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `notFound` if there is no such record.
  public func delete<R: Record>(
    _ record: R, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    try delete(R.self, id: record.id, isolation: isolation)
  }

  /// Deletes a record of any entity.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, or `notFound` if there is no such record.
  public func delete(
    _ entity: String, id: RecordIdentifier, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let key = EntityKey(try self.entity(entity), id: id)
    let (row, visible) = try rowToChange(key)
    guard let row else {
      if isDeletedByRule(key) { return }
      throw StoreError(.notFound(entity: entity, id: id), path: store.path)
    }
    delete(key, from: row, visible: visible)
  }

  func notFound<R: Record>(_ type: R.Type, id: R.ID) -> StoreError {
    StoreError(.notFound(entity: R.schema.entity, id: id.recordIdentifier), path: store.path)
  }

  func identifierAssigned<R: Record>(_ type: R.Type, id: R.ID, to new: R.ID) -> StoreError {
    StoreError(
      .identifierAssigned(
        entity: R.schema.entity, id: id.recordIdentifier, to: new.recordIdentifier),
      path: store.path)
  }

  // MARK: Rows and keys

  /// Stores a pending change of a record.
  ///
  /// - Parameters:
  ///   - old: The row before the change; nil if the record does not exist.
  ///   - visible: The shown record; nil if the record has a pending change.
  ///   - deletion: The cause and the effects of a deletion; nil if no rule applies to it.
  func set(
    _ key: EntityKey, from old: [UInt8]?, to row: [UInt8]?, visible: ContextView.Visible?,
    deletion: Deletion? = nil
  ) {
    let isFirst = overlay.pending.isEmpty
    state.stepCount += 1
    // The rows are compared here, because both are in the processor's cache. A comparison at the
    // boundary, after many other changes, would load the old row from memory again.
    let net = visible.map { _ in NetChange(from: old, to: row, view.catalog.newest(key.entity)) }
    overlay.set(key, to: row, visible: visible, net: net, deletion: deletion)
    if isFirst || state.isDelivering { askForBoundary() }
  }

  /// Returns the current row of a record, pending changes included, and the shown record. The row
  /// is nil if the record does not exist. The shown record is nil if the record has a pending
  /// change.
  func current(_ key: EntityKey) -> (row: [UInt8]?, visible: ContextView.Visible?) {
    guard let index = overlay.index(of: key, in: overlay.pending) else {
      let visible = view.visible(key)
      return (view.row(at: visible.position.location, of: key.entity), visible)
    }
    guard let row = overlay.drafts[index].row else { return (nil, nil) }
    if Layout.number(of: row.span.bytes) == view.catalog.newest(key.entity).number {
      return (row, nil)
    }
    // The pending row has an older layout, because the journal that the store follows has
    // introduced a new one.
    return (types.newest(row.span.bytes, of: key.entity, in: view.catalog), nil)
  }

  /// Returns the current row of a record, pending changes included; nil if the record does not
  /// exist.
  func currentRow(_ key: EntityKey) -> [UInt8]? { current(key).row }

  /// Returns the current row of a record, pending changes included. Throws an error if damaged data
  /// was read.
  func verifiedRow(_ key: EntityKey) throws(StoreError) -> [UInt8]? { try rowToChange(key).row }

  /// Returns the current row of a record, and the shown record, which is nil if the record has a
  /// pending change. Throws an error if damaged data was read.
  func rowToChange(
    _ key: EntityKey
  ) throws(StoreError) -> (row: [UInt8]?, visible: ContextView.Visible?) {
    let current = current(key)
    try view.base.checkWhole(store.path)
    return current
  }

  func codec<R: Record>(_ type: R.Type) throws(StoreError) -> RecordCodec<R> {
    guard let codec = types.codec(type) else {
      throw StoreError(.unknownType("\(type)"), path: store.path)
    }
    return codec
  }

  /// Returns the key of a record. The entity's index is found by the number of the codec's layout,
  /// because a search by name would be slower.
  func key<R: Record>(_ codec: RecordCodec<R>, id: R.ID) -> EntityKey {
    EntityKey(view.catalog.entity(of: codec.layout.number), id: id.recordIdentifier)
  }

  func entity(_ name: String) throws(StoreError) -> Int {
    guard let entity = view.catalog.index(of: name) else {
      throw StoreError(.unknownEntity(name), path: store.path)
    }
    return entity
  }

  func keyAndIndex(
    _ entity: String, id: RecordIdentifier, attribute: String
  ) throws(StoreError) -> (key: EntityKey, index: Int) {
    let index = try self.entity(entity)
    let catalog = view.catalog
    guard let attributeIndex = catalog.newest(index).index(of: attribute) else {
      if let (referrer, source) = catalog.inverse(attribute, of: index) {
        let definition = catalog.newest(referrer).entity
        throw StoreError(
          .computed(
            entity: entity, inverse: attribute,
            from: "\(definition.name).\(definition.attributes[source].name)"), path: store.path)
      }
      throw StoreError(.unknownAttribute(entity: entity, attribute: attribute), path: store.path)
    }
    return (EntityKey(index, id: id), attributeIndex)
  }
}

extension RecordCodec {
  /// Returns a record encoded as a row, in an array of its own.
  ///
  /// - Parameter row: The row that supplies the values that the record does not set; nil for a new
  ///   record.
  func row(_ record: R, keepingOthersOf row: [UInt8]? = nil) -> [UInt8] {
    var buffer = RowBuffer()
    append(record, keepingOthersOf: row, to: &buffer)
    return buffer.bytes
  }
}

extension DynamicRecord {
  /// Returns the record encoded as a row, in an array of its own.
  func row(_ layout: Layout) -> [UInt8] {
    var buffer = RowBuffer()
    append(layout, to: &buffer)
    return buffer.bytes
  }
}
