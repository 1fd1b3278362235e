import DaybookJournal

/// Goes through the transactions of a journal from one on, and shows the state after each.
///
/// Where history begins with a base, the walk can begin with that: what it holds is then told as one
/// transaction, of the base's number.
//
// Not Sendable: whoever walks owns it. The states that it shows can be read by anybody.
package final class HistoryWalk {
  private let head: FrozenState
  private let base: SequenceNumber
  private let path: String
  private var space: PageSpace
  private var state: StoreState
  private var catalog: Catalog
  /// The state after the last transaction that was told; at first that before the first.
  package private(set) var frozen: FrozenState

  /// - Parameters:
  ///   - head: The state that the walk ends with.
  ///   - first: The transaction that is told first.
  ///   - base: The one that history begins with; 0 if it is whole.
  /// - Complexity: O(*k*) in the changes since the first transaction
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
    (frozen, space, state, catalog) = (start, start.space, start.state, start.catalog)
  }

  private static func state(
    of head: FrozenState, after sequence: SequenceNumber, base: SequenceNumber, path: String
  ) throws(StoreError) -> FrozenState {
    let state: FrozenState?
    do throws(HistoryMisfit) { state = try head.state(after: sequence.rawValue) } catch {
      try head.checkWhole(path)
      throw StoreError(error, path: path)
    }
    try head.checkWhole(path)
    guard let state else {
      throw StoreError(.noSuchMoment(sequence, first: base, last: head.sequence), path: path)
    }
    return state
  }

  /// The next transaction, behind which ``frozen`` is the state after it; nil after the last.
  ///
  /// - Throws: ``StoreError`` with `payload`, if the transaction says what cannot be.
  /// - Complexity: O(log *n*), and O(*k* log *n*) in its changes
  package func next() throws(StoreError) -> StoreTransaction? {
    guard frozen.sequence < head.sequence else { return nil }
    if frozen.sequence < base { return try beginWithBase() }
    let number = frozen.sequence.rawValue + 1
    let transaction: StoreTransaction
    do throws(HistoryMisfit) {
      guard let found = try head.transaction(number) else {
        throw HistoryMisfit(sequence: number, offset: 0)
      }
      try fold(number)
      transaction = found
    } catch {
      try head.checkWhole(path)
      throw StoreError(error, path: path)
    }
    try head.checkWhole(path)
    state.time = transaction.time ?? .distantPast
    frozen = FrozenState(state, catalog, head.memory, pin: space.pin())
    return transaction
  }

  /// Goes to the state after any transaction that the journal knows, forwards or backwards from where the
  /// walk is.
  ///
  /// Whoever looks at many states gets them so for less than by ``Store/snapshot(at:)``, if they are near
  /// each other: that begins at the last each time.
  ///
  /// - Returns: The state, which stays as it is when the walk goes on.
  /// - Throws: ``StoreError`` with `noSuchMoment`; with `payload`, if a transaction on the way says what
  ///   cannot be, and then the walk cannot go on.
  /// - Complexity: O(*k* log *n*) in the changes on the way
  package func go(to sequence: SequenceNumber) throws(StoreError) -> FrozenState {
    guard sequence >= base, sequence <= head.sequence else {
      throw StoreError(.noSuchMoment(sequence, first: base, last: head.sequence), path: path)
    }
    if frozen.sequence < base { _ = try beginWithBase() }
    if frozen.sequence == sequence { return frozen }
    do throws(HistoryMisfit) {
      while state.sequence < sequence { try fold(state.sequence.rawValue + 1) }
      while state.sequence > sequence { try takeBack(state.sequence.rawValue) }
    } catch {
      try head.checkWhole(path)
      throw StoreError(error, path: path)
    }
    try head.checkWhole(path)
    state.time = head.time(of: sequence.rawValue) ?? .distantPast
    frozen = FrozenState(state, catalog, head.memory, pin: space.pin())
    return frozen
  }

  private func takeBack(_ number: UInt64) throws(HistoryMisfit) {
    guard let transaction = try head.transaction(number) else {
      throw HistoryMisfit(sequence: number, offset: 0)
    }
    for change in transaction.rowChanges.reversed() {
      guard state.takeBack(change, head.memory, space, catalog) else {
        throw HistoryMisfit(sequence: number, offset: 0)
      }
    }
    state.sequence = SequenceNumber(number - 1)
  }

  private func fold(_ number: UInt64) throws(HistoryMisfit) {
    let memory = head.memory
    let location = memory.locator.location(of: number, in: memory)
    guard let payload = memory.payloadHead(at: location) else {
      throw HistoryMisfit(sequence: number, offset: 0)
    }
    // The pages are the walk's own: it has made the state that it began with.
    let misfit = memory.withBytes(at: location) { bytes in
      var changes: [RowChange]?
      return state.fold(
        bytes.extracting(0..<payload.byteCount), at: location, in: memory, space, &catalog,
        changes: &changes)
    }
    if let misfit { throw HistoryMisfit(sequence: number, offset: misfit.offset) }
    state.sequence = SequenceNumber(number)
  }

  /// Tells of everything that the base holds, in the order in which it was made.
  private func beginWithBase() throws(StoreError) -> StoreTransaction {
    let start = try HistoryWalk.state(of: head, after: base, base: base, path: path)
    (frozen, space, state, catalog) = (start, start.space, start.state, start.catalog)
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
    return StoreTransaction(
      .journal, rowChanges: changes, memory: start.memory, catalog: start.catalog, sequence: base,
      time: start.state.time)
  }
}

extension Store {
  /// A walk through the transactions from one on, to the last that there is now.
  ///
  /// - Parameter first: The transaction that is told first; nil for the first that the journal knows, and
  ///   its base before that.
  /// - Throws: ``StoreError`` with `noSuchMoment`
  package func walk(from first: SequenceNumber?) throws(StoreError) -> HistoryWalk {
    let (head, base) = (snapshot.frozen, base)
    let start = first ?? base
    guard start >= base, start <= head.sequence else {
      throw StoreError(.noSuchMoment(start, first: base, last: head.sequence), path: path)
    }
    return try HistoryWalk(head, from: start, base: base, path: path)
  }
}

extension FrozenState {
  /// A state of the same store without any record, before all others.
  fileprivate static func empty(before head: FrozenState) -> FrozenState {
    var state = StoreState()
    state.generation = head.state.generation
    for entity in head.catalog.names.indices {
      state.tables.append(EntityTable(head.catalog.newest(entity).entity.identifierKind))
    }
    return FrozenState(state, head.catalog, head.memory, pin: head.fork().pin())
  }

  /// When a transaction was made, and what was said about it; nil if the journal does not know it any
  /// more.
  ///
  /// - Complexity: O(log *n*), and O(*k*) in its changes
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
