import DaybookJournal

/// Adding many records past every context.
extension Store {
  /// Adds many records, some in each transaction: several times as fast as by a context, which keeps every change
  /// as one that can be looked at, taken back and merged. While one transaction is written, the next is prepared.
  ///
  /// ```swift
  /// try await store.insert(contentsOf: banks) { count in print("\(count) banks") }
  /// ```
  ///
  /// Contexts and lists hear of each transaction as of any other.
  ///
  /// If a transaction is refused, none of its records are added, and none that come after them; the transactions
  /// before it stay, as `progress` was told. With an idempotency key this can be done again with the same records:
  /// each transaction is saved with the key, a slash, and its number from 1, and what was saved with it before is
  /// not saved again.
  ///
  /// - Parameters:
  ///   - records: What to add. They are asked for as they are needed, so there may be more than there is memory for.
  ///   - count: How many are added in one transaction; at least 1.
  ///   - metadata: What is said about each transaction.
  ///   - progress: Is told behind each transaction how many records have been saved.
  /// - Returns: What was said of each transaction.
  /// - Throws: ``StoreError``: `alreadyThere`, if there is a record of the same identifier; `validation`,
  ///   `unknownType`, `unknown`, `journal`, `readOnly`, `transactionTooLarge`, `noCreationNumbers`. And
  ///   `CancellationError`, if the task is cancelled: between two transactions.
  /// - Complexity: O(*n* log *n*) in the records, and memory for seven transactions
  @discardableResult
  public func insert<R: Record>(
    contentsOf records: sending some Sequence<R>, inTransactionsOf count: Int = 1000,
    metadata: TransactionMetadata = TransactionMetadata(),
    progress: (@Sendable (_ count: Int) -> Void)? = nil
  ) async throws -> [Receipt] {
    let preparation =
      if let array = records as? [R] {
        InsertPreparation(
          try InsertProposals(ArrayRecords(array), by: count, metadata: metadata, for: self))
      } else {
        InsertPreparation(
          try InsertProposals(
            IteratedRecords(records.makeIterator()), by: count, metadata: metadata, for: self))
      }
    let underway = InsertsUnderway(in: self, progress: progress)
    do {
      var next = try await preparation.next()
      while let prepared = next {
        try Task.checkCancellation()
        async let upcoming = preparation.next()
        try await underway.begin(prepared)
        next = try await upcoming
      }
      try await underway.settle(down: 0)
    } catch {
      // Nothing goes on behind the caller's back; and if one fails that came before, that is why.
      try await underway.settle(down: 0)
      throw error
    }
    return await underway.receipts
  }

  /// ``insert(contentsOf:inTransactionsOf:metadata:progress:)`` for programs without tasks: the thread sleeps while a
  /// transaction is written, and prepares none meanwhile.
  @discardableResult
  @available(*, noasync, message: "use insert, so that no thread sleeps that tasks need")
  public func insertAndWait<R: Record>(
    contentsOf records: some Sequence<R>, inTransactionsOf count: Int = 1000,
    metadata: TransactionMetadata = TransactionMetadata(),
    progress: ((_ count: Int) -> Void)? = nil
  ) throws(StoreError) -> [Receipt] {
    var proposals = try InsertProposals(
      IteratedRecords(records.makeIterator()), by: count, metadata: metadata, for: self)
    var receipts: [Receipt] = []
    var savedCount = 0
    while let proposal = try proposals.next() {
      do throws(StoreError) {
        receipts.append(Store.inserted(try saveAndWait(proposal)))
      } catch { throw Store.refused(error, path: path) }
      savedCount += proposal.changes.count
      progress?(savedCount)
    }
    return receipts
  }

  /// Why records were not added: what is a conflict for a context, which looked whether one was there when it was
  /// added, is no more than one that is there.
  fileprivate static func refused(_ error: StoreError, path: String) -> StoreError {
    guard case .conflict(let changes) = error.reason, let first = changes.first else {
      return error
    }
    return StoreError(.alreadyThere(entity: first.entity, id: first.id), path: path)
  }

  /// What was said of records that were added, which never comes to nothing.
  fileprivate static func inserted(_ receipt: Receipt?) -> Receipt {
    guard let receipt else { preconditionFailure("records that were added came to nothing") }
    return receipt
  }
}

/// Transactions of records that are being added, in their order.
//
// An actor, as the store takes in one while others end: whoever waited for the store's lock would keep a thread from
// all other tasks.
private actor InsertsUnderway {
  /// How many are on their way while the next is prepared.
  private static let countMax = 4

  private let store: Store
  private let progress: (@Sendable (Int) -> Void)?
  private var saves: [(count: Int, save: Task<Receipt?, any Error>)] = []
  /// How often the store had taken transactions back, as far as is known here.
  private var takeBackCount: Int
  private(set) var receipts: [Receipt] = []
  private var savedCount = 0
  /// Why the first was not saved that was not. Those behind it follow from it.
  private var failure: (any Error)?

  init(in store: Store, progress: (@Sendable (Int) -> Void)?) {
    self.store = store
    self.progress = progress
    takeBackCount = store.core.withLock { $0.takeBackCount }
  }

  deinit {
    let count = saves.count
    precondition(count == 0, "\(count) transactions are left alone")
  }

  /// Begins the next, behind all others: if one of those was taken back, it does not.
  func begin(_ prepared: PreparedProposal) async throws {
    while true {
      let attempt: SaveAttempt
      do throws(StoreError) {
        attempt = try await store.number(
          prepared.proposal, under: SaveConditions(basis: .takeBackCount(takeBackCount)))
      } catch { throw Store.refused(error, path: store.path) }
      guard case .outdated = attempt else {
        let save = Task { try await store.finish(attempt, isolation: nil) }
        saves.append((prepared.proposal.changes.count, save))
        return try await settle(down: InsertsUnderway.countMax)
      }
      // It may have been somebody else's.
      takeBackCount = store.core.withLock { $0.takeBackCount }
      try await settle(down: 0)
    }
  }

  /// Waits until no more than so many are on their way.
  ///
  /// - Throws: Why the first was not saved that was not.
  func settle(down most: Int) async throws {
    while saves.count > most {
      let (count, save) = saves.removeFirst()
      do {
        let receipt = Store.inserted(try await save.value)
        guard failure == nil else { continue }
        receipts.append(receipt)
        savedCount += count
        progress?(savedCount)
      } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
