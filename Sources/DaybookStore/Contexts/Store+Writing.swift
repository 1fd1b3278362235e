import DaybookJournal
import DaybookPlatform

extension Store {
  /// Runs a closure that changes records in a new context, and saves the changes.
  ///
  /// ```swift
  /// try await store.write { try $0.update(Account.self, id: id) { $0.balance += 10 } }
  /// ```
  ///
  /// The store runs the bodies one after another, in the order of the calls of `write`. Each body
  /// reads the newest state, which includes the changes of the body before it, durable or not.
  /// Therefore no update is lost with any number of tasks, and the changes of a body apply to
  /// exactly the records that it has read. Only the bodies wait for each other. Their transactions
  /// are synced together, so one sync makes many writes durable.
  ///
  /// A context may save while a body runs. Then the body has read an old state, and runs again in a
  /// new context. During the second run, every other save of the store waits. If the store shares a
  /// log, a body also runs again when a different machine has saved first. So it should only read
  /// and change its context. The body cannot call `saveAndWait` or `insertAndWait` of any store.
  ///
  /// The method returns the result of the body, or throws its error. Before that, it suspends until
  /// all records that the body has read are as durable as the store's options require. If a
  /// transaction that the body has read cannot be written, this write fails too.
  ///
  /// If the task is cancelled before the transaction has a number, nothing is saved, even if the
  /// body has run. A cancellation after that has no effect: the write suspends until the
  /// transaction is durable. If the body has run and has changed nothing, the method returns its
  /// result.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, whose changes are then discarded; ``StoreError``, with
  ///   `repeated` if an earlier transaction has the idempotency key of the metadata, for which the
  ///   body does not run; and `CancellationError`, if the task is cancelled before the transaction
  ///   has a number. To tell a repetition apart without an error, call
  ///   ``commit(_:waitingUpTo:minimumServers:isolation:body:)``.
  @discardableResult
  public func write<Value: Sendable>(
    _ metadata: TransactionMetadata = TransactionMetadata(),
    isolation: isolated (any Actor)? = #isolation,
    body: @Sendable (EditingContext) throws -> Value
  ) async throws -> Value {
    switch try await commit(metadata, isolation: isolation, body: body) {
    case .saved(let value, _): return value
    case .repeated(let receipt): throw StoreError(.repeated(receipt), path: path)
    }
  }

  /// The state of a body after its attempt to save.
  enum BodyEnding {
    /// The changes and all records that the body has read are durable. The receipt is nil if
    /// nothing was saved.
    case settled(Receipt?)
    /// The body must run again.
    case unsettled
  }

  /// Suspends until the changes of a body, and all records that it has read, are durable.
  ///
  /// The body must run again if its changes have no number, because the journal has absorbed
  /// transactions of other machines. It must also run again if it did not run yet, because a save
  /// in progress has its idempotency key.
  func end<Value>(_ run: BodyRun<Value>) async throws(StoreError) -> BodyEnding {
    switch run.attempt {
    case .numbered:
      // The function does not run on the caller's actor. A thread of that actor may be blocked in a
      // save of a different context, which can wait until this transaction is published.
      return .settled(try await finish(run.attempt, isolation: nil))
    case .done(let receipt):
      // Without a run, nothing was read.
      if run.outcome != nil { try await waitUntilSettled(run.read) }
      if receipt != nil { announce() }
      return .settled(receipt)
    case .wait(.settlement(let ticket)) where run.outcome == nil:
      await settled.suspend(until: ticket)
      return .unsettled
    case .wait, .outdated:
      try await waitUntilSettled(run.read)
      return isSharing ? .unsettled : .settled(nil)
    }
  }

  /// The outcome of one run of a body, and the attempt to number its changes.
  struct BodyRun<Value> {
    /// The outcome; nil if the body did not run, because a transaction has its idempotency key.
    var outcome: Result<Value, any Error>?
    var attempt = SaveAttempt.done(nil)
    /// The state that the body has read.
    var read: AcceptedMark
  }

