import DaybookJournal

/// What there is in a store, and what it has done since it was opened.
public struct StoreStatistics: Hashable, Sendable {
  /// What there is of one entity.
  public struct Entity: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// How many records there are.
    public var recordCount: Int
    /// How many schemas it has had.
    public var layoutCount: Int
  }

  /// The last transaction that readers are shown.
  public var sequence: SequenceNumber
  /// The transaction whose state history begins with; 0 if it is whole.
  public var base: SequenceNumber
  /// Each entity, in the order in which the journal first told of them.
  public var entities: [Entity]
  /// How many bytes of memory the tables and indexes take up; rows in a file are not among them.
  public var tableByteCount: Int
  /// How many bytes of rows are kept in memory, as they are not read from a file.
  public var rowByteCount: Int
  /// How many idempotency keys are remembered.
  public var idempotencyKeyCount: Int
  /// How many transactions have a number and are not known to be on the disk yet.
  public var onTheWayCount: Int
  /// What has been read for lists.
  public var fetches: FetchStatistics
  /// What the journal has done. Nothing, if the store does not write it, or has it in memory.
  public var appends: AppendStatistics
  /// What checkpoints were good for; nil if the store keeps none.
  public var checkpoints: CheckpointStatistics?

  /// How many records there are of all entities.
  public var recordCount: Int { entities.reduce(0) { $0 + $1.recordCount } }
}

extension Store {
  /// What there is, and what has been done since the store was opened.
  ///
  /// - Complexity: O(1) in the number of records
  public var statistics: StoreStatistics {
    let base = base
    var statistics = core.withLock { core in
      let shown = core.shown()
      return StoreStatistics(
        sequence: shown.sequence, base: base,
        entities: shown.catalog.names.indices.map { entity in
          StoreStatistics.Entity(
            name: shown.catalog.names[entity], recordCount: shown.state.tables[entity].count,
            layoutCount: shown.catalog.history[entity].count)
        },
        tableByteCount: core.editor.reader.space.statistics.reservedByteCount,
        rowByteCount: core.editor.memory.memory.byteCount, idempotencyKeyCount: core.keyCount,
        onTheWayCount: core.onTheWayCount, fetches: core.catalog.fetches.statistics,
        appends: AppendStatistics())
    }
    if case .file(let journal) = log { statistics.appends = journal.statistics }
    statistics.checkpoints = checkpoints?.statistics
    return statistics
  }
}
