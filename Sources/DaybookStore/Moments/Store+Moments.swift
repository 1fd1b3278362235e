import DaybookJournal

extension Store {
  /// The state after an earlier transaction; 0 is before the first.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`
  /// - Complexity: O(*k*) in the changes since
  public func snapshot(at sequence: SequenceNumber) throws(StoreError) -> StoreSnapshot {
    let now = snapshot
    let base = base
    var then: FrozenState?
    if sequence >= base, sequence <= now.sequence {
      do throws(HistoryMisfit) { then = try now.frozen.state(after: sequence.rawValue) } catch {
        try now.frozen.checkWhole(path)
        throw StoreError(error, path: path)
      }
      try now.frozen.checkWhole(path)
    }
    guard let then else {
      throw StoreError(
        .noSuchMoment(sequence, first: base, last: now.sequence), path: path)
    }
    return StoreSnapshot(then, path: path)
  }

  /// The state at a time: after the last transaction at or before it.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`, if history does not go back so far.
  public func snapshot(at time: JournalTime) throws(StoreError) -> StoreSnapshot {
    try snapshot(at: sequence(at: time))
  }

  /// Returns the last transaction at or before a time; 0 if there is none.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`, if history does not go back so far.
  /// - Complexity: O(log *n*) walks over at most 64 KiB of transactions
  public func sequence(at time: JournalTime) throws(StoreError) -> SequenceNumber {
    let now = snapshot
    let base = base
    let sequence = now.frozen.sequence(at: time, after: base.rawValue)
    if base > .zero, sequence == base.rawValue,
      now.frozen.time(of: base.rawValue).map({ time < $0 }) ?? true
    {
      throw StoreError(.noSuchMoment(.zero, first: base, last: now.sequence), path: path)
    }
    return SequenceNumber(sequence)
  }

  /// The transaction whose state history begins with; 0 if it is whole.
  public var base: SequenceNumber {
    if case .file(let journal) = log { return journal.header.base.sequence }
    return core.withLock { $0.base }
  }

  /// The transactions from one on, as many as there are now.
  ///
  /// ```swift
  /// for try await transaction in try store.transactions(from: 41) { print(transaction.changes.count) }
  /// ```
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment`, if history does not go back so far.
  public func transactions(
    from first: SequenceNumber
  ) throws(StoreError) -> StoredTransactions {
    let now = snapshot
    guard first > base || base == .zero else {
      throw StoreError(.noSuchMoment(first, first: base, last: now.sequence), path: path)
    }
    return StoredTransactions(now.frozen, from: max(first.rawValue, 1), path: path)
  }

  /// Returns the state that history begins with, as one transaction of inserts; nil if history is whole.
  ///
  /// - Throws: ``StoreError`` with `payload`, if it cannot be read
  /// - Complexity: O(*n*) in the records of the state
  public func baseTransaction() throws(StoreError) -> StoreTransaction? {
    let base = base
    guard base > .zero else { return nil }
    let frozen = snapshot.frozen
    let found: StoreTransaction?
    do throws(HistoryMisfit) { found = try frozen.baseTransaction(base.rawValue) } catch {
      try frozen.checkWhole(path)
      throw StoreError(error, path: path)
    }
    try frozen.checkWhole(path)
    return found
  }

  /// Every change of one record, the oldest first, each with its transaction.
  ///
  /// Where history begins with the state after a transaction, what the record was then is no change, and not told.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`
  /// - Complexity: O(*k*) in the transactions that changed the record, if it is there; if it is not,
  ///   O(*n*) in all transactions back to its deletion.
  public func history(
    of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> [RecordVersion] {
    let now = snapshot.frozen
    guard let index = now.catalog.index(of: entity) else {
      throw StoreError(.unknownEntity(entity), path: path)
    }
    var versions: [RecordVersion] = []
    var location = now.reader.location(of: IdentifierBytes(id), in: index)
    var before = now.sequence.rawValue
    while true {
      let found: (transaction: StoreTransaction, change: RecordChange)?
      do throws(HistoryMisfit) {
        // Without a row, only the transactions can tell of the deletion that took it.
        found =
          location == .none
          ? try now.deletion(of: EntityKey(index, id: id), before: before)
          : try now.change(at: now.memory.place(of: location))
      } catch {
        try now.checkWhole(path)
        throw StoreError(error, path: path)
      }
      try now.checkWhole(path)
      guard let (transaction, change) = found, let sequence = transaction.sequence else { break }
      versions.append(RecordVersion(change, of: transaction))
      location = change.change.old
      before = sequence.rawValue - 1
    }
    return versions.reversed()
  }
}

extension FrozenState {
  /// The last deletion of a record in the transactions through one.
  fileprivate func deletion(
    of key: EntityKey, before last: UInt64
  ) throws(HistoryMisfit) -> (transaction: StoreTransaction, change: RecordChange)? {
    for number in stride(from: last, to: 0, by: -1) {
      guard let transaction = try transaction(number) else { return nil }
      for change in transaction.rowChanges
      where change.kind == .delete && change.entity == key.entity {
        let record = RecordChange(change, memory: memory, catalog: catalog)
        if record.id == key.id { return (transaction, record) }
      }
    }
    return nil
  }
}

/// One change of a record, with the transaction that made it.
public struct RecordVersion: Sendable {
  /// The transaction's number.
  public let sequence: SequenceNumber
  /// The transaction's time.
  public let time: JournalTime
  /// What was said about the transaction.
  public let metadata: TransactionMetadata
  /// What it did to the record.
  public let change: RecordChange

  init(_ change: RecordChange, of transaction: StoreTransaction) {
    sequence = transaction.sequence ?? .zero
    time = transaction.time ?? .distantPast
    metadata = transaction.metadata
    self.change = change
  }
}

/// Transactions of a journal, read one by one.
public struct StoredTransactions: Sendable {
  private let frozen: FrozenState
  private var sequence: UInt64
  private let path: String

  init(_ frozen: FrozenState, from first: UInt64, path: String) {
    self.frozen = frozen
    sequence = first
    self.path = path
  }

  /// The next transaction, or nil after the last.
  ///
  /// - Throws: ``StoreError`` with `payload`, if the transaction says what cannot be.
  public mutating func next() throws(StoreError) -> StoreTransaction? {
    let found: StoreTransaction?
    do throws(HistoryMisfit) { found = try frozen.transaction(sequence) } catch {
      try frozen.checkWhole(path)
      throw StoreError(error, path: path)
    }
    try frozen.checkWhole(path)
    guard let found else { return nil }
    sequence += 1
    return found
  }
}

extension StoreError {
  package init(_ misfit: HistoryMisfit, path: String) {
    self.init(
      .payload(sequence: SequenceNumber(misfit.sequence), offset: misfit.offset), path: path)
  }
}

extension StoredTransactions: AsyncSequence {
  /// Returns a loop that begins where the reader is, and does not advance it.
  public func makeAsyncIterator() -> Iterator { Iterator(base: self) }

  /// One loop over the transactions.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: StoredTransactions

    /// Returns the next transaction, or nil after the last. It does not suspend.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> StoreTransaction? { try base.next() }

    /// Returns the next transaction, or nil after the last. It does not suspend.
    public mutating func next() async throws(StoreError) -> StoreTransaction? {
      try base.next()
    }
  }
}
