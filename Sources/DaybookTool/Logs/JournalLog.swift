import DaybookJournal
@_spi(Tools) import DaybookStore

/// The transactions of a journal for `daybook log`, `history` and `why`. The methods `narrow`
/// restrict them to a range, or to the changes of some records.
struct JournalLog {
  let journal: OpenJournal
  let entities: [EntityDefinition]
  private let sameValues = SameValues()
  /// The entity of the requested records; nil for all entities.
  private(set) var entity: EntityDefinition?
  /// The requested identifier, as the user typed it; nil for all records.
  private var idText: String?
  private var isInRange = false
  /// The requested identifiers: one for each kind of identifier that the text can represent; nil
  /// for all records.
  private var ids: [RecordIdentifier]?
  /// The first and the last requested transaction.
  private var first: SequenceNumber
  private var last: SequenceNumber

  /// Creates a log of all transactions.
  init(_ journal: OpenJournal) {
    self.journal = journal
    let snapshot = journal.store.snapshot
    entities = snapshot.entities
    (first, last) = (.zero, snapshot.sequence)
  }

  /// Restricts the log to transactions that changed a record of an entity.
  mutating func narrow(toEntity name: String) throws(ToolError) {
    entity = try RecordArguments.entity(name, in: journal.store.snapshot)
  }

  /// Restricts the log to transactions that changed a record with an identifier.
  mutating func narrow(toIdentifier text: String) throws(ToolError) {
    idText = text
    ids =
      if let entity {
        [try RecordArguments.identifier(text, of: entity)]
      } else {
        try RecordArguments.identifiers(text, in: entities)
      }
  }

  /// Restricts the log to the transactions from one moment to a later one. Each moment means the
  /// last transaction at or before it.
  mutating func narrow(from first: String?, to last: String?) throws(ToolError) {
    isInRange = first != nil || last != nil
    if let first { self.first = try journal.knownSequence(at: first, for: "--from") }
    if let last { self.last = try journal.knownSequence(at: last, for: "--to") }
  }

  /// The sentence that reports an empty log.
  var nothingSentence: String {
    let transactions = "no transaction of \(journal.name)" + (isInRange ? " in this range" : "")
    switch (entity?.name, idText) {
    case (nil, nil):
      return isInRange
        ? "no transaction of \(journal.name) is in this range."
        : "\(journal.name) has no transactions."
    case (let name?, nil): return "\(transactions) changed a record of \(name)."
    case (let name?, let id?): return "\(transactions) changed \(name) \(id)."
    case (nil, let id?): return "\(transactions) changed a record with the identifier \(id)."
    }
  }

  /// Calls a closure with each requested transaction, the oldest first.
  ///
  /// - Complexity: O(*n*) in the size of the journal
  func forEach(_ body: (LoggedTransaction) throws -> Void) throws {
    var nextCreation: UInt64 = 1
    let store = journal.store
    do {
      if store.base <= last, let base = try store.baseTransaction() {
        try append(base, isBase: true, nextCreation: &nextCreation, body: body)
      }
      var transactions = try store.transactions(from: store.base.next)
      while let transaction = try transactions.next(), let sequence = transaction.sequence,
        sequence <= last
      {
        try append(transaction, isBase: false, nextCreation: &nextCreation, body: body)
        Progress.shared.show(
          "reading the history of \(journal.name)", done: sequence.rawValue, of: last.rawValue)
      }
    } catch let error as StoreError {
      throw journal.error(error)
    }
  }

  private func append(
    _ transaction: StoreTransaction, isBase: Bool, nextCreation: inout UInt64,
    body: (LoggedTransaction) throws -> Void
  ) throws {
    guard let sequence = transaction.sequence, let time = transaction.time else {
      preconditionFailure("a transaction of a journal has no number")
    }
    let isAsked = sequence >= first
    var logged = LoggedTransaction(
      sequence: sequence, time: time, metadata: transaction.metadata, isBase: isBase)
    for change in transaction.changes {
      var created: UInt64?
      if change.kind == .insert {
        if change.creation != nextCreation { created = change.creation }
        nextCreation = max(nextCreation, change.creation &+ 1)
      }
      guard isAsked, entity == nil || entity?.name == change.entity else { continue }
      if let ids, !ids.contains(change.id) { continue }
      if let change = LoggedChange(change, created: created, known: sameValues) {
        logged.changes.append(change)
      }
    }
    // If all records are requested, the log also contains transactions without changes.
    guard isAsked, !logged.changes.isEmpty || entity == nil && ids == nil else { return }
    try body(logged)
  }
}
