import DaybookJournal

extension FrozenState {
  /// Returns a transaction of the journal; nil if the journal does not contain the transaction, or
  /// if the transaction is after this state.
  ///
  /// - Complexity: O(log *n*), a walk over at most 16 KiB of frames, and O(*k*) in the number of
  ///   the transaction's changes
  /// - Throws: ``HistoryDefect`` if a change names a previous change that did not write a row of
  ///   the same record before it
  package func transaction(_ sequence: UInt64) throws(HistoryDefect) -> StoreTransaction? {
    guard sequence > 0, sequence <= self.sequence.rawValue else { return nil }
    let location = memory.locator.location(of: sequence, in: memory)
    guard location != .none, let head = memory.payloadHead(at: location) else { return nil }
    var changes: [RowChange] = []
    let metadata = try read(head, at: location, as: sequence, into: &changes)
    return journalTransaction(sequence, at: head.time, changes: changes, metadata: metadata)
  }

  /// Returns the base of the journal as one transaction that inserts all its records; nil if the
  /// journal has no base.
  ///
  /// - Parameter sequence: The number of the last transaction that compaction dropped. The base is
  ///   the state after it.
  /// - Complexity: O(*n*) in the number of records of the base
  /// - Throws: ``HistoryDefect`` if a change names a previous change that did not write a row of
  ///   the same record before it
  func baseTransaction(_ sequence: UInt64) throws(HistoryDefect) -> StoreTransaction? {
    var changes: [RowChange] = []
    var time: JournalTime?
    for location in memory.locator.bases {
      guard let head = memory.payloadHead(at: location) else { return nil }
      _ = try read(head, at: location, as: sequence, into: &changes)
      time = head.time
    }
    guard let time else { return nil }
    return journalTransaction(sequence, at: time, changes: changes, metadata: baseMetadata)
  }

  /// The metadata of the journal's base: that of its last payload with metadata. Empty if the
  /// journal has no base.
  ///
  /// - Complexity: O(*n*) in the number of records of the base
  var baseMetadata: TransactionMetadata {
    for location in memory.locator.bases.reversed() {
      guard let head = memory.payloadHead(at: location) else { continue }
      let metadata = memory.withBytes(at: location) { bytes in
        PayloadReader.metadata(in: bytes.extracting(0..<head.byteCount), layouts: catalog.layouts)
      }
      if let metadata { return metadata }
    }
    return TransactionMetadata()
  }

  private func journalTransaction(
    _ sequence: UInt64, at time: JournalTime, changes: [RowChange], metadata: TransactionMetadata
  ) -> StoreTransaction {
    var transaction = StoreTransaction(
      .journal, rowChanges: changes, memory: memory, catalog: catalog)
    transaction.sequence = SequenceNumber(sequence)
    transaction.time = time
    transaction.metadata = metadata
    return transaction
  }

  /// Reads the changes and the metadata of a payload. Appends the changes to an array.
  private func read(
    _ head: RowMemory.PayloadHead, at location: RowLocation, as sequence: UInt64,
    into changes: inout [RowChange]
  ) throws(HistoryDefect) -> TransactionMetadata {
    try memory.withBytes(at: location) { (bytes) throws(HistoryDefect) in
      let payload = bytes.extracting(0..<head.byteCount)
      var reader = PayloadReader(payload, layouts: catalog.layouts)
      while let change = reader.next(in: payload) {
        guard let rowChange = rowChange(change, of: sequence, in: payload, at: location) else {
          throw HistoryDefect(sequence: sequence, offset: change.row.lowerBound)
        }
        changes.append(rowChange)
      }
      let metadata = reader.metadata(in: payload)
      precondition(
        reader.defect == nil,
        "transaction \(sequence) was applied but is invalid: \(reader.defect as Any)")
      return metadata
    }
  }

  /// Returns the effect of a change in a payload: the locations of the record's rows before and
  /// after the change.
  ///
  /// The change names the change that wrote the old row. Replay does not use this part of a
  /// payload, and therefore has not checked it. So this function checks that the named change wrote
  /// a row of the same record.
  ///
  /// - Returns: nil if the change names a change that did not write a row of the record before it
  private func rowChange(
    _ change: PayloadChange, of sequence: UInt64, in payload: RawSpan, at location: RowLocation
  ) -> RowChange? {
    let new = change.kind == .delete ? .none : location + change.row.lowerBound
    var old = RowLocation.none
    if change.kind != .insert {
      guard change.previous.sequence < sequence || PayloadLocator.isBase(change.previous.sequence)
      else { return nil }
      old = memory.location(of: change.previous)
      guard old != .none, isRow(old, ofSameRecordAs: change, in: payload) else { return nil }
    }
    let creation = memory.withBytes(at: new == .none ? old : new) { Layout.creation(of: $0) }
    return RowChange(
      kind: change.kind, entity: catalog.entity(of: change.layout.number), slot: .max, old: old,
      new: new, creation: creation)
  }

