/// Changes for which the context finds an existing record by its unique values. A *unique list* is
/// a list of attributes whose values together must differ in every two records.
extension EditingContext {
  /// Updates the record that has the same values of a unique list, or inserts a new record if no
  /// record has these values.
  ///
  /// ```swift
  /// // The schema declares .unique(\.email).
  /// let id = try context.upsert(Person(name: "Ada", email: "ada@example.com"), by: \.email)
  /// ```
  ///
  /// An existing record keeps its identifier and its creation number. The attributes that the type
  /// names get the values of the given record, and all other attributes keep their values.
  ///
  /// If the record has no value for an attribute of the list, only the identifier decides, as with
  /// `upsert(_:)`. The method also compares records with pending and unsaved changes of this
  /// context. A record that a second writer saves at the same time is not found. The save then
  /// throws `validation`. The body of ``Store/write(_:isolation:body:)`` avoids this case, because
  /// it reads all changes of other writers.
  ///
  /// - Parameters:
  ///   - record: The record to write.
  ///   - first: An attribute of a list that the schema declares with ``RecordSchema/unique(_:)``.
  ///   - others: The other attributes of the list, in any order.
  ///   - isolation: The actor of the caller.
  /// - Returns: The identifier of the updated or inserted record.
  /// - Throws: ``StoreError`` with one of the reasons below. The context is then unchanged.
  ///   - `unknownType`
  ///   - `unknownAttribute`, if a property is not an attribute
  ///   - `noUniqueList`, if the schema declares no list of exactly these attributes
  ///   - `severalRecords`, if one record has the identifier and a second record has the values
  ///   - `notFound`, if the type cannot represent the identifier of the record that has the values
  /// - Complexity: O(log *n*) in the unique values of the store
  @discardableResult
  public func upsert<R: Record>(
    _ record: R, by first: PartialKeyPath<R>, _ others: PartialKeyPath<R>...,
    isolation: (any Actor)? = #isolation
  ) throws(StoreError) -> R.ID {
    enter(isolation)
    let codec = try codec(R.self)
    let entity = view.catalog.entity(of: codec.layout.number)
    let names = try attributeNames([first] + others)
    let lists = view.catalog.newest(entity).entity.unique
    guard let list = lists.firstIndex(where: { Set($0) == Set(names) }) else {
      throw StoreError(
        .noUniqueList(entity: R.schema.entity, attributes: names), path: store.path)
    }
    let found = try matches(of: record, codec, lists: list..<list + 1)
    return try upsert(record, matching: found, using: codec).id
  }

  /// Inserts several records at once.
  ///
  /// ```swift
  /// try context.insert(contentsOf: downloaded, onConflict: .update)
  /// ```
  ///
  /// Two records are in conflict if they have the same identifier, or the same values of a unique
  /// list. A record of the sequence can be in conflict with an existing record, or with an earlier
  /// record of the sequence. A list is not compared if one of its values is missing.
  ///
  /// To add many records without a context, call
  /// ``Store/insert(contentsOf:inTransactionsOf:metadata:isolation:progress:)``.
  ///
  /// - Parameters:
  ///   - records: The records.
  ///   - policy: The policy for records that are in conflict.
  ///   - isolation: The actor of the caller.
  /// - Throws: ``StoreError`` with one of the reasons below. The context is then unchanged: it
  ///   contains none of the records.
  ///   - `unknownType`
  ///   - `alreadyExists` with the policy `fail`, if a record has the same identifier as a different
  ///     record
  ///   - `validation` with the policy `fail`, if a record has the same unique values as a different
  ///     record
  ///   - `severalRecords` with the policy `update`, if a record is in conflict with several others
  /// - Complexity: O(*k* log *n*) for *k* records, in the unique values of the store
  public func insert<R: Record>(
    contentsOf records: some Sequence<R>, onConflict policy: InsertConflictPolicy = .fail,
    isolation: (any Actor)? = #isolation
  ) throws(StoreError) {
    enter(isolation)
    let codec = try codec(R.self)
    let entity = view.catalog.entity(of: codec.layout.number)
    let lists = view.catalog.newest(entity).entity.unique.indices
    // The sequence is read first, because its iterator may run code of the program that makes a
    // boundary.
    let records = Array(records)
    var replaced: [ReplacedRow] = []
    do throws(StoreError) {
      for record in records {
        let found = try matches(of: record, codec, lists: lists)
        if policy == .skip, !found.isEmpty { continue }
        if policy == .fail { try refuse(found, for: record, using: codec) }
        replaced.append(try upsert(record, matching: found, using: codec).replaced)
      }
    } catch {
      restore(replaced)
      throw error
    }
  }

  // MARK: Matching

  /// A record that has the identifier of a new record, or its values of a unique list.
  private struct Match {
    var key: EntityKey
    /// The index of the list whose values are the same; nil if the identifier is the same.
    var list: Int?
  }

