import DaybookJournal

/// What one boundary did: a group of coalesced changes, each with the record before and after.
///
/// It is one value whether the boundary was a save, a merge, an undo, or changes that are not saved
/// yet; and the same one for changes heard live and replayed from the journal.
public struct StoreTransaction: Sendable {
  /// What kind of boundary it was.
  @nonexhaustive
  public enum Origin: Hashable, Sendable {
    /// Changes made in the context, not saved yet.
    case changes
    /// Changes that others have saved, merged into the context.
    case merge
    /// Changes of the context undone, or done again.
    case undo
    /// Everything unsaved thrown away.
    case rollback
    /// What lies between one moment and another, to which the context went.
    case travel
    /// A transaction of the journal.
    case journal
  }

  /// What kind of boundary it was.
  public let origin: Origin
  /// The transaction's number; nil if it has none yet, or if several were merged.
  public let sequence: SequenceNumber?
  /// The time of the transaction, likewise.
  public let time: JournalTime?
  /// What was said about it.
  public let metadata: TransactionMetadata
  /// What was done to the state, in order.
  package let rowChanges: [RowChange]
  /// Whatever the rows before and after are read from.
  package let memory: RowMemory
  package let catalog: Catalog

  package init(
    _ origin: Origin, rowChanges: [RowChange], memory: RowMemory, catalog: Catalog,
    sequence: SequenceNumber? = nil, time: JournalTime? = nil,
    metadata: TransactionMetadata = TransactionMetadata()
  ) {
    self.origin = origin
    self.rowChanges = rowChanges
    self.memory = memory
    self.catalog = catalog
    self.sequence = sequence
    self.time = time
    self.metadata = metadata
  }

  /// The number of bytes of the transaction in the journal; nil if it is not a transaction of a journal.
  ///
  /// - Complexity: O(log *n*) in the transactions of the journal
  public var byteCount: Int? {
    guard origin == .journal, let sequence else { return nil }
    let location = memory.locator.location(of: sequence.rawValue, in: memory)
    if location != .none { return memory.payloadHead(at: location)?.byteCount }
    let bases = memory.locator.bases
    return bases.isEmpty
      ? nil : bases.reduce(0) { $0 + (memory.payloadHead(at: $1)?.byteCount ?? 0) }
  }

  /// The records that it changed.
  package var changedKeys: [EntityKey] {
    rowChanges.map { change in
      let location = change.new == .none ? change.old : change.new
      return memory.withBytes(at: location) { row in
        guard let number = Layout.number(of: row), let layout = catalog.layouts[number],
          let range = layout.identifierRange(in: row),
          let id = RecordIdentifier(layout.entity.identifierKind, bytes: row.extracting(range))
        else { preconditionFailure("a change of no record of \(catalog.names[change.entity])") }
        return EntityKey(change.entity, id: id)
      }
    }
  }

  /// The changes, at most one for each record.
  ///
  /// - Complexity: O(*n*) in the number of changes; their records are read when they are asked for.
  public var changes: [RecordChange] {
    rowChanges.map { RecordChange($0, memory: memory, catalog: catalog) }
  }
}

/// What was done to one record.
public struct RecordChange: Sendable {
  /// What was done.
  public enum Kind: Hashable, Sendable {
    /// There was no such record before.
    case insert
    /// The record has other values; or, without any that changed, another place among those that were
    /// made when it was, as it was made elsewhere too, or was deleted and made again.
    case update
    /// There is no such record any more.
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

  /// What was done.
  public var kind: Kind {
    switch change.kind {
    case .insert: .insert
    case .update: .update
    case .delete: .delete
    }
  }

  /// The record's entity.
  public var entity: String { catalog.names[change.entity] }

  /// The record before; nil if there was none.
  public var old: DynamicRecord? { record(at: change.old) }

  /// The record after; nil if there is none.
  public var new: DynamicRecord? { record(at: change.new) }

  /// The record's identifier.
  public var id: RecordIdentifier {
    guard let id = (valuesAfter ?? valuesBefore)?.id else {
      preconditionFailure("a change of no record")
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

  /// The values before; nil if there was no record.
  @_spi(Tools) public var valuesBefore: RowValues? { values(at: change.old) }

  /// The values after; nil if there is no record.
  @_spi(Tools) public var valuesAfter: RowValues? { values(at: change.new) }

  private func values(at location: RowLocation) -> RowValues? {
    location == .none ? nil : RowValues(at: location, in: memory, catalog: catalog)
  }

  private func record(at location: RowLocation) -> DynamicRecord? {
    if location == .none { return nil }
    return memory.withWholeRow(at: location, layouts: catalog.layouts) {
      DynamicRecord($0, of: change.entity, in: catalog)
    }
  }
}
