/// Creates the proposals of a bulk insertion. The type is an actor, so that it prepares the next
/// proposal while the caller saves earlier ones.
actor InsertPreparation {
  /// Returns the next proposal. The closure hides the types of the records and of their source.
  private let make: () throws(StoreError) -> Proposal?

  init<R: Record, Source: RecordSource>(_ proposals: sending InsertProposals<R, Source>) {
    var proposals = proposals
    make = { () throws(StoreError) in try proposals.next() }
  }

  func next() throws(StoreError) -> PreparedProposal? {
    guard let proposal = try make() else { return nil }
    return PreparedProposal(proposal)
  }
}

/// A proposal that ``InsertPreparation`` passes to the actor that saves it.
//
// The type is a class, because Swift 6.3.1 cannot return a noncopyable value from `async let`.
final class PreparedProposal: Sendable {
  let proposal: Proposal

  init(_ proposal: consuming Proposal) { self.proposal = proposal }
}

/// Creates proposals that insert records, with a fixed number of records in each proposal.
struct InsertProposals<R: Record, Source: RecordSource> where Source.Element == R {
  private var records: Source
  /// The number of records in each proposal.
  private let count: Int
  private let metadata: TransactionMetadata
  private let path: String
  private let codec: RecordCodec<R>
  private let entity: Int
  /// The number of proposals that were created.
  private var proposalCount = 0
  /// The number of row bytes of the last proposal. The next proposal reserves about as much memory.
  private var rowByteCount = 0

  /// Creates the proposals of some records.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  init(
    _ records: Source, by count: Int, metadata: TransactionMetadata, for store: Store
  ) throws(StoreError) {
    precondition(count > 0, "the number of records per transaction must be positive, not \(count)")
    // The catalog is read only once, because a read of the store's state can wait for the store's
    // lock.
    let catalog = store.snapshot.frozen.catalog
    guard let codec = catalog.types.codec(R.self), let entity = catalog.index(of: R.schema.entity)
    else { throw StoreError(.unknownType("\(R.self)"), path: store.path) }
    self.records = records
    self.count = count
    self.metadata = metadata
    self.codec = codec
    self.entity = entity
    path = store.path
  }

  /// Returns a proposal that inserts the next records; nil if no records are left.
  ///
  /// - Throws: ``StoreError`` with `alreadyThere` if two of the records have the same identifier,
  ///   or with `validation`
  mutating func next() throws(StoreError) -> Proposal? {
    var proposal = Proposal(nextMetadata())
    proposal.isChecked = true
    var problems: [ValidationProblem] = []
    var changes: [Proposal.Change] = []
    changes.reserveCapacity(min(count, InsertProposals.reservedCountMax))
    let (codec, entity) = (codec, entity)
    var room = RowBuffer()
    room.layOutZeros(rowByteCount + rowByteCount / 8)
    var writer = RowWriter(codec.layout, after: room.take())
    records.forEachNext(upTo: count) { record in
      let id = codec.append(record, to: &writer)
      if writer.hasNil { problems += writer.withRow { codec.layout.missing(in: $0, id) } }
      changes.append(Proposal.Change(.insert, entity: entity, id: id, row: writer.row))
    }
    if changes.isEmpty { return nil }
    proposal.rows = writer.finish()
    rowByteCount = proposal.rows.count
    proposal.changes = changes
    if let twin = InsertProposals.twin(in: proposal.changes) {
      throw StoreError(.alreadyThere(entity: codec.layout.entity.name, id: twin), path: path)
    }
    guard problems.isEmpty else { throw StoreError(.validation(problems), path: path) }
    proposalCount += 1
    return proposal
  }

  /// The maximum number of changes for which memory is reserved in advance. A caller may pass a
  /// count for each transaction that is far greater than the number of its records.
  private static var reservedCountMax: Int { 1000 }

  /// Returns the first identifier that occurs twice in a transaction; nil if all are different.
  private static func twin(in changes: [Proposal.Change]) -> RecordIdentifier? {
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

/// A source of the records of a bulk insertion.
///
/// A source passes pointers to the records, because a copy of a record would retain and release
/// each of its strings.
protocol RecordSource<Element> {
  associatedtype Element

  /// Calls a closure with each of the next `count` records, or with fewer if no more are left.
  mutating func forEachNext(upTo count: Int, _ body: (UnsafePointer<Element>) -> Void)
}

/// A source of the records of an array.
struct ArrayRecords<Element>: RecordSource {
  private let records: [Element]
  /// The number of records that were passed to closures.
  private var place = 0

  init(_ records: [Element]) { self.records = records }

  mutating func forEachNext(upTo count: Int, _ body: (UnsafePointer<Element>) -> Void) {
    let next = place..<place + min(count, records.count - place)
    records.withUnsafeBufferPointer { records in
      guard let first = records.baseAddress else { return }
      for place in next { body(first + place) }
    }
    place = next.upperBound
  }
}

/// A source of the records of any sequence. The sequence may create them during the iteration.
struct IteratedRecords<Records: IteratorProtocol>: RecordSource {
  private var records: Records

  init(_ records: Records) { self.records = records }

  mutating func forEachNext(upTo count: Int, _ body: (UnsafePointer<Records.Element>) -> Void) {
    for _ in 0..<count {
      guard let record = records.next() else { return }
      withUnsafePointer(to: record, body)
    }
  }
}
