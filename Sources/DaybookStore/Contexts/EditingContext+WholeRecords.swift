/// Changes that write all values of a record, for programs that edit a copy of it.
extension EditingContext {
  /// Writes all values of a record that exists already. The identifier finds the existing record.
  ///
  /// ```swift
  /// bank.state = "NY"
  /// try context.update(bank)
  /// ```
  ///
  /// The method writes each attribute that the type names. So it also replaces values that a second
  /// writer has changed after the program read the record. To write only the attributes that the
  /// program has changed, call `update(_:from:)`.
  ///
  /// Attributes of the entity that the type does not name keep their values. If the type cannot
  /// represent a stored value, the program reads a substitute. As long as the record has that
  /// substitute, the stored value stays.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `notFound` if there is no such record.
  public func update<R: Record>(
    _ record: R, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let codec = try codec(R.self)
    let key = key(codec, id: record.id)
    let (row, visible) = try rowToChange(key)
    guard let row else { throw notFound(R.self, id: record.id) }
    set(key, from: row, to: codec.row(record, keepingOthersOf: row), visible: visible)
  }

  /// Writes the attributes of a record that the program has changed after reading it.
  ///
  /// ```swift
  /// var edited = original
  /// edited.state = "NY"
  /// try context.update(edited, from: original)   // writes the state, and nothing else
  /// ```
  ///
  /// The method compares `record` with `original`, and writes the attributes that differ. Two
  /// contexts that change different attributes of one record in this way do not conflict. An
  /// attribute that differs is written even if a second writer has changed the same attribute after
  /// the program read `original`. To refuse that, call ``require(unchanged:attributes:)`` with
  /// `original`.
  ///
  /// - Parameters:
  ///   - record: The record with its new values.
  ///   - original: The record as the program has read it.
  ///   - isolation: The actor of the caller.
  /// - Throws: ``StoreError`` with one of these reasons:
  ///   - `unknownType`
  ///   - `notFound`, if there is no such record
  ///   - `identifierAssigned`, if the two records have different identifiers
  public func update<R: Record>(
    _ record: R, from original: R, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let codec = try codec(R.self)
    guard record.id == original.id else {
      throw identifierAssigned(R.self, id: original.id, to: record.id)
    }
    let key = key(codec, id: record.id)
    let (row, visible) = try rowToChange(key)
    guard let row else { throw notFound(R.self, id: record.id) }
    let new = codec.row(record, keepingOthersOf: row)
    let old = codec.row(original, keepingOthersOf: row)
    set(key, from: row, difference: (old, new), visible: visible)
  }

  /// Updates the record that has the same identifier, or inserts the record if no record has it.
  ///
  /// ```swift
  /// try context.upsert(Bank(id: 7, name: "First"))
  /// ```
  ///
  /// An existing record keeps its creation number, and the values of attributes that the type does
  /// not name, as with `update(_:)`. To find the record by other values than its
  /// identifier, call ``upsert(_:by:_:isolation:)``.
  ///
  /// - Returns: The identifier of the record.
  /// - Throws: ``StoreError`` with `unknownType`
  @discardableResult
  public func upsert<R: Record>(
    _ record: R, isolation: (any Actor)? = #isolation
  ) throws(StoreError) -> R.ID {
    enter(isolation)
    let codec = try codec(R.self)
    let key = key(codec, id: record.id)
    let (row, visible) = try rowToChange(key)
    set(key, from: row, to: codec.row(record, keepingOthersOf: row), visible: visible)
    return record.id
  }

  // MARK: Records of any entity

  /// Writes all values of a record of any entity that exists already, for programs that do not know
  /// its type. The identifier finds the existing record.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, `valueCount`, `typeMismatch` or `notFound`
  public func update(
    _ record: DynamicRecord, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let (key, layout) = try checked(record)
    let (row, visible) = try rowToUpdate(key, for: record)
    set(key, from: row, to: record.row(layout), visible: visible)
  }

  /// Writes the attributes of a record of any entity that the program has changed after reading it,
  /// for programs that do not know its type.
  ///
  /// - Parameters:
  ///   - record: The record with its new values.
  ///   - original: The record as the program has read it.
  ///   - isolation: The actor of the caller.
  /// - Throws: ``StoreError`` with `unknownEntity`, `valueCount`, `typeMismatch` or `notFound`;
  ///   `identifierAssigned`, if the two records have different identifiers.
  public func update(
    _ record: DynamicRecord, from original: DynamicRecord, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let (key, layout) = try checked(record)
    guard try checked(original).key == key else {
      throw StoreError(
        .identifierAssigned(entity: original.entity, id: original.id, to: record.id),
        path: store.path)
    }
    let (row, visible) = try rowToUpdate(key, for: record)
    set(key, from: row, difference: (original.row(layout), record.row(layout)), visible: visible)
  }

  /// Updates the record of any entity that has the same identifier, or inserts the record if no
  /// record has it. This method is for programs that do not know the type.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, `valueCount` or `typeMismatch`
  public func upsert(
    _ record: DynamicRecord, isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let (key, layout) = try checked(record)
    let (row, visible) = try rowToChange(key)
    set(key, from: row, to: record.row(layout), visible: visible)
  }

  /// Returns the key and the newest layout of a record, after checking that it has a value of the
  /// right type for each attribute.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, `valueCount` or `typeMismatch`
  func checked(
    _ record: DynamicRecord
  ) throws(StoreError) -> (key: EntityKey, layout: Layout) {
    let entity = try entity(record.entity)
    let layout = view.catalog.newest(entity)
    let attributes = layout.entity.attributes
    guard record.values.count == attributes.count else {
      throw StoreError(
        .valueCount(
          entity: record.entity, expected: attributes.count, found: record.values.count),
        path: store.path)
    }
    guard record.id.kind == layout.entity.identifierKind else {
      throw StoreError(
        .typeMismatch(
          entity: record.entity, attribute: "id", type: layout.entity.identifierKind.name),
        path: store.path)
    }
    for (attribute, value) in zip(attributes, record.values) where !value.fits(attribute.type) {
      throw StoreError(
        .typeMismatch(
          entity: record.entity, attribute: attribute.name, type: attribute.type.name),
        path: store.path)
    }
    return (EntityKey(entity, id: record.id), layout)
  }

  private func rowToUpdate(
    _ key: EntityKey, for record: DynamicRecord
  ) throws(StoreError) -> (row: [UInt8], visible: ContextView.Visible?) {
    let (row, visible) = try rowToChange(key)
    guard let row else {
      throw StoreError(.notFound(entity: record.entity, id: record.id), path: store.path)
    }
    return (row, visible)
  }

  /// Stores a pending change of the attributes that differ between two rows.
  ///
  /// - Parameters:
  ///   - row: The row before the change.
  ///   - difference: Two rows of the newest layout. The attributes that differ take the values of
  ///     the second one.
  ///   - visible: The shown record; nil if the record has a pending change.
  private func set(
    _ key: EntityKey, from row: [UInt8], difference: (old: [UInt8], new: [UInt8]),
    visible: ContextView.Visible?
  ) {
    let layout = view.catalog.newest(key.entity)
    let changed = layout.changedAttributes(
      from: difference.old.span.bytes, to: difference.new.span.bytes)
    if changed.isEmpty { return }
    let new = layout.row(
      changed, of: difference.new.span.bytes, andOthersOf: row.span.bytes, id: key.id)
    set(key, from: row, to: new, visible: visible)
  }
}
