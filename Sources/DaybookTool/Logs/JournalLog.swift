import DaybookJournal
@_spi(Tools) import DaybookStore

/// The transactions of a journal, or those of them that changed some records.
struct JournalLog {
  let journal: OpenJournal
  let entities: [EntityDefinition]
  private let sameValues = SameValues()
  /// The entity whose records are logged; nil for all.
  private(set) var entity: EntityDefinition?
  /// The identifier that was asked for, as it was written; nil for all.
  private var idText: String?
  private var isInRange = false
  /// Which records; nil for all.
  private var ids: [RecordIdentifier]?
  /// Which transactions, both included.
  private var first: SequenceNumber
  private var last: SequenceNumber

  /// All transactions.
  init(_ journal: OpenJournal) {
    self.journal = journal
    let snapshot = journal.store.snapshot
    entities = snapshot.entities
    (first, last) = (.zero, snapshot.sequence)
  }

  /// Those that changed a record of an entity.
  mutating func narrow(toEntity name: String) throws(ToolError) {
    entity = try RecordArguments.entity(name, in: journal.store.snapshot)
  }

  /// Those that changed a record with an identifier.
  mutating func narrow(toIdentifier text: String) throws(ToolError) {
    idText = text
    ids =
      if let entity {
        [try RecordArguments.identifier(text, of: entity)]
      } else {
        try RecordArguments.identifiers(text, in: entities)
      }
  }

  /// Those from one moment to another, each the last transaction at or before it.
  mutating func narrow(from first: String?, to last: String?) throws(ToolError) {
    isInRange = first != nil || last != nil
    if let first { self.first = try journal.knownSequence(at: first, for: "--from") }
    if let last { self.last = try journal.knownSequence(at: last, for: "--to") }
  }

  /// The sentence for a log without transactions.
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

  /// Hands out the transactions, the oldest first.
  ///
  /// - Complexity: O(*n*) in the size of the journal
  func forEach(_ body: (LoggedTransaction) throws -> Void) throws {
    var nextCreation: UInt64 = 1
    let store = journal.store
    do {
      if store.base <= last, let base = try store.baseTransaction() {
        try take(base, isBase: true, nextCreation: &nextCreation, body: body)
      }
      var transactions = try store.transactions(from: store.base.next)
      while let transaction = try transactions.next(), let sequence = transaction.sequence,
        sequence <= last
      {
        try take(transaction, isBase: false, nextCreation: &nextCreation, body: body)
        Progress.shared.show(
          "going through \(journal.name)", done: sequence.rawValue, of: last.rawValue)
      }
    } catch let error as StoreError {
      throw journal.error(error)
    }
  }

  private func take(
    _ transaction: StoreTransaction, isBase: Bool, nextCreation: inout UInt64,
    body: (LoggedTransaction) throws -> Void
  ) throws {
    guard let sequence = transaction.sequence, let time = transaction.time else {
      preconditionFailure("a transaction of the journal without a number")
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
    // Without a record that was asked for, transactions without changes are told too.
    guard isAsked, !logged.changes.isEmpty || entity == nil && ids == nil else { return }
    try body(logged)
  }
}
