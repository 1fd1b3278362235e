import DaybookJournal

/// Insertion of many records without a context.
extension Store {
  /// Inserts many records, a fixed number in each transaction.
  ///
  /// The method is faster than an insertion with a context, because a context keeps every change in
  /// a form that can be read, undone and merged. While one transaction is written, the method
  /// prepares the next one.
  ///
  /// ```swift
  /// try await store.insert(contentsOf: banks) { count in print("\(count) banks") }
  /// ```
  ///
  /// Contexts and lists merge each of these transactions like every other transaction.
  ///
  /// If a transaction is rejected, its records and all later records are not inserted. The earlier
  /// transactions stay, and `progress` has reported them. With an idempotency key, the program can
  /// repeat the call with the same records. Each transaction is saved with a key of its own: the
  /// idempotency key, a slash, and the number of the transaction, starting at 1. A repeated call
  /// does not save the transactions again that an earlier call has saved.
  ///
  /// - Parameters:
  ///   - records: The records. The method reads them as it needs them, so they need not fit into
  ///     memory together. It reads them on the actor of the caller, so a lazy sequence may use the
  ///     state of that actor.
  ///   - count: The number of records in each transaction; at least 1.
  ///   - metadata: The metadata of each transaction.
  ///   - isolation: The actor of the caller.
  ///   - progress: A closure that is called after each transaction with the number of records that
  ///     are saved.
  /// - Returns: The receipts of the transactions.
  /// - Throws: ``StoreError`` with `alreadyExists` if a record with the same identifier exists, or
  ///   with `validation`, `unknownType`, `unknown`, `journal`, `readOnly`, `transactionTooLarge` or
  ///   `noCreationNumbers`. `CancellationError` between two transactions, if the task is cancelled.
  /// - Complexity: O(*n* log *n*) in the number of records, with memory for at most seven
  ///   transactions
  @discardableResult
  public func insert<R: Record>(
    contentsOf records: some Sequence<R>, inTransactionsOf count: Int = 1000,
    metadata: TransactionMetadata = TransactionMetadata(),
    isolation: isolated (any Actor)? = #isolation,
    progress: (@Sendable (_ count: Int) -> Void)? = nil
  ) async throws -> [Receipt] {
    var batches = RecordBatches(records, by: count)
    let preparation = InsertPreparation(try InsertProposals<R>(metadata, for: self))
    let inserts = PendingInserts(in: self, progress: progress)
    do {
      var next = try await preparation.proposal(of: batches.next())
      while let prepared = next {
        try Task.checkCancellation()
        let batch = batches.next()
        async let upcoming = preparation.proposal(of: batch)
        try await inserts.start(prepared)
        next = try await upcoming
      }
      try await inserts.wait(untilAtMost: 0)
    } catch {
      // No save may continue after this method has returned, so it waits for all saves. If an
      // earlier save has failed, `wait` throws the error of that save instead.
      try await inserts.wait(untilAtMost: 0)
      throw error
    }
    return await inserts.receipts
  }

  /// Inserts many records, for programs without tasks. The method blocks the thread until they are
  /// saved.
  ///
  /// The method is ``insert(contentsOf:inTransactionsOf:metadata:isolation:progress:)`` without
  /// concurrency. The next transaction is prepared after the previous one is saved.
  ///
  /// - Throws: ``StoreError`` with the reasons of that method, and with `duringWrite` in the body
  ///   of a write.
  @discardableResult
  @available(
    *, noasync, message: "use insert, which does not block a thread of the cooperative pool"
  )
  public func insertAndWait<R: Record>(
    contentsOf records: some Sequence<R>, inTransactionsOf count: Int = 1000,
    metadata: TransactionMetadata = TransactionMetadata(),
    progress: ((_ count: Int) -> Void)? = nil
  ) throws(StoreError) -> [Receipt] {
    var batches = RecordBatches(records, by: count)
    var proposals = try InsertProposals<R>(metadata, for: self)
    var receipts: [Receipt] = []
    var savedCount = 0
    while let batch = batches.next() {
      let proposal = try proposals.proposal(of: batch)
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
  /// A context looks for an existing record when it inserts one. If the save then finds a record
  /// with the same identifier, a second writer has inserted it, which is a conflict. An insertion
  /// without a context looks for the record only in the save. So this method replaces the conflict
  /// by `alreadyExists`.
  fileprivate static func refused(_ error: StoreError, path: String) -> StoreError {
    guard case .conflict(let changes) = error.reason, let first = changes.first else {
      return error
    }
    return StoreError(.alreadyExists(entity: first.entity, id: first.id), path: path)
  }

  /// Returns the receipt of a save, which always exists, because an insertion always changes the
  /// state.
  fileprivate static func inserted(_ receipt: Receipt?) -> Receipt {
    guard let receipt else { preconditionFailure("the added records have no receipt") }
    return receipt
  }
}

/// The transactions of an insertion that are being saved, in their order.
//
// The actor numbers the transactions one by one. A task for each numbered transaction waits until
// it is durable, so that several transactions are synced together.
private actor PendingInserts {
  /// The maximum number of transactions in progress while the next one is prepared.
  private static let countMax = 4

  private let store: Store
  private let progress: (@Sendable (Int) -> Void)?
  /// The transactions in progress, each with the number of its records and the task that waits for
  /// it.
  private var saves: [(count: Int, save: Task<Receipt?, any Error>)] = []
  /// The last known number of rollbacks in the store.
  private var rollBackCount: Int
  private(set) var receipts: [Receipt] = []
  /// The number of records that are saved.
  private var savedCount = 0
  /// The error of the first save that failed. The later saves fail because of it.
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

  /// Starts to save the next transaction of the insertion, after all earlier ones have a number.
  /// Throws an error if an earlier one has failed.
  func start(_ prepared: PreparedProposal) async throws {
    if store.isSharing { return try await saveAlone(prepared) }
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
      // The store has rolled back transactions. If one belongs to this insertion, `wait` throws its
      // error. Otherwise the loop tries again.
      rollBackCount = store.core.withLock { $0.rollBackCount }
      try await wait(untilAtMost: 0)
    }
  }

  /// Saves the next transaction of a store that shares a log, with no other in progress.
  ///
  /// Other machines can save first. If two transactions were in progress, the second one could then
  /// be saved before the first one.
  private func saveAlone(_ prepared: PreparedProposal) async throws {
    do throws(StoreError) {
      receipts.append(Store.inserted(try await store.save(prepared.proposal)))
    } catch {
      if case .cancelled = error.reason { throw CancellationError() }
      throw Store.refused(error, path: store.path)
    }
    savedCount += prepared.proposal.changes.count
    progress?(savedCount)
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
