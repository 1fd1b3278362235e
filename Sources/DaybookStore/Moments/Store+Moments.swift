import DaybookEssentials
import DaybookJournal

extension Store {
  /// Returns the state after an earlier transaction. The state after transaction 0 is empty.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the transaction is before the base of the
  ///   journal or after the last transaction
  /// - Complexity: O(*k*) in the number of later changes
  public func snapshot(at sequence: SequenceNumber) throws(StoreError) -> StoreSnapshot {
    let now = snapshot
    let base = now.frozen.state.base
    var then: FrozenState?
    if sequence >= base, sequence <= now.sequence {
      do throws(HistoryDefect) { then = try now.frozen.state(after: sequence.rawValue) } catch {
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

  /// Returns the state at a time: the state after the last transaction at or before that time.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the time is before the base of the journal.
  public func snapshot(at time: JournalTime) throws(StoreError) -> StoreSnapshot {
    try snapshot(at: sequence(at: time))
  }

  /// Returns the number of the last transaction at or before a time; 0 if all transactions are
  /// later.
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the time is before the base of the journal.
  /// - Complexity: O(log *n*) walks over at most 16 KiB of frames each
  public func sequence(at time: JournalTime) throws(StoreError) -> SequenceNumber {
    let now = snapshot
    let base = now.frozen.state.base
    let sequence = now.frozen.sequence(at: time, after: base.rawValue)
    if base > .zero, sequence == base.rawValue,
      now.frozen.time(of: base.rawValue).map({ time < $0 }) ?? true
    {
      throw StoreError(.noSuchMoment(.zero, first: base, last: now.sequence), path: path)
    }
    return SequenceNumber(sequence)
  }

  /// The number of the last transaction that compaction dropped; 0 if the journal contains the
  /// complete history. A compacted journal starts with the state after this transaction.
  public var base: SequenceNumber {
    core.published().state.base
  }

  /// Returns a sequence of the transactions from a number on. The sequence ends with the
  /// transaction that is the last one at the time of the call.
  ///
  /// ```swift
  /// for try await transaction in try store.transactions(from: 41) {
  ///   print(transaction.changes.count)
  /// }
  /// ```
  ///
  /// - Throws: ``StoreError`` with `noSuchMoment` if the journal has a base and `first` is not
  ///   after it.
  public func transactions(
    from first: SequenceNumber
  ) throws(StoreError) -> StoredTransactions {
    let now = snapshot
    let base = now.frozen.state.base
    guard first > base || base == .zero else {
      throw StoreError(.noSuchMoment(first, first: base, last: now.sequence), path: path)
    }
    return StoredTransactions(now.frozen, from: max(first.rawValue, 1), path: path)
  }

  /// Returns the transaction with a number; nil if the journal does not contain it.
  ///
  /// ```swift
  /// if let receipt = try store.receipt(forIdempotencyKey: "order 7") {
  ///   let transaction = try store.transaction(receipt.sequence)
  /// }
  /// ```
  ///
  /// - Throws: ``StoreError`` with `payload` if the transaction is invalid.
  public func transaction(
    _ sequence: SequenceNumber
  ) throws(StoreError) -> StoreTransaction? {
    let frozen = snapshot.frozen
    guard sequence > frozen.state.base else { return nil }
    var transactions = StoredTransactions(frozen, from: sequence.rawValue, path: path)
    return try transactions.next()
  }

  /// Returns the base of the journal as one transaction that inserts all its records; nil if the
  /// journal contains the complete history.
  ///
  /// - Throws: ``StoreError`` with `payload` if the base cannot be read
  /// - Complexity: O(*n*) in the number of records of the base
  public func baseTransaction() throws(StoreError) -> StoreTransaction? {
    let frozen = snapshot.frozen
    let base = frozen.state.base
    guard base > .zero else { return nil }
    let found: StoreTransaction?
    do throws(HistoryDefect) { found = try frozen.baseTransaction(base.rawValue) } catch {
      try frozen.checkWhole(path)
      throw StoreError(error, path: path)
    }
    try frozen.checkWhole(path)
    return found
  }

  /// Returns all changes of one record with their transactions, the oldest first.
  ///
  /// If the journal was compacted, its base contains the record's state at that time. This state is
  /// not a change, so the result does not include it.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity` if the store has no entity with the name
  /// - Complexity: O(*k*) in the number of transactions that changed the record, and O(*n*) in the
  ///   number of transactions during which the record did not exist: before its insertion, and
  ///   after its deletion. Each change of an existing record names the change before it, but a
  ///   deletion is found only by searching.
  public func history(
    of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> [RecordVersion] {
    try fullHistory(of: entity, id: id).versions
  }

  /// Returns all changes of one record, and its insertion by the base, if the base contains the
  /// record.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity` if the store has no entity with the name
  /// - Complexity: As for ``history(of:id:)``. A store that was opened from a checkpoint does not
  ///   search the parts of the journal without deletions.
  @_spi(Tools) public func fullHistory(
    of entity: String, id: RecordIdentifier
  ) throws(StoreError) -> (base: RecordVersion?, versions: [RecordVersion]) {
    let now = snapshot.frozen
    let base = now.state.base
    guard let index = now.catalog.index(of: entity) else {
      throw StoreError(.unknownEntity(entity), path: path)
    }
    var versions: [RecordVersion] = []
    var location = now.reader.location(of: IdentifierBytes(id), in: index)
    var before = now.sequence.rawValue
    while true {
      let found: (transaction: StoreTransaction, change: RecordChange)?
      do throws(HistoryDefect) {
        // While the record does not exist, no row leads to an earlier change. Therefore the method
        // searches the earlier transactions for a deletion of the record.
        found =
          location == .none
          ? try now.deletion(
            of: EntityKey(index, id: id), before: before, totals: checkpointTotals)
          : now.memory.position(of: location).isInBase(base)
            ? nil : try now.change(at: now.memory.position(of: location))
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
    return (now.baseVersion(at: location, of: index, base: base), versions.reversed())
  }
}

extension FrozenState {
  /// Returns the insertion of a record by the base of the journal; nil if the base does not contain
  /// the row.
  fileprivate func baseVersion(
    at location: RowLocation, of entity: Int, base: SequenceNumber
  ) -> RecordVersion? {
    guard location != .none, memory.position(of: location).isInBase(base),
      let start = memory.locator.bases.first, let head = memory.payloadHead(at: start)
    else { return nil }
    var transaction = StoreTransaction(.journal, rowChanges: [], memory: memory, catalog: catalog)
    (transaction.sequence, transaction.time) = (base, head.time)
    transaction.metadata = baseMetadata
    let change = RowChange(
      kind: .insert, entity: entity, slot: .max, old: .none, new: location,
      creation: memory.withBytes(at: location) { Layout.creation(of: $0) })
    return RecordVersion(
      RecordChange(change, memory: memory, catalog: catalog), of: transaction)
  }

  /// Returns the last deletion of a record at or before a transaction; nil if the journal contains
  /// none.
  ///
  /// - Parameter totals: The totals of the history up to a transaction, which indicate the parts of
  ///   the journal without deletions; nil if the store has none.
  fileprivate func deletion(
    of key: EntityKey, before last: UInt64, totals: HistoryTotals?
  ) throws(HistoryDefect) -> (transaction: StoreTransaction, change: RecordChange)? {
    let walk = PayloadWalk(self)
    var number = last
    while number > 0 {
      if let totals {
        number = totals.lastPossibleDeletion(through: number)
        if number == 0 { return nil }
      }
      let location = memory.locator.location(of: number, in: memory)
      guard location != .none else { return nil }
      if try walk.counted(at: location, as: number).deletes(fromEntity: key.entity) {
        guard let transaction = try transaction(number) else { return nil }
        for change in transaction.rowChanges
        where change.kind == .delete && change.entity == key.entity {
          let record = RecordChange(change, memory: memory, catalog: catalog)
          if record.id == key.id { return (transaction, record) }
        }
      }
      number -= 1
    }
    return nil
  }
}

/// One change of a record, with the transaction that contains it.
public struct RecordVersion: Sendable {
  /// The number of the transaction.
  public let sequence: SequenceNumber
  /// The time of the transaction.
  public let time: JournalTime
  /// The metadata of the transaction.
  public let metadata: TransactionMetadata
  /// The change of the record.
  public let change: RecordChange

  init(_ change: RecordChange, of transaction: StoreTransaction) {
    sequence = transaction.sequence ?? .zero
    time = transaction.time ?? .distantPast
    metadata = transaction.metadata
    self.change = change
  }
}

/// A sequence of the transactions of a journal, which reads one transaction at a time.
public struct StoredTransactions: Sendable {
  private let frozen: FrozenState
  /// The number of the next transaction.
  private var sequence: UInt64
  private let path: String

  init(_ frozen: FrozenState, from first: UInt64, path: String) {
    self.frozen = frozen
    sequence = first
    self.path = path
  }

  /// Returns the next transaction; nil after the last one.
  ///
  /// - Throws: ``StoreError`` with `payload` if the transaction is invalid.
  public mutating func next() throws(StoreError) -> StoreTransaction? {
    let found: StoreTransaction?
    do throws(HistoryDefect) { found = try frozen.transaction(sequence) } catch {
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
  package init(_ defect: HistoryDefect, path: String) {
    self.init(
      .payload(sequence: SequenceNumber(defect.sequence), offset: defect.offset), path: path)
  }
}

extension StoredTransactions: AsyncSequence {
  /// Returns an iterator that starts at the position of this value. The iterator has its own
  /// position and does not advance this value.
  public func makeAsyncIterator() -> Iterator { Iterator(base: self) }

  /// An iterator over the transactions.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var base: StoredTransactions

    /// Returns the next transaction; nil after the last one. The method never suspends its task.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(StoreError) -> StoreTransaction? { try base.next() }

    /// Returns the next transaction; nil after the last one. The method never suspends its task.
    public mutating func next() async throws(StoreError) -> StoreTransaction? {
      try base.next()
    }
  }
}

extension Store {
  /// Returns the moment after a transaction, and the offset of the end of its frame. A
  /// `JournalMoment` contains the transaction's number and checksum. Therefore it differs if a
  /// transaction with the same number, but other bytes, was written in a copy of the journal.
  ///
  /// - Returns: nil if the journal does not contain the transaction, has no file, or is followed
  ///   and read by copying.
  /// - Complexity: O(log *n*), and a walk over at most 16 KiB of frames
  package func moment(
    after sequence: SequenceNumber, before state: FrozenState
  ) -> (moment: JournalMoment, endOffset: UInt64)? {
    guard sequence <= state.sequence else { return nil }
    if let moment = state.mappedMoment(after: sequence) { return moment }
    // The journal knows the position of each frame, because the store has replayed it. Without the
    // frame's checksum the moment is not unique, so the result is nil if the frame cannot be read.
    let found: (header: JournalHeader, position: FramePosition?)
    switch log {
    case .file(let journal):
      found = (journal.header, try? journal.position(after: sequence))
      // After a restart of a replica, the transaction with this number can be a different one.
      guard journal.restartCount == state.state.generation else { return nil }
    case .reading(let journal): found = (journal.header, try? journal.position(after: sequence))
    case .memory, .following: return nil
    }
    guard let position = found.position else { return nil }
    let moment = JournalMoment(
      identity: found.header.identity, salt: found.header.salt, sequence: sequence,
      checksum: position.chain.point.checksum)
    return (moment, position.endOffset)
  }
}

extension FrozenState {
  /// Returns the moment with the checksum from the mapped journal file; nil if no file is mapped,
  /// or if the frame is not in the mapping.
  fileprivate func mappedMoment(
    after sequence: SequenceNumber
  ) -> (moment: JournalMoment, endOffset: UInt64)? {
    let location = memory.locator.location(of: sequence.rawValue, in: memory)
    guard let header, location != .none, location.region == .file,
      memory.locator.base(at: location) == 0, let head = memory.payloadHead(at: location)
    else { return nil }
    let end = Int(location.rawValue) - Frame.headerByteCount + head.byteCountToNext
    // A transaction that is accepted, but not written, has no bytes in the file.
    guard end <= memory.file.count else { return nil }
    let moment = JournalMoment(
      identity: header.identity, salt: header.salt, sequence: sequence,
      checksum: memory.file.load(end - Frame.checksumByteCount, as: UInt64.self))
    return (moment, UInt64(end))
  }

  /// The file header of the mapped journal; nil if neither of its two copies is valid.
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
  /// Creates the time of a date, rounded to whole nanoseconds.
  ///
  /// The result is nil for a date before 1677 or after 2262, and for a date that is not a number.
  ///
  /// ```swift
  /// if let lastNight = JournalTime(date) { try context.travel(to: lastNight) }
  /// ```
  public init?(_ date: Date) {
    // A date counts its seconds from 2001. A conversion of these seconds to seconds from 1970 would
    // round the value a second time, so the offset is added to the integer.
    let nanoseconds = (date.timeIntervalSinceReferenceDate * 1e9).rounded()
    guard let since2001 = Int128(exactly: nanoseconds),
      let since1970 = Int64(
        exactly: since2001 + Int128(DateText.secondsFrom1970To2001) * 1_000_000_000)
    else { return nil }
    self.init(nanoseconds: since1970)
  }

  /// The date that is nearest to the time. A `Date` is less precise than a nanosecond.
  public var date: Date {
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let since2001 = Double(seconds - DateText.secondsFrom1970To2001) + Double(rest) / 1e9
    return Date(timeIntervalSinceReferenceDate: since2001)
  }
}
