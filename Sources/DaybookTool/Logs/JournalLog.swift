import DaybookJournal
import DaybookResults
@_spi(Tools) import DaybookStore

/// The transactions of a journal for `daybook log`, `history` and `why`. The methods `narrow`
/// restrict them to a range, or to the changes of some records.
struct JournalLog {
  let journal: OpenJournal
  let entities: [EntityDefinition]
  private let sameValues = SameValues()
  /// The entity of the requested records; nil for all entities.
  private(set) var entity: EntityDefinition?
  /// The requested author of transactions; nil for all authors.
  private var author: String?
  /// The requested identifier, as the user typed it; nil for all records.
  private var idArgument: String?
  private var isInRange = false
  /// The requested identifiers: one for each kind of identifier that the text can represent; nil
  /// for all records.
  private var ids: [RecordIdentifier]?
  /// The requested rows; nil if there is no filter.
  private var rows: ChangedRows?
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
  mutating func narrow(toIdentifier argument: String) throws(ToolError) {
    idArgument = argument
    ids =
      if let entity {
        [try RecordArguments.identifier(argument, of: entity)]
      } else {
        try RecordArguments.identifiers(argument, in: entities)
      }
  }

  /// Restricts the log to transactions of an author.
  mutating func narrow(toAuthor name: String) { author = name }

  /// Restricts the log to transactions that changed a row of a request. The request must be for the
  /// entity of the log.
  mutating func narrow(to request: DynamicRequest) throws {
    precondition(entity?.name == request.entity, "the log has another entity than the filter")
    rows = try ChangedRows(request, in: journal)
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
    let by = author.map { " by \(ShellText.quoted($0))" } ?? ""
    let transactions = "no transaction of \(journal.name)\(by)\(isInRange ? " in this range" : "")"
    switch (entity?.name, idArgument) {
    case (nil, nil):
      guard author == nil, !isInRange else {
        return isInRange
          ? "no transaction of \(journal.name)\(by) is in this range."
          : "no transaction of \(journal.name) is\(by)."
      }
      return "\(journal.name) has no transactions."
    case (let name?, nil):
      return "\(transactions) changed a record of \(name)\(rows == nil ? "" : " that matches")."
    case (let name?, let id?):
      return "\(transactions) changed \(name) \(id)\(rows == nil ? "" : " while it matched")."
    case (nil, let id?): return "\(transactions) changed a record with the identifier \(id)."
    }
  }

  /// Returns the transactions that changed the requested record, the oldest first. The base is one
  /// of them if it contains the record.
  ///
  /// The changes have no creation numbers to print.
  ///
  /// - Precondition: One record of one entity is requested, by any author.
  /// - Complexity: As for `Store.fullHistory(of:id:)`
  func versions() throws -> [LoggedTransaction] {
    guard let entity, let ids, ids.count == 1, author == nil else {
      preconditionFailure("the versions of \(ids?.count ?? 0) records were requested")
    }
    let (base, versions) = try journal.reading {
      try journal.store.fullHistory(of: entity.name, id: ids[0])
    }
    let requested = ((base.map { [$0] } ?? []) + versions).filter {
      $0.sequence >= first && $0.sequence <= last
    }
    return requested.compactMap { version in
      LoggedChange(version.change, created: nil, known: sameValues).map { change in
        LoggedTransaction(
          sequence: version.sequence, time: version.time, metadata: version.metadata,
          isBase: version.sequence == journal.store.base, changes: [change])
      }
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
        try Task.checkCancellation()
        try append(transaction, isBase: false, nextCreation: &nextCreation, body: body)
        Progress.shared.show(
          "reading the history of \(journal.name)", done: sequence.rawValue, of: last.rawValue,
          in: .things("transactions"))
      }
    } catch let error as StoreError {
      throw journal.error(error)
    } catch let error as RequestError {
      throw ToolError(error)
    }
  }

  /// Calls a closure with the requested transactions, the newest first, until it returns false.
  ///
  /// The changes of these transactions have no creation numbers to print.
  ///
  /// - Complexity: O(*k*) in the size of the transactions that are read, which are the newest ones,
  ///   and at most twice as many as those before the closure returned false
  func forEachFromNewest(_ body: (LoggedTransaction) throws -> Bool) throws {
    let store = journal.store
    let oldest = max(first, store.base.next)
    var end = last
    var count = JournalLog.firstReadCount
    do {
      while end >= oldest {
        let start = SequenceNumber(
          max(oldest.rawValue, end.rawValue - min(end.rawValue, UInt64(count - 1))))
        for transaction in try requested(from: start, through: end).reversed() {
          guard try body(transaction) else { return }
        }
        guard start > oldest else { break }
        end = start - 1
        count = min(2 * count, JournalLog.greatestReadCount)
      }
      if store.base <= last, first <= store.base, let base = try store.baseTransaction() {
        var ignored: UInt64 = 1
        try append(base, isBase: true, nextCreation: &ignored) { _ = try body($0) }
      }
    } catch let error as StoreError {
      throw journal.error(error)
    } catch let error as RequestError {
      throw ToolError(error)
    }
  }

  /// The number of transactions that the log reads at once, the newest first: it starts with the
  /// first number, and doubles up to the greatest.
  private static let firstReadCount = 64
  private static let greatestReadCount = 4096

  /// Returns the requested transactions of a range, the oldest first.
  private func requested(
    from start: SequenceNumber, through end: SequenceNumber
  ) throws -> [LoggedTransaction] {
    var found: [LoggedTransaction] = []
    var ignored: UInt64 = 1
    var transactions = try journal.store.transactions(from: start)
    while let transaction = try transactions.next(), let sequence = transaction.sequence,
      sequence <= end
    {
      try append(transaction, isBase: false, nextCreation: &ignored) { found.append($0) }
    }
    return found
  }

  private func append(
    _ transaction: StoreTransaction, isBase: Bool, nextCreation: inout UInt64,
    body: (LoggedTransaction) throws -> Void
  ) throws {
    guard let sequence = transaction.sequence, let time = transaction.time else {
      preconditionFailure("a transaction of a journal has no number")
    }
    let isRequested = sequence >= first && (author == nil || transaction.metadata.author == author)
    var logged = LoggedTransaction(
      sequence: sequence, time: time, metadata: transaction.metadata, isBase: isBase)
    let rowIDs = try isRequested ? rows?.identifiers(changedBy: transaction, isBase: isBase) : nil
    for change in transaction.changes {
      var created: UInt64?
      if change.kind == .insert {
        if change.creation != nextCreation { created = change.creation }
        nextCreation = max(nextCreation, change.creation &+ 1)
      }
      guard isRequested, entity == nil || entity?.name == change.entity else { continue }
      if let ids, !ids.contains(change.id) { continue }
      if let rowIDs, !rowIDs.contains(change.id) { continue }
      if let change = LoggedChange(change, created: created, known: sameValues) {
        logged.changes.append(change)
      }
    }
    // If all records are requested, the log also contains transactions without changes.
    guard isRequested, !logged.changes.isEmpty || entity == nil && ids == nil else { return }
    try body(logged)
  }
}
