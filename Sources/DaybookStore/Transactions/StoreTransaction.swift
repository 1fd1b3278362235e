import DaybookJournal

/// The changes of one boundary of a context, or of one transaction of the journal. Each record has
/// at most one change, with the record before and after it.
///
/// An observer therefore processes unsaved changes, merges, undos and transactions of the history
/// in the same way.
public struct StoreTransaction: Sendable {
  /// The kind of a boundary.
  @nonexhaustive
  public enum Origin: Hashable, Sendable {
    /// Unsaved changes of the context.
    case changes
    /// Changes that other writers have saved, merged into the context.
    case merge
    /// An undo or redo of changes of the context.
    case undo
    /// A rollback of all unsaved changes.
    case rollback
    /// The difference between two moments, when a context travels from one to the other.
    case travel
    /// A transaction of the journal.
    case journal
  }

  /// The kind of the boundary.
  public let origin: Origin
  /// The number of the transaction; nil if it has no number yet, or if several transactions were
  /// merged.
  public package(set) var sequence: SequenceNumber?
  /// The time of the transaction; nil if it has no number yet, or if several transactions were
  /// merged.
  public package(set) var time: JournalTime?
  /// The metadata of the transaction.
  public package(set) var metadata = TransactionMetadata()
  /// The changes of rows, in order, with the locations of the old and the new row.
  package let rowChanges: [RowChange]
  /// The memory that contains the old and the new rows.
  package let memory: RowMemory
  package let catalog: Catalog

  package init(_ origin: Origin, rowChanges: [RowChange], memory: RowMemory, catalog: Catalog) {
    self.origin = origin
    self.rowChanges = rowChanges
    self.memory = memory
    self.catalog = catalog
  }

  /// The number of bytes of the transaction's payload in the journal; nil if the origin is not
  /// ``Origin/journal``.
  ///
  /// - Complexity: O(log *n*) in the transactions of the journal
  public var byteCount: Int? {
    guard origin == .journal, let sequence else { return nil }
    let locator = memory.locator
    let location = locator.location(of: sequence.rawValue, in: memory)
    if location != .none, locator.base(at: location) == 0 {
      return memory.payloadHead(at: location)?.byteCount
    }
    return locator.bases.isEmpty
      ? nil : locator.bases.reduce(0) { $0 + (memory.payloadHead(at: $1)?.byteCount ?? 0) }
  }

  /// The keys of the changed records.
  package var changedKeys: [EntityKey] {
    rowChanges.map { change in
      let location = change.new == .none ? change.old : change.new
      return memory.withBytes(at: location) { row in
        guard let number = Layout.number(of: row), let layout = catalog.layouts[number],
          let range = layout.identifierRange(in: row),
          let id = RecordIdentifier(layout.entity.identifierKind, bytes: row.extracting(range))
        else { preconditionFailure("a change of \(catalog.names[change.entity]) has no record") }
        return EntityKey(change.entity, id: id)
      }
    }
  }

  /// The changes, at most one for each record.
  ///
  /// - Complexity: O(*n*) in the number of changes. Each record is read when it is accessed.
  public var changes: [RecordChange] {
    rowChanges.map { RecordChange($0, memory: memory, catalog: catalog) }
  }
}

/// The change of one record in a transaction.
public struct RecordChange: Sendable {
  /// The kind of a change.
  public enum Kind: Hashable, Sendable {
    /// The record did not exist before.
    case insert
    /// The record has different values, or a different position in the order of creation. The
    /// position changes if a second writer has inserted the same record too, or if the record was
    /// deleted and inserted again.
    case update
    /// The record no longer exists.
    case delete
  }

  package let change: RowChange
  private let memory: RowMemory
  private let catalog: Catalog

  init(_ change: RowChange, memory: RowMemory, catalog: Catalog) {
    self.change = change
    self.memory = memory
    self.catalog = catalog
  }

  /// The kind of the change.
  public var kind: Kind {
    switch change.kind {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }

  /// The record's entity.
  public var entity: String { catalog.names[change.entity] }

  /// The record before the change; nil if the record did not exist.
  public var old: DynamicRecord? { record(at: change.old) }

  /// The record after the change; nil if the record was deleted.
  public var new: DynamicRecord? { record(at: change.new) }

  /// The record's identifier.
  public var id: RecordIdentifier {
    guard let id = (valuesAfter ?? valuesBefore)?.id else {
      preconditionFailure("the change has no record")
    }
    return id
  }

  /// The names of the attributes that an update changed, in the order of the schema.
  public var changedAttributes: [String] {
    guard let old, let new else { return [] }
    let attributes = catalog.newest(change.entity).entity.attributes
    return attributes.indices.filter { old.values[$0] != new.values[$0] }.map {
      attributes[$0].name
    }
  }

  /// The creation number that the record has after the change, or had before its deletion.
  public var creation: UInt64 { change.creation }

  /// The newest definition of the record's entity.
  public var definition: EntityDefinition { catalog.newest(change.entity).entity }

  /// The values before the change; nil if the record did not exist.
  @_spi(Tools) public var valuesBefore: RowValues? { values(at: change.old) }

  /// The values after the change; nil if the record was deleted.
  @_spi(Tools) public var valuesAfter: RowValues? { values(at: change.new) }

  private func values(at location: RowLocation) -> RowValues? {
    location == .none ? nil : RowValues(at: location, in: memory, catalog: catalog)
  }

  /// Returns the record of a type whose row is at a location; nil if there is no row.
  ///
  /// - Throws: ``StoreError`` with `unknownValue`
  func record<R: Record>(
    at location: RowLocation, codec: RecordCodec<R>, path: String
  ) throws(StoreError) -> R? {
    if location == .none { return nil }
    return try memory.withCompleteRow(at: location, layouts: catalog.layouts) {
      (row) throws(StoreError) in try codec.record(row, path: path)
    }
  }

  private func record(at location: RowLocation) -> DynamicRecord? {
    if location == .none { return nil }
    return memory.withCompleteRow(at: location, layouts: catalog.layouts) {
      DynamicRecord($0, of: change.entity, in: catalog)
    }
  }
}
