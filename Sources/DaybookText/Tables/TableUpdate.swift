import DaybookJournal
@_spi(Tools) import DaybookStore

/// The difference between the records of an entity and a new version of their table, as unsaved
/// changes of a context.
@_spi(Tools) public struct TableUpdate {
  private let context: EditingContext
  private let store: Store
  /// A Boolean value that indicates whether the table has attributes or names that the journal does
  /// not have.
  private let changesSchema: Bool
  /// The number of rows with an identifier that no record has.
  public private(set) var insertedCount = 0
  /// The number of records whose values differ from those of their rows.
  public private(set) var updatedCount = 0
  /// The number of records without a row.
  public private(set) var missingCount = 0
  /// The number of records before the update.
  public let recordCount: Int
  /// The attributes without a column. The update does not change them.
  public let untouchedAttributes: [String]

  /// Compares a table with the records of a store.
  ///
  /// - Parameters:
  ///   - table: The whole table.
  ///   - store: The store. Attributes that its entity does not have are added to the schema.
  ///   - deletesMissing: A Boolean value that indicates whether records without a row are deleted.
  /// - Throws: ``TextJournalError``, or ``StoreError``
  /// - Complexity: O(*n*) in the rows and the records. The update needs memory for the identifiers
  ///   of the rows, and for the records that change.
  public init(_ table: Table, of store: Store, deletesMissing: Bool) throws {
    changesSchema = store.snapshot.entities.first { $0.name == table.entity.name } != table.entity
    self.store = store
    try store.define([table.entity])
    context = store.makeContext(isolation: nil)
    let entity = table.entity
    let attributes = table.attributes
    let known = Set(attributes)
    untouchedAttributes = entity.attributes.indices.filter { !known.contains($0) }
      .map { entity.attributes[$0].name }
    recordCount = store.snapshot.count(of: entity.name)
    var ids: Set<RecordIdentifier> = []
    ids.reserveCapacity(table.rowCount)
    var records = try table.records()
    while let record = try records.next() {
      ids.insert(record.id)
      guard let old = try context.object(entity.name, id: record.id) else {
        try table.refuseEmptyIdentifier(of: record)
        insertedCount += 1
        try context.insert(
          DynamicRecord(entity, id: record.id, values: record.values), isolation: nil)
        continue
      }
      let changed = attributes.filter { old.values[$0] != record.values[$0] }
      if !changed.isEmpty { updatedCount += 1 }
      for index in changed {
        try context.setValue(
          record.values[index], forKey: entity.attributes[index].name, of: entity.name,
          id: record.id, isolation: nil)
      }
    }
    for id in TableUpdate.identifiers(of: entity.name, in: store.snapshot)
    where !ids.contains(id) {
      missingCount += 1
      if deletesMissing { try context.delete(entity.name, id: id, isolation: nil) }
    }
  }

  /// Returns the identifiers of all records of an entity, in the order of their creation.
  private static func identifiers(
    of entity: String, in snapshot: StoreSnapshot
  ) -> [RecordIdentifier] {
    let frozen = snapshot.frozen
    guard let index = frozen.catalog.index(of: entity), index < frozen.state.tables.count else {
      return []
    }
    var found: [(creation: UInt64, id: RecordIdentifier)] = []
    frozen.state.tables[index].forEach(in: frozen.space) { slot, _, creation in
      found.append((creation, frozen.reader.identifier(ofSlot: slot, in: index)))
    }
    return found.sorted { $0.creation < $1.creation }.map(\.id)
  }

  /// Saves the difference as one transaction.
  ///
  /// If only the schema differs, for example by a new name of an attribute, the transaction has no
  /// changes.
  ///
  /// - Returns: The receipt; nil if there is no difference.
  @available(*, noasync)
  public func save(_ metadata: TransactionMetadata) throws(StoreError) -> Receipt? {
    context.metadata = metadata
    if let receipt = try context.saveAndWait() { return receipt }
    return changesSchema ? try store.saveAndWait(Proposal(metadata)) : nil
  }
}

extension EntityDefinition {
  /// Returns the definition with an attribute renamed, so that records keep its values.
  ///
  /// - Precondition: The attribute exists and is not a reference. No attribute has the new name.
  @_spi(Tools) public func renaming(_ old: String, to new: String) -> EntityDefinition {
    guard let index = index(of: old), attributes[index].type.target == nil,
      self.index(of: new) == nil
    else { preconditionFailure("\(name).\(old) cannot be renamed to \(new)") }
    var entity = self
    entity.attributes[index].name = new
    entity.attributes[index].earlierName = old
    entity.unique = unique.map { $0.map { $0 == old ? new : $0 } }
    return entity
  }
}