  /// Returns the records in conflict with a new record, pending changes included. The record with
  /// the same identifier is the first. All others follow in the order of their identifiers.
  ///
  /// - Parameter lists: The unique lists to compare.
  private func matches<R: Record>(
    of record: R, _ codec: RecordCodec<R>, lists: Range<Int>
  ) throws(StoreError) -> [Match] {
    let key = key(codec, id: record.id)
    let own = try verifiedRow(key)
    var others: [Match] = []
    if !lists.isEmpty {
      let row = codec.row(record, keepingOthersOf: own)
      for list in lists {
        for other in keys(withSameValuesAs: row, list: list, of: key.entity)
        where other != key && !others.contains(where: { $0.key == other }) {
          others.append(Match(key: other, list: list))
        }
      }
      try view.base.checkWhole(store.path)
      // The order of slots depends on the history of the store. The sort makes the order in an
      // error independent of it.
      others.sort { $0.key.id.isOrdered(before: $1.key.id) }
    }
    return own == nil ? others : [Match(key: key)] + others
  }

  /// Returns the records that have the same values of a unique list as a row, pending changes
  /// included.
  private func keys(
    withSameValuesAs row: [UInt8], list: Int, of entity: Int
  ) -> [EntityKey] {
    let catalog = view.catalog
    guard
      let values = UniqueValues(ofList: list, in: row.span.bytes, entity: entity, catalog: catalog)
    else { return [] }
    var keys = overlay.pendingKeys(with: values) { uniqueValues(of: $0) }
    for slot in view.reader.slots(withSameValuesAs: row.span.bytes, of: entity, list: list) {
      let key = EntityKey(entity, id: view.reader.identifier(ofSlot: slot, in: entity))
      // The pending row of a record replaces its shown row, and was searched above.
      if overlay.index(of: key, in: overlay.pending) == nil { keys.append(key) }
    }
    return keys
  }

  /// Returns the values of all unique lists in the row of a pending draft.
  private func uniqueValues(of draft: Draft) -> [UniqueValues] {
    let (catalog, entity) = (view.catalog, draft.key.entity)
    let lists = catalog.newest(entity).entity.unique
    guard !lists.isEmpty, let row = draft.row else { return [] }
    let newest = types.newest(row.span.bytes, of: entity, in: catalog)
    return lists.indices.compactMap {
      UniqueValues(ofList: $0, in: newest.span.bytes, entity: entity, catalog: catalog)
    }
  }

  // MARK: Changing

  /// The row of a record before a change. `restore(_:)` uses it to undo the change.
  private struct ReplacedRow {
    var key: EntityKey
    /// The row; nil if the record did not exist.
    var row: [UInt8]?
    /// The deletion of the record, if it was deleted.
    var deletion: Deletion?
    /// A Boolean value that indicates whether the record had a pending change.
    var wasPending: Bool
  }

  /// Updates the record that matches a new record, or inserts the new record if no record matches
  /// it.
  ///
  /// - Parameter found: The records that match the new record.
  /// - Returns: The identifier of the changed record, and its row before the change.
  /// - Throws: ``StoreError`` with `severalRecords`, or `notFound` if the type cannot represent the
  ///   identifier of the record that matches.
  private func upsert<R: Record>(
    _ record: R, matching found: [Match], using codec: RecordCodec<R>
  ) throws(StoreError) -> (id: R.ID, replaced: ReplacedRow) {
    guard found.count <= 1 else {
      throw StoreError(
        .severalRecords(entity: R.schema.entity, ids: found.map(\.key.id)), path: store.path)
    }
    let key = found.first?.key ?? key(codec, id: record.id)
    let (old, visible) = try rowToChange(key)
    var record = record
    if found.first?.list != nil {
      guard let id = R.ID(key.id) else {
        throw StoreError(.notFound(entity: R.schema.entity, id: key.id), path: store.path)
      }
      record.id = id
    }
    let replaced = ReplacedRow(
      key: key, row: old, deletion: old == nil ? overlay.deletion(of: key) : nil,
      wasPending: visible == nil)
    set(key, from: old, to: codec.row(record, keepingOthersOf: old), visible: visible)
    return (record.id, replaced)
  }

  /// Throws an error if existing records match a new record. The first match determines the error.
  private func refuse<R: Record>(
    _ found: [Match], for record: R, using codec: RecordCodec<R>
  ) throws(StoreError) {
    guard let first = found.first else { return }
    let (entity, id) = (R.schema.entity, record.id.recordIdentifier)
    guard let list = first.list else {
      throw StoreError(.alreadyExists(entity: entity, id: id), path: store.path)
    }
    let names = view.catalog.newest(first.key.entity).entity.unique[list]
    let problem = ValidationProblem(
      entity: entity, id: id, kind: .notUnique(attributes: names, other: first.key.id))
    throw StoreError(.validation([problem]), path: store.path)
  }

  /// Undoes some changes, given in the order of their making. A record without a pending row before
  /// its change loses its draft.
  private func restore(_ replaced: [ReplacedRow]) {
    for change in replaced.reversed() where change.wasPending {
      overlay.set(change.key, to: change.row, deletion: change.deletion)
    }
    let added = replaced.compactMap { change in
      change.wasPending ? nil : overlay.index(of: change.key, in: overlay.pending)
    }
    overlay.remove(added)
    state.stepCount += 1
  }
}

/// A policy for inserted records that are in conflict with other records.
///
/// Two records are in conflict if they have the same identifier, or the same values of a list that
/// the schema declares with ``RecordSchema/unique(_:)``.
public enum InsertConflictPolicy: Hashable, Sendable {
  /// The insertion throws an error, and inserts no record.
  case fail
  /// A record in conflict is not inserted, and the existing record stays as it is.
  case skip
  /// The existing record is updated, and keeps its identifier and its creation number.
  case update
}
