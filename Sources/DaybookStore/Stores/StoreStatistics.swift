import DaybookJournal

/// The content of a store, and its activity after it was opened.
public struct StoreStatistics: Hashable, Sendable {
  /// The content of one entity.
  public struct Entity: Hashable, Sendable {
    /// The name of the entity.
    public var name: String
    /// The number of records.
    public var recordCount: Int
    /// The number of layouts of the entity, that is, of versions of its schema.
    public var layoutCount: Int
  }

  /// The last transaction that readers see.
  public var sequence: SequenceNumber
  /// The last transaction before the recorded history; 0 if the history is complete.
  public var base: SequenceNumber
  /// The entities, in the order of their introduction in the journal.
  public var entities: [Entity]
  /// The number of bytes of memory that tables and indexes use. Rows are not included.
  public var tableByteCount: Int
  /// The number of bytes of rows in memory, that is, rows that are not read from a file.
  public var rowByteCount: Int
  /// The number of idempotency keys that the store has recorded.
  public var idempotencyKeyCount: Int
  /// The number of transactions in flight: they have a number, and readers do not see them yet.
  public var inFlightCount: Int
  /// The statistics of the fetches for lists.
  public var fetches: FetchStatistics
  /// The activity of the journal. All counts are zero if the store does not write the journal, or
  /// if the journal is in memory.
  public var appends: AppendStatistics
  /// The statistics of the checkpoints; nil if the store keeps no checkpoints.
  public var checkpoints: CheckpointStatistics?
  /// The statistics of the shared log; nil if the store shares no log.
  public var sharing: SharingStatistics?

  /// The number of records of all entities.
  public var recordCount: Int { entities.reduce(0) { $0 + $1.recordCount } }
}

extension Store {
  /// The content of the store, and its activity since the opening.
  ///
  /// - Complexity: O(1) in the number of records
  public var statistics: StoreStatistics {
    let base = base
    var statistics = core.withLock { core in
      let published = core.published()
      return StoreStatistics(
        sequence: published.sequence, base: base,
        entities: published.catalog.names.indices.map { entity in
          StoreStatistics.Entity(
            name: published.catalog.names[entity],
            recordCount: published.state.tables[entity].count,
            layoutCount: published.catalog.history[entity].count)
        },
        tableByteCount: core.editor.reader.space.statistics.reservedByteCount,
        rowByteCount: core.editor.memory.memory.byteCount, idempotencyKeyCount: core.keyCount,
        inFlightCount: core.inFlightCount, fetches: core.catalog.fetches.statistics,
        appends: AppendStatistics())
    }
    if case .file(let journal) = log {
      statistics.appends = journal.statistics
      statistics.sharing = journal.sharingStatistics
    }
    statistics.checkpoints = checkpoints?.statistics
    return statistics
  }
}
