/// Makes proposals of records that are to be added, beside whoever saves them.
actor InsertPreparation {
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

/// A proposal that is handed from one actor to another.
//
// By reference: Swift 6.3.1 cannot await by `async let` what is not copied.
final class PreparedProposal: Sendable {
  let proposal: Proposal

  init(_ proposal: consuming Proposal) { self.proposal = proposal }
}

/// Makes proposals of records that are to be added, so many at a time.
struct InsertProposals<R: Record, Source: RecordSource> where Source.Element == R {
  private var records: Source
  private let count: Int
  private let metadata: TransactionMetadata
  private let path: String
  private let codec: RecordCodec<R>
  private let entity: Int
  /// How many proposals have been made.
  private var proposalCount = 0
  /// How many bytes the rows of the last one have.
  private var rowByteCount = 0

  /// - Throws: ``StoreError`` with `unknownType`
  init(
    _ records: Source, by count: Int, metadata: TransactionMetadata, for store: Store
  ) throws(StoreError) {
    precondition(count > 0, "\(count) records a transaction")
    // Asked for once: whoever asks a store while it takes in a transaction waits for that.
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

  /// The next records as a proposal; nil if there are none left.
  ///
  /// - Throws: ``StoreError`` with `alreadyThere`, if one is twice among them, or `validation`
  mutating func next() throws(StoreError) -> Proposal? {
    var proposal = Proposal(nextMetadata())
    proposal.isChecked = true
    var problems: [ValidationProblem] = []
    var changes: [Proposal.Change] = []
    changes.reserveCapacity(min(count, InsertProposals.reservedCountMax))
    let (codec, entity) = (codec, entity)
    var room = RowBuffer()
    room.layOutZeros(rowByteCount + rowByteCount / 8)
    var writer = RowWriter(codec.layout, behind: room.take())
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

  /// Somebody may ask for any number a transaction, and have few.
  private static var reservedCountMax: Int { 1000 }

  /// The first record that is a second time among those of a transaction.
  private static func twin(in changes: [Proposal.Change]) -> RecordIdentifier? {
    // As a rule they come in order, and then there is none.
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

  /// What is said about the next transaction: each has a key of its own, if there is one for all.
  private func nextMetadata() -> TransactionMetadata {
    var said = metadata
    said.idempotencyKey = metadata.idempotencyKey.map { "\($0)/\(proposalCount + 1)" }
    return said
  }
}

/// Records that are asked for one after the other, and handed out where they are: a copy of one counts the references
/// of all its texts.
protocol RecordSource<Element> {
  associatedtype Element

  /// Hands out the next records, up to so many: fewer, if there are no more.
  mutating func forEachNext(upTo count: Int, _ body: (UnsafePointer<Element>) -> Void)
}

/// The records of an array.
struct ArrayRecords<Element>: RecordSource {
  private let records: [Element]
  /// How many were handed out.
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

/// The records of any other sequence, which makes them as it goes.
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
