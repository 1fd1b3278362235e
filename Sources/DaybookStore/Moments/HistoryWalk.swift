import DaybookJournal

/// An iterator over the transactions of a journal that also provides the state after each
/// transaction.
///
/// ```swift
/// let walk = try store.walk()
/// while let transaction = try walk.next() {
///   print(try transaction.changes.count, walk.snapshot.count(of: Bank.self))
/// }
/// ```
///
/// If the journal starts with a base, the walk can start with it. The first call of ``next()`` then
/// returns the records of the base as one transaction of inserts, with the number of the base.
public final class HistoryWalk {
  // The class is not Sendable, because its state is not protected: only one caller may use a walk.
  // The snapshots that it returns can be read on any thread.

  /// The last state that the walk can reach. The walk reads the transactions from its memory.
  private let head: FrozenState
  private let base: SequenceNumber
  private let path: String
  /// The editor of the walk's state. It may edit the pages in place, because the first state is a
  /// fork that belongs to the walk alone. If the walk contains no transaction, its only state can
  /// be `head` itself, and the editor changes nothing.
  private var editor: StateEditor
  /// The state at the position of the walk, as a frozen state.
  package private(set) var frozen: FrozenState
  /// The error that ended the walk. The editor's state may then contain only a part of a
  /// transaction, so the walk cannot continue.
  private var error: StoreError?

  /// The state at the position of the walk: after the transaction that ``next()`` returned or that
  /// ``move(to:)`` moved to. Before the first call, it is the state before the first transaction of
  /// the walk.
  public var snapshot: StoreSnapshot { StoreSnapshot(frozen, path: path) }

  /// Creates a walk.
  ///
  /// - Parameters:
  ///   - head: The last state that the walk can reach.
  ///   - first: The first transaction that ``next()`` returns.
  ///   - base: The number of the last transaction that compaction dropped; 0 if the journal
  ///     contains the complete history.
  ///   - path: The path of the journal, for errors.
  /// - Complexity: O(*k*) in the number of changes between the first transaction and `head`
  fileprivate init(
    _ head: FrozenState, from first: SequenceNumber, base: SequenceNumber, path: String
  ) throws(StoreError) {
    self.head = head
    self.base = base
    self.path = path
    let start: FrozenState
    if base > .zero, first <= base {
      start = FrozenState.empty(before: head)
    } else {
      let before = SequenceNumber(max(first.rawValue, 1) - 1)
      start = try HistoryWalk.state(of: head, after: before, base: base, path: path)
    }
    frozen = start
    editor = StateEditor(start, in: start.space)
  }

  private static func state(
    of head: FrozenState, after sequence: SequenceNumber, base: SequenceNumber, path: String
  ) throws(StoreError) -> FrozenState {
    let found: FrozenState?
    do throws(HistoryDefect) { found = try head.state(after: sequence.rawValue) } catch {
      try head.checkWhole(path)
      throw StoreError(error, path: path)
    }
    try head.checkWhole(path)
    guard let found else {
      throw StoreError(.noSuchMoment(sequence, first: base, last: head.sequence), path: path)
    }
    return found
  }

  /// Advances to the next transaction and returns the transaction; nil after the last one. After
  /// the call, ``snapshot`` is the state after the returned transaction.
  ///
  /// - Throws: ``StoreError`` with `payload` if the transaction cannot be read
  /// - Complexity: O(log *n*), and O(*k* log *n*) in the number of its changes
  public func next() throws(StoreError) -> StoreTransaction? {
    guard frozen.sequence < head.sequence else { return nil }
    if frozen.sequence < base { return try startWithBase() }
    let number = frozen.sequence.rawValue + 1
    let transaction = try reading { () throws(HistoryDefect) in
      guard let found = try head.transaction(number) else {
        throw HistoryDefect(sequence: number, offset: 0)
      }
      try fold(number)
      return found
    }
    editor.state.time = transaction.time ?? .distantPast
    frozen = editor.frozen()
    return transaction
  }

  /// Moves to the state after a transaction of the journal. The transaction may be before or after
  /// the position of the walk.
  ///
  /// To read many states that are close to each other, use this method. The method reads only the
  /// transactions between two positions, whereas each call of `Store.snapshot(at:)` starts at the
  /// last state.
  ///
  /// - Returns: The state, which does not change when the walk moves again
  /// - Throws: ``StoreError`` with `noSuchMoment` if the journal does not contain the transaction,
  ///   or with `payload` if a transaction between the states cannot be read. After the error
  ///   `payload`, all later calls throw this error again.
  /// - Complexity: O(*k* log *n*) in the number of changes between the states
  @discardableResult
  public func move(to sequence: SequenceNumber) throws(StoreError) -> StoreSnapshot {
    guard sequence >= base, sequence <= head.sequence else {
      throw StoreError(.noSuchMoment(sequence, first: base, last: head.sequence), path: path)
    }
    if frozen.sequence < base { _ = try startWithBase() }
    if frozen.sequence == sequence { return snapshot }
    try reading { () throws(HistoryDefect) in
      while editor.state.sequence < sequence { try fold(editor.state.sequence.rawValue + 1) }
      while editor.state.sequence > sequence { try undo(editor.state.sequence.rawValue) }
    }
    editor.state.time = head.time(of: sequence.rawValue) ?? .distantPast
    frozen = editor.frozen()
    return snapshot
  }

