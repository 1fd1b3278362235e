import DaybookJournal

/// One salvage: reads the old journal piece by piece, and saves its transactions in a store that
/// writes the new journal. A piece is a transaction, a part of the base, or a gap between readable
/// frames.
struct SalvageRun {
  /// The store that writes the new journal.
  private let store: Store
  private(set) var report = SalvageReport()
  /// All layouts of the old journal. A first pass has collected them, because a later payload can
  /// repeat a layout whose first payload is lost.
  private let catalog: Catalog
  /// All payloads of the old journal that were read so far, because rows may refer to values in
  /// earlier payloads.
  private var memory = RowMemory()
  /// The idempotency keys of all transactions that were saved.
  private var keys: Set<String> = []
  /// The creation numbers of the records in the new journal.
  private var creations: Set<UInt64> = []
  /// A lower bound for the search for a free creation number: all smaller numbers are or were in
  /// use.
  private var lowestCreation: UInt64 = 1
  /// The large values that were copied, so that each is copied once, even if many rows refer to it.
  private var values = SalvagedValues()
  /// A note about lost transactions. The next transaction that is saved gets it as the metadata
  /// member `salvage`.
  private var note: String?

  init(into store: Store, catalog: Catalog) throws(StoreError) {
    self.store = store
    self.catalog = catalog
    try store.define(catalog.names.indices.map { catalog.newest($0).entity })
  }

  /// Saves a piece of the old journal in the new one. For a gap, only records the gap.
  mutating func add(_ piece: JournalPieces.Piece) throws(StoreError) {
    switch piece {
    case .gap(let last, let next):
      report.gaps.append(SalvageReport.Gap(after: last, before: next))
      note =
        next.map { "transactions \(last.next) to \($0.rawValue - 1) could not be read" }
        ?? "transactions after \(last) could not be read"
    case .base(let payload, let head, let dropped):
      try add(payload, of: head.sequence, at: head.time, base: dropped)
    case .transaction(let transaction):
      try add(transaction.payload, of: transaction.sequence, at: transaction.time)
    }
  }

  /// Closes the new journal. If the old journal ends with lost transactions, first saves a
  /// transaction without changes that contains the note about them.
  mutating func finish() throws(StoreError) {
    if let note {
      var metadata = TransactionMetadata()
      metadata["salvage"] = note
      try save(Proposal(metadata))
    }
    try store.closeAndWait()
  }

  private mutating func add(
    _ payload: ByteView, of sequence: SequenceNumber, at time: JournalTime,
    base dropped: SequenceNumber? = nil
  ) throws(StoreError) {
    let location = payload.withSpan { bytes -> RowLocation in
      let location = memory.memory.add(bytes, sequence: (dropped ?? sequence).rawValue, time: time)
      if let dropped {
        memory.recordBase(at: location, of: dropped.rawValue)
      } else {
        memory.record(sequence.rawValue, at: location)
      }
      return location
    }
    guard var proposal = try proposal(payload, at: location) else {
      values.abandon()
      report.notUnderstood.append(sequence)
      note = "transaction \(sequence) could not be understood"
      return
    }
    proposal.time = time
    if let note { proposal.metadata["salvage"] = note }
    note = nil
    // The store would treat a second save with the same key as a repetition, and would not save it.
    // So the key is removed.
    if let key = proposal.metadata.idempotencyKey, !keys.insert(key).inserted {
      proposal.metadata.idempotencyKey = nil
    }
    try save(proposal)
    values.relocate(in: store.snapshot.frozen)
    report.transactionCount += 1
  }

  private func save(_ proposal: borrowing Proposal) throws(StoreError) {
    _ = try store.saveAndWait(proposal)
  }