  private func isRow(
    _ location: RowLocation, ofSameRecordAs change: PayloadChange, in payload: RawSpan
  ) -> Bool {
    let bytes = payload.extracting(change.row)
    guard let range = change.identifierRange(in: bytes) else { return false }
    return memory.withBytes(at: location) { row in
      guard let number = Layout.number(of: row), let layout = catalog.layouts[number],
        catalog.entity(of: number) == catalog.entity(of: change.layout.number),
        layout.rowByteCount(row) != nil, let known = layout.identifierRange(in: row)
      else { return false }
      return bytesAreEqual(row.extracting(known), and: bytes.extracting(range))
    }
  }

  /// Returns the state after an earlier transaction; nil if the journal does not contain the
  /// transactions between that state and this one.
  ///
  /// The function undoes all later transactions, the last one first, in a fork of this state. The
  /// fork shares all pages with this state that the undo does not change.
  ///
  /// - Complexity: O(*k*) in the number of later changes
  package func state(after sequence: UInt64) throws(HistoryDefect) -> FrozenState? {
    guard sequence <= self.sequence.rawValue else { return nil }
    if sequence == self.sequence.rawValue { return self }
    var editor = StateEditor(self, in: fork())
    for number in stride(from: self.sequence.rawValue, to: sequence, by: -1) {
      guard let transaction = try transaction(number) else { return nil }
      for change in transaction.rowChanges.reversed() {
        guard editor.undo(change) else {
          throw HistoryDefect(sequence: number, offset: 0)
        }
      }
    }
    editor.state.sequence = SequenceNumber(sequence)
    editor.state.time = time(of: sequence) ?? .distantPast
    return editor.frozen()
  }

  /// Returns the size of a transaction's payload in bytes; nil if the journal does not contain the
  /// transaction.
  ///
  /// - Complexity: O(log *n*), and a walk over at most 16 KiB of frames
  package func payloadByteCount(of sequence: UInt64) -> Int? {
    guard sequence > 0, sequence <= self.sequence.rawValue else { return nil }
    let location = memory.locator.location(of: sequence, in: memory)
    return location == .none ? nil : memory.payloadHead(at: location)?.byteCount
  }

  /// The total size of the base's payloads in bytes.
  package var basePayloadByteCount: Int {
    memory.locator.bases.reduce(0) { $0 + (memory.payloadHead(at: $1)?.byteCount ?? 0) }
  }

  /// Returns the time of a transaction; nil if the journal does not contain the transaction.
  func time(of sequence: UInt64) -> JournalTime? {
    let location = memory.locator.location(of: sequence, in: memory)
    return location == .none ? nil : memory.payloadHead(at: location)?.time
  }

  /// Returns the number of the last transaction at or before a time. If all transactions after
  /// `base` are later, the result is `base`.
  ///
  /// - Complexity: O(log *n*) walks over at most 16 KiB of frames each
  func sequence(at time: JournalTime, after base: UInt64) -> UInt64 {
    var low = base
    var high = sequence.rawValue
    while low < high {
      let middle = (low + high + 1) / 2
      if let then = self.time(of: middle), then <= time { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Returns the change at a position in the journal, which wrote a row, and its transaction.
  /// Returns nil if the journal does not contain the transaction.
  func change(
    at position: ChangePosition
  ) throws(HistoryDefect) -> (transaction: StoreTransaction, change: RecordChange)? {
    let location = memory.location(of: position)
    guard location != .none, let transaction = try transaction(position.sequence),
      let change = transaction.rowChanges.first(where: { $0.new == location })
    else { return nil }
    return (transaction, RecordChange(change, memory: memory, catalog: catalog))
  }
}

extension StateEditor {
  /// Undoes a change whose slot is not known. The method finds the slot by the record's identifier.
  ///
  /// - Returns: False if the state cannot be the result of the change, for example if a deleted
  ///   record exists. The state is unchanged then.
  mutating func undo(_ change: RowChange) -> Bool {
    var change = change
    let known = change.kind == .delete ? change.old : change.new
    guard known != .none, change.kind == .insert || change.old != .none else { return false }
    let slot = reader.slot(of: reader.key(at: known), in: change.entity)
    guard (slot == nil) == (change.kind == .delete) else { return false }
    if let slot { change.slot = slot }
    revert(change)
    return true
  }
}
