import DaybookEssentials
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

extension Store {
  /// Which moment the state after a transaction was, of those that lead to another state; and where its
  /// last frame ends.
  ///
  /// - Returns: nil if the journal does not know it any more, has no file, or is followed and read by
  ///   copying.
  /// - Complexity: O(log *n*), and a walk over at most 64 KiB of transactions
  package func moment(
    after sequence: SequenceNumber, before state: FrozenState
  ) -> (moment: JournalMoment, endOffset: UInt64)? {
    guard sequence <= state.sequence else { return nil }
    if let moment = state.mappedMoment(after: sequence) { return moment }
    // A journal that was replayed knows where its frames are; one that has become unreadable since has
    // no moments to be told apart.
    let found: (header: JournalHeader, position: FramePosition?)
    switch log {
    case .file(let journal): found = (journal.header, try? journal.position(after: sequence))
    case .reading(let journal): found = (journal.header, try? journal.position(after: sequence))
    case .memory, .following: return nil
    }
    guard let position = found.position else { return nil }
    let moment = JournalMoment(
      identity: found.header.identity, salt: found.header.salt, sequence: sequence,
      check: position.chain.point.check)
    return (moment, position.endOffset)
  }
}

extension FrozenState {
  /// The same by the mapping that rows are read from; nil if there is none.
  fileprivate func mappedMoment(
    after sequence: SequenceNumber
  ) -> (moment: JournalMoment, endOffset: UInt64)? {
    let location = memory.locator.location(of: sequence.rawValue, in: memory)
    guard let header, location != .none, location.region == .file,
      let head = memory.payloadHead(at: location)
    else { return nil }
    let end = Int(location.rawValue) - Frame.headerByteCount + head.byteCountToNext
    // What is on its way has no bytes in the file yet.
    guard end <= memory.file.count else { return nil }
    let moment = JournalMoment(
      identity: header.identity, salt: header.salt, sequence: sequence,
      check: memory.file.load(end - Frame.checkByteCount, as: UInt64.self))
    return (moment, UInt64(end))
  }

  /// The header of the file that rows are read from.
  private var header: JournalHeader? {
    for offset in JournalLayout.headerOffsets {
      let end = Int(offset) + JournalLayout.pageByteCount
      guard memory.file.count >= end else { return nil }
      if case .good(let header) = JournalHeader.read(memory.file[Int(offset)..<end]) {
        return header
      }
    }
    return nil
  }
}

extension JournalTime {
  /// The time of a date, to the nanosecond as far as a date knows it; nil for a date before 1677 or after
  /// 2262, or one that is no number.
  ///
  /// ```swift
  /// if let lastNight = JournalTime(date) { try context.travel(to: lastNight) }
  /// ```
  public init?(_ date: Date) {
    // From 2001 on, as that is what a date counts from: from 1970 on it would be rounded twice.
    let nanoseconds = (date.timeIntervalSinceReferenceDate * 1e9).rounded()
    guard let since2001 = Int128(exactly: nanoseconds),
      let since1970 = Int64(
        exactly: since2001 + Int128(DateText.secondsFrom1970To2001) * 1_000_000_000)
    else { return nil }
    self.init(nanoseconds: since1970)
  }

  /// The date, as near as a date comes to it.
  public var date: Date {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let since2001 = Double(seconds - DateText.secondsFrom1970To2001) + Double(rest) / 1e9
    return Date(timeIntervalSinceReferenceDate: since2001)
  }
}