  /// Returns the proposal that makes the changes of a payload in the new journal; nil if the
  /// payload cannot be understood.
  private mutating func proposal(
    _ payload: ByteView, at location: RowLocation
  ) throws(StoreError) -> Proposal? {
    guard let read = payload.withSpan({ bytes in changes(bytes, at: location) }) else {
      return nil
    }
    var proposal = Proposal(read.metadata)
    let frozen = store.snapshot.frozen
    // Earlier transactions may be lost, so each change is adapted to the records of the new
    // journal. If the deletion of a record was lost, a later insert of the same record becomes an
    // update. An update of a record that does not exist becomes an insert.
    for change in read.changes {
      guard let entity = frozen.catalog.index(of: catalog.names[change.entity]) else { return nil }
      let layout = frozen.catalog.newest(entity)
      let base = frozen.reader.location(of: IdentifierBytes(change.id), in: entity)
      switch (change.kind, base == .none) {
      case (.delete, true):
        report.droppedDeleteCount += 1
        continue
      case (.delete, false):
        creations.remove(frozen.memory.withBytes(at: base) { Layout.creation(of: $0) })
        proposal.changes.append(
          Proposal.Change(.delete, entity: entity, id: change.id, base: base))
        continue
      case (.update, true): report.insertedCount += 1
      case (.insert, _), (.update, false): break
      }
      guard let row = change.row else { return nil }
      let start = proposal.rows.count
      let record = EntityKey(entity, id: change.id)
      report.lostValueCount += values.append(
        row, of: record, as: layout, from: memory, to: &proposal)
      proposal.changes.append(
        Proposal.Change(
          base == .none ? .insert : .update, entity: entity, id: change.id,
          row: start..<proposal.rows.count, base: base,
          changed: AttributeSet(all: layout.fields.count),
          creation: base == .none ? change.creation : nil))
    }
    giveCreations(to: &proposal, from: frozen.state.nextCreation)
    return proposal
  }

  /// Assigns a creation number to each insert.
  ///
  /// An insert keeps its own number if the number is valid and not in use. Otherwise it gets the
  /// next number, or the lowest free number if the highest is in use.
  private mutating func giveCreations(to proposal: inout Proposal, from next: UInt64) {
    for index in proposal.changes.indices {
      guard let creation = proposal.changes[index].creation else { continue }
      let isFree = TransactionRules.isCreation(creation) && creations.insert(creation).inserted
      if !isFree { proposal.changes[index].creation = nil }
    }
    var next = proposal.changes.compactMap(\.creation).reduce(next) { max($0, $1 + 1) }
    for index in proposal.changes.indices
    where proposal.changes[index].kind == .insert && proposal.changes[index].creation == nil {
      if TransactionRules.isCreation(next) {
        proposal.changes[index].creation = next
        next += 1
      } else {
        // The highest number is in use, so the insert gets the lowest free number.
        while creations.contains(lowestCreation) { lowestCreation += 1 }
        proposal.changes[index].creation = lowestCreation
      }
      creations.insert(proposal.changes[index].creation ?? 0)
    }
  }

  /// A change of a payload of the old journal.
  private struct ReadChange {
    var kind: ChangeKind
    var entity: Int
    var id: RecordIdentifier
    /// The values of the row; nil for a delete.
    var row: RowValues?
    var creation: UInt64
  }

  /// Returns the changes and the metadata of a payload. Returns nil if the bytes are invalid, if a
  /// layout is unknown, or if a change breaks a rule of ``TransactionRules``.
  private func changes(
    _ bytes: RawSpan, at location: RowLocation
  ) -> (changes: [ReadChange], metadata: TransactionMetadata)? {
    var reader = PayloadReader(bytes, layouts: catalog.layouts)
    var rules = TransactionRules()
    var changes: [ReadChange] = []
    while let change = reader.next(in: bytes) {
      let row = bytes.extracting(change.row)
      let (entity, kind) = (catalog.entity(of: change.layout.number), change.layout.identifierKind)
      guard let range = change.identifierRange(in: row),
        change.kind == .delete || TransactionRules.hasIdentifier(row, of: change.layout),
        TransactionRules.isIdentifier(row.extracting(range), of: kind),
        let id = RecordIdentifier(kind, bytes: row.extracting(range)),
        rules.isFirst(of: EntityKey(entity, id: id))
      else { return nil }
      if change.kind == .delete {
        changes.append(ReadChange(kind: .delete, entity: entity, id: id, row: nil, creation: 0))
        continue
      }
      guard
        let values = RowValues(at: location + change.row.lowerBound, in: memory, catalog: catalog)
      else { return nil }
      changes.append(
        ReadChange(
          kind: change.kind, entity: entity, id: id, row: values,
          creation: Layout.creation(of: row)))
    }
    let metadata = reader.metadata(in: bytes)
    return reader.defect == nil ? (changes, metadata) : nil
  }
}
