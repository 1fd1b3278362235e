import DaybookJournal

/// Insertion of many records without a context.
extension Store {
  /// Inserts many records, a fixed number in each transaction.
  ///
  /// This is faster than a context, which keeps every change in a form that can be examined, undone
  /// and merged. While one transaction is written, the next one is prepared.
  ///
  /// ```swift
  /// try await store.insert(contentsOf: banks) { count in print("\(count) banks") }
  /// ```
  ///
  /// Contexts and lists receive each of these transactions like any other.
  ///
  /// If a transaction is rejected, its records and all later records are not inserted. The earlier
  /// transactions stay, and `progress` has reported them. With an idempotency key, the insertion
  /// can be repeated with the same records. Each transaction is saved with its own key: the
  /// idempotency key, a slash, and the number of the transaction, starting at 1. Transactions that
  /// were saved before are then not saved again.
  ///
  /// - Parameters:
  ///   - records: The records. They are requested when they are needed, so they need not fit into
  ///     memory together.
  ///   - count: The number of records in each transaction; at least 1.
  ///   - metadata: The metadata of each transaction.
  ///   - progress: A closure that is called after each transaction with the number of records that
  ///     are saved.
  /// - Returns: The receipts of the transactions.
  /// - Throws: ``StoreError`` with `alreadyThere` if a record with the same identifier exists, or
  ///   with `validation`, `unknownType`, `unknown`, `journal`, `readOnly`, `transactionTooLarge` or
  ///   `noCreationNumbers`. `CancellationError` if the task is cancelled; it is thrown between two
  ///   transactions.
  /// - Complexity: O(*n* log *n*) in the number of records, and memory for seven transactions
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
    let inserts = PendingInserts(in: self, progress: progress)
    do {
      var next = try await preparation.next()
      while let prepared = next {
        try Task.checkCancellation()
        async let upcoming = preparation.next()
        try await inserts.start(prepared)
        next = try await upcoming
      }
      try await inserts.wait(untilAtMost: 0)
    } catch {
      // No save may continue after this call has returned. If an earlier save has failed, its error
      // is thrown instead.
      try await inserts.wait(untilAtMost: 0)
      throw error
    }
    return await inserts.receipts
  }

  /// Inserts many records from code outside of tasks, and blocks the thread until they are saved.
  ///
  /// It is ``insert(contentsOf:inTransactionsOf:metadata:progress:)`` without concurrency: the next
  /// transaction is prepared after the previous one is written.
  @discardableResult
  @available(
    *, noasync, message: "use insert, which does not block a thread of the cooperative pool"
  )
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

  /// Returns the error of a rejected insertion.
  ///
  /// A context looks for an existing record when it inserts one. For a context, a record that
  /// appears later is a conflict. An insertion without a context does not look before it saves, so
  /// here the record exists already.
  fileprivate static func refused(_ error: StoreError, path: String) -> StoreError {
    guard case .conflict(let changes) = error.reason, let first = changes.first else {
      return error
    }
    return StoreError(.alreadyThere(entity: first.entity, id: first.id), path: path)
  }

  /// Returns the receipt of inserted records, which always exists because an insertion always
  /// changes the state.
  fileprivate static func inserted(_ receipt: Receipt?) -> Receipt {
    guard let receipt else { preconditionFailure("the added records have no receipt") }
    return receipt
  }
}

/// The transactions of an insertion that are being saved, in their order.
//
// It is an actor because the store accepts one transaction while others are being completed.
// Waiting for the lock of the store would block a thread that other tasks need.
private actor PendingInserts {
  /// The number of transactions that may be in progress while the next one is prepared.
  private static let countMax = 4

  private let store: Store
  private let progress: (@Sendable (Int) -> Void)?
  private var saves: [(count: Int, save: Task<Receipt?, any Error>)] = []
  /// The last known number of rollbacks in the store.
  private var rollBackCount: Int
  private(set) var receipts: [Receipt] = []
  private var savedCount = 0
  /// The error of the first save that failed. Later failures are its consequences.
  private var failure: (any Error)?

  init(in store: Store, progress: (@Sendable (Int) -> Void)?) {
    self.store = store
    self.progress = progress
    rollBackCount = store.core.withLock { $0.rollBackCount }
  }

  deinit {
    let count = saves.count
    precondition(count == 0, "\(count) transactions are not resumed")
  }

  /// Starts to save the next transaction, after all earlier ones. It throws if an earlier one was
  /// rolled back.
  func start(_ prepared: PreparedProposal) async throws {
    while true {
      let attempt: SaveAttempt
      do throws(StoreError) {
        attempt = try await store.number(
          prepared.proposal, under: SaveConditions(basis: .rollBackCount(rollBackCount)))
      } catch {
        if case .cancelled = error.reason { throw CancellationError() }
        throw Store.refused(error, path: store.path)
      }
      guard case .outdated = attempt else {
        let save = Task { try await store.finish(attempt, isolation: nil) }
        saves.append((prepared.proposal.changes.count, save))
        return try await wait(untilAtMost: PendingInserts.countMax)
      }
      // The rollback may have concerned transactions of other callers only. In that case the loop
      // tries again.
      rollBackCount = store.core.withLock { $0.rollBackCount }
      try await wait(untilAtMost: 0)
    }
  }

  /// Waits until at most a number of transactions are in progress.
  ///
  /// - Throws: The error of the first save that failed.
  func wait(untilAtMost most: Int) async throws {
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
