/// Creates the proposals of a bulk insertion. The type is an actor, so that it prepares the next
/// proposal while the caller saves earlier ones.
actor InsertPreparation<R: Record> {
  private var proposals: InsertProposals<R>

  init(_ proposals: InsertProposals<R>) { self.proposals = proposals }

  /// Returns the proposal that inserts some records; nil without records.
  func proposal(of records: ArraySlice<R>?) throws(StoreError) -> PreparedProposal? {
    guard let records else { return nil }
    return PreparedProposal(try proposals.proposal(of: records))
  }
}

/// A proposal that ``InsertPreparation`` passes to the actor that saves it.
//
// The type is a class, because Swift 6.3.1 cannot return a noncopyable value from `async let`.
final class PreparedProposal: Sendable {
  let proposal: Proposal

  init(_ proposal: consuming Proposal) { self.proposal = proposal }
}

/// Creates proposals that insert records.
struct InsertProposals<R: Record>: Sendable {
  private let metadata: TransactionMetadata
  private let path: String
  private let codec: RecordCodec<R>
  private let entity: Int
  /// The number of proposals that were created.
  private var proposalCount = 0
  /// The number of row bytes of the last proposal. The next proposal reserves about as much memory.
  private var rowByteCount = 0

  /// Prepares proposals that insert records into a store.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  init(_ metadata: TransactionMetadata, for store: Store) throws(StoreError) {
    // The catalog is read only once, because a read of the store's state can wait for the store's
    // lock.
    let catalog = store.snapshot.frozen.catalog
    guard let codec = catalog.types.codec(R.self), let entity = catalog.index(of: R.schema.entity)
    else { throw StoreError(.unknownType("\(R.self)"), path: store.path) }
    self.metadata = metadata
    self.codec = codec
    self.entity = entity
    path = store.path
  }

  /// Returns a proposal that inserts records.
  ///
  /// - Throws: ``StoreError`` with `alreadyExists` if two of the records have the same identifier,
  ///   or with `validation`
  mutating func proposal(of records: ArraySlice<R>) throws(StoreError) -> Proposal {
    var proposal = Proposal(nextMetadata())
    proposal.isChecked = true
    var problems: [ValidationProblem] = []
    var changes: [Proposal.Change] = []
    changes.reserveCapacity(records.count)
    let (codec, entity) = (codec, entity)
    var room = RowBuffer()
    room.layOutZeros(rowByteCount + rowByteCount / 8)
    var writer = RowWriter(codec.layout, after: room.take())
    records.withUnsafeBufferPointer { records in
      guard let first = records.baseAddress else { return }
      for index in records.indices {
        // The codec takes a pointer, because a copy of a record would retain its strings.
        let id = codec.append(first + index, to: &writer)
        if writer.hasNil { problems += writer.withRow { codec.layout.missing(in: $0, id) } }
        changes.append(Proposal.Change(.insert, entity: entity, id: id, row: writer.row))
      }
    }
    proposal.rows = writer.finish()
    rowByteCount = proposal.rows.count
    proposal.changes = changes
    if let duplicate = InsertProposals.duplicate(in: proposal.changes) {
      throw StoreError(.alreadyExists(entity: codec.layout.entity.name, id: duplicate), path: path)
    }
    guard problems.isEmpty else { throw StoreError(.validation(problems), path: path) }
    proposalCount += 1
    return proposal
  }

  /// Returns the first identifier that occurs twice in a transaction; nil if all are different.
  private static func duplicate(in changes: [Proposal.Change]) -> RecordIdentifier? {
    // Records usually have ascending identifiers. Then no identifier can occur twice, and no set is
    // needed.
    let isOrdered = changes.indices.dropFirst().allSatisfy { index in
      switch (changes[index - 1].id, changes[index].id) {
      case (.int(let one), .int(let other)): one < other
      case (.uint(let one), .uint(let other)): one < other
      default: false
      }
    }
    if isOrdered { return nil }
    var known: Set<RecordIdentifier> = []
    known.reserveCapacity(changes.count)
    return changes.first { !known.insert($0.id).inserted }?.id
  }

  /// Returns the metadata of the next transaction.
  ///
  /// If the metadata has an idempotency key, each transaction gets a key of its own: that key, a
  /// slash, and the number of the transaction.
  private func nextMetadata() -> TransactionMetadata {
    var said = metadata
    said.idempotencyKey = metadata.idempotencyKey.map { "\($0)/\(proposalCount + 1)" }
    return said
  }
}

/// The records of a bulk insertion, in batches of one transaction each.
///
/// The insertion takes the batches on the actor of its caller, because a sequence that creates its
/// records may call closures of that actor.
struct RecordBatches<Records: Sequence> {
  /// The number of records in each batch but the last.
  private let count: Int
  /// The records, if the sequence is an array. Its batches are slices, so no record is copied.
  private let array: [Records.Element]?
  /// The number of records of the array in earlier batches.
  private var nextIndex = 0
  private var iterator: Records.Iterator

  init(_ records: Records, by count: Int) {
    precondition(count > 0, "the number of records per transaction must be positive, not \(count)")
    self.count = count
    array = records as? [Records.Element]
    iterator = records.makeIterator()
  }

  /// Returns the next records; nil if none are left.
  mutating func next() -> ArraySlice<Records.Element>? {
    if let array {
      if nextIndex == array.count { return nil }
      let start = nextIndex
      nextIndex += min(count, array.count - nextIndex)
      return array[start..<nextIndex]
    }
    var batch: [Records.Element] = []
    batch.reserveCapacity(min(count, RecordBatches.reservedCountMax))
    while batch.count < count, let record = iterator.next() { batch.append(record) }
    return batch.isEmpty ? nil : batch[...]
  }

  /// The maximum number of records for which memory is reserved in advance. A caller may pass a
  /// count for each transaction that is far greater than the number of its records.
  private static var reservedCountMax: Int { 1000 }
}