  /// Returns the result of a closure that reads the history. An error ends the walk: all later
  /// calls throw the same error.
  private func reading<Value>(
    _ body: () throws(HistoryDefect) -> Value
  ) throws(StoreError) -> Value {
    if let error { throw error }
    do throws(StoreError) {
      let read: Result<Value, HistoryDefect>
      do throws(HistoryDefect) { read = .success(try body()) } catch { read = .failure(error) }
      try head.checkWhole(path)
      switch read {
      case .success(let value): return value
      case .failure(let defect): throw StoreError(defect, path: path)
      }
    } catch {
      self.error = error
      throw error
    }
  }

  /// Undoes a transaction in the editor's state.
  private func undo(_ number: UInt64) throws(HistoryDefect) {
    guard let transaction = try head.transaction(number) else {
      throw HistoryDefect(sequence: number, offset: 0)
    }
    for change in transaction.rowChanges.reversed() {
      guard editor.undo(change) else {
        throw HistoryDefect(sequence: number, offset: 0)
      }
    }
    editor.state.sequence = SequenceNumber(number - 1)
  }

  /// Applies a transaction to the editor's state.
  private func fold(_ number: UInt64) throws(HistoryDefect) {
    let memory = head.memory
    let location = memory.locator.location(of: number, in: memory)
    guard let payload = memory.payloadHead(at: location) else {
      throw HistoryDefect(sequence: number, offset: 0)
    }
    let defect = memory.withBytes(at: location) { bytes in
      var changes: [RowChange]?
      return editor.fold(
        bytes.extracting(0..<payload.byteCount), at: location, changes: &changes)
    }
    if let defect { throw HistoryDefect(sequence: number, offset: defect.offset) }
    editor.state.sequence = SequenceNumber(number)
  }

  /// Moves to the state of the base, and returns one transaction that inserts the base's records,
  /// ordered by entity and creation number.
  private func startWithBase() throws(StoreError) -> StoreTransaction {
    let start = try HistoryWalk.state(of: head, after: base, base: base, path: path)
    frozen = start
    editor = StateEditor(start, in: start.space)
    var changes: [RowChange] = []
    for (entity, table) in start.state.tables.enumerated() {
      table.forEach(in: start.space) { slot, location, creation in
        changes.append(
          RowChange(
            kind: .insert, entity: entity, slot: slot, old: .none, new: location,
            creation: creation))
      }
    }
    changes.sort { ($0.entity, $0.creation) < ($1.entity, $1.creation) }
    var transaction = StoreTransaction(
      .journal, rowChanges: changes, memory: start.memory, catalog: start.catalog)
    (transaction.sequence, transaction.time) = (base, start.state.time)
    return transaction
  }
}

extension Store {
  /// Creates a walk from a transaction to the last transaction that is visible to readers at the
  /// time of the call.
  ///
  /// - Parameter first: The first transaction that ``HistoryWalk/next()`` returns. If it is nil,
  ///   the walk starts with the base of the journal, or with the first transaction if the journal
  ///   has no base.
  /// - Throws: ``StoreError`` with `noSuchMoment` if the journal does not contain the transaction
  public func walk(from first: SequenceNumber? = nil) throws(StoreError) -> HistoryWalk {
    let head = snapshot.frozen
    let base = head.state.base
    let start = first ?? base
    guard start >= base, start <= head.sequence else {
      throw StoreError(.noSuchMoment(start, first: base, last: head.sequence), path: path)
    }
    return try HistoryWalk(head, from: start, base: base, path: path)
  }
}

extension FrozenState {
  /// Returns a state without records, which is the state before the first transaction.
  fileprivate static func empty(before head: FrozenState) -> FrozenState {
    var state = StoreState()
    state.generation = head.state.generation
    state.base = head.state.base
    state.addTables(of: head.catalog)
    return FrozenState(
      StateReader(state, catalog: head.catalog, memory: head.memory, space: head.fork()))
  }

  /// Returns the time and the metadata of a transaction; nil if the journal does not contain the
  /// transaction.
  ///
  /// - Complexity: O(log *n*), and O(*k*) in the number of its changes
  package func heading(
    of sequence: UInt64
  ) -> (time: JournalTime, metadata: TransactionMetadata)? {
    guard sequence > 0, sequence <= self.sequence.rawValue else { return nil }
    let location = memory.locator.location(of: sequence, in: memory)
    guard location != .none, let head = memory.payloadHead(at: location) else { return nil }
    return memory.withBytes(at: location) { bytes in
      let payload = bytes.extracting(0..<head.byteCount)
      var reader = PayloadReader(payload, layouts: catalog.layouts)
      while reader.next(in: payload) != nil {}
      return (head.time, reader.metadata(in: payload))
    }
  }
}