  /// Runs a body while the caller holds the write lock, numbers its changes, and releases the lock.
  /// If a different save was numbered during the body, runs the body again under a
  /// ``NumberingHold``.
  func run<Value>(
    _ body: (EditingContext) throws -> Value, metadata: TransactionMetadata,
    isolation: (any Actor)?
  ) -> BodyRun<Value> {
    defer { writeLock.unlock() }
    let first = runOnce(
      body, metadata: metadata, isolation: isolation, holdsNumbering: false)
    guard case .outdated = first.attempt else { return first }
    return holdingNumbering {
      while true {
        // No save of this store can change the state during the hold. A recovery can, and in a
        // shared store an absorption can. Then the body runs again.
        let next = runOnce(
          body, metadata: metadata, isolation: isolation, holdsNumbering: true)
        guard case .outdated = next.attempt else { return next }
      }
    }
  }

  /// Runs a closure that alone may number transactions. All other saves wait until it returns.
  func holdingNumbering<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    core.withLock { $0.numberingHold.begin() }
    defer {
      let hold = core.withLock { core in
        core.numberingHold.end()
        return core.numberingHold.count
      }
      releasedHolds.increase(to: hold)
    }
    return try body()
  }

  private func runOnce<Value>(
    _ body: (EditingContext) throws -> Value, metadata: TransactionMetadata,
    isolation: (any Actor)?, holdsNumbering: Bool
  ) -> BodyRun<Value> {
    let (base, read) = core.withLock { core in
      if core.isSharing { _ = try? absorb(into: &core) }
      return (core.accepted(), core.acceptedMark)
    }
    do {
      try Task.checkCancellation()
      if let key = metadata.idempotencyKey, let attempt = try attempt(repeating: key) {
        return BodyRun(outcome: nil, attempt: attempt, read: read)
      }
      let context = EditingContext(
        self, base: base, isolation: ContextIsolation(isolation, madeAt: .line(#fileID, #line)))
      context.metadata = metadata
      let value = try WriteBody.run { try body(context) }
      // The body can replace the metadata. The key of the call still identifies the transaction.
      if let key = metadata.idempotencyKey { context.metadata.idempotencyKey = key }
      guard let proposal = try context.takeUnsaved() else {
        return BodyRun(outcome: .success(value), read: read)
      }
      try Task.checkCancellation()
      let attempt = try attempt(
        proposal,
        under: SaveConditions(basis: .state(read, holdsNumbering: holdsNumbering), isLastTry: true))
      return BodyRun(outcome: .success(value), attempt: attempt, read: read)
    } catch {
      return BodyRun(outcome: .failure(error), read: read)
    }
  }

  /// Returns the attempt of a save whose idempotency key an earlier transaction has; nil if no
  /// transaction has it.
  private func attempt(repeating key: String) throws(StoreError) -> SaveAttempt? {
    let found = try core.withLock { (core) throws(StoreError) in
      try core.transaction(with: key, path: path)
    }
    return switch found {
    case .inFlight(let ticket): .wait(.settlement(ticket: ticket))
    case .saved(let sequence, let time): .done(repeated(sequence, at: time))
    case nil: nil
    }
  }

  /// Suspends until all transactions in the state that a body has read are published.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`, if one of them was rolled
  ///   back.
  private func waitUntilSettled(
    _ read: AcceptedMark, isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) {
    guard let last = read.last else { return }
    await settled.suspend(until: last.ticket)
    try read.checkNotRolledBack(path: path)
  }

  /// Throws an error if the calling thread runs the body of a write, because a blocking save there
  /// would wait for that write forever.
  ///
  /// - Throws: ``StoreError`` with `duringWrite`
  func checkOutsideWrite() throws(StoreError) {
    guard !WriteBody.isRunning else { throw StoreError(.duringWrite, path: path) }
  }
}

/// A flag of each thread that indicates whether the thread runs the body of a write. A body runs on
/// one thread from start to end.
enum WriteBody {
  private static let flag = ThreadFlag()

  /// A Boolean value that indicates whether the current thread runs the body of a write.
  static var isRunning: Bool { flag.isSet }

  static func run<Value>(_ body: () throws -> Value) rethrows -> Value {
    flag.isSet = true
    defer { flag.isSet = false }
    return try body()
  }
}
