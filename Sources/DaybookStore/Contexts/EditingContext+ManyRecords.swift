/// Changes of many existing records. The caller has found their identifiers with a request.
extension EditingContext {
  /// Deletes the records with given identifiers. Identifiers without a record are ignored.
  ///
  /// - Returns: The number of deleted records.
  /// - Throws: ``StoreError`` with `unknownType`
  package func delete<R: Record>(
    _ type: R.Type, ids: [RecordIdentifier], isolation: (any Actor)? = #isolation
  ) throws(StoreError) -> Int {
    enter(isolation)
    _ = try codec(type)
    let entity = try entity(R.schema.entity)
    var count = 0
    for id in ids {
      let key = EntityKey(entity, id: id)
      let (row, visible) = try rowToChange(key)
      guard let row else { continue }
      delete(key, from: row, visible: visible)
      count += 1
    }
    return count
  }

  /// Updates the records with given identifiers by a closure. Identifiers without a record are
  /// ignored.
  ///
  /// The method calls the closure for all records before it changes the first one. If a call
  /// throws, no record is changed.
  ///
  /// - Returns: The number of records that the closure has received.
  /// - Throws: The errors of the closure, and ``StoreError`` with `unknownType`, `unknownValue` or
  ///   `identifierAssigned`; with `notFound`, if the closure has deleted one of the records.
  package func update<R: Record>(
    _ type: R.Type, ids: [RecordIdentifier], isolation: (any Actor)? = #isolation,
    with change: (inout R) throws -> Void
  ) throws -> Int {
    enter(isolation)
    let codec = try codec(type)
    let entity = try entity(R.schema.entity)
    var records: [(original: R, record: R)] = []
    for id in ids {
      guard let row = try verifiedRow(EntityKey(entity, id: id)),
        let original = try codec.record(row.span.bytes, path: store.path)
      else { continue }
      var record = original
      try change(&record)
      guard record.id == original.id else {
        throw identifierAssigned(type, id: original.id, to: record.id)
      }
      records.append((original, record))
    }
    for (original, _) in records where try verifiedRow(key(codec, id: original.id)) == nil {
      throw notFound(type, id: original.id)
    }
    for (original, record) in records { try update(record, from: original, isolation: isolation) }
    return records.count
  }
}
