import DaybookJournal

/// The outcome of a ``Store/commit(_:waitingUpTo:minimumServers:isolation:body:)``.
public enum Commit<Value: Sendable>: Sendable {
  /// The body has run. The associated values are its result, and the receipt of its transaction;
  /// the receipt is nil if the body has changed nothing.
  case saved(Value, Receipt?)
  /// An earlier transaction has the same idempotency key. Nothing was saved, and the receipt is
  /// that of the earlier transaction.
  case repeated(Receipt)

  /// The receipt of the transaction that contains the changes; nil if there were no changes.
  public var receipt: Receipt? {
    switch self {
    case .saved(_, let receipt): receipt
    case .repeated(let receipt): receipt
    }
  }
}

extension Store {
  /// Runs a closure that changes records in a new context, saves the changes, and returns the
  /// outcome with its receipt.
  ///
  /// The method works like ``write(_:isolation:body:)``, and tells a repetition apart. Use it for
  /// requests that a client can send again:
  ///
  /// ```swift
  /// let metadata = TransactionMetadata(idempotencyKey: request.key)
  /// switch try await store.commit(metadata, body: { try placeOrder(request, in: $0) }) {
  /// case .saved(let order, _): return order
  /// case .repeated(let receipt): return try placedOrder(in: receipt.sequence)
  /// }
  /// ```
  ///
  /// The store looks for the key before the body runs. If a transaction has the key, the body does
  /// not run. If a different machine saves such a transaction while the body runs, the result of
  /// the body is discarded. A body that changes nothing makes no transaction, so its key is not
  /// kept.
  ///
  /// On a shared log, the method can wait until the log answers:
  ///
  /// ```swift
  /// let commit = try await store.commit(waitingUpTo: .seconds(30), minimumServers: 2) { context in
  ///   try context.update(Account.self, id: 1) { $0.balance += 10 }
  /// }
  /// ```
  ///
  /// With a limit, the method saves again what is certainly not saved, as soon as the store is
  /// connected, and waits for the outcome of a save without an answer. All runs of the body have
  /// one idempotency key, which is random if the metadata contains none. So the changes are saved
  /// at most once. After the limit, the method starts no attempt. An attempt that has started ends
  /// by the time limits of the log.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the transaction.
  ///   - limit: The time to wait for a shared log; nil for one attempt.
  ///   - minimumServers: The number of servers of a shared log that must have the transaction on
  ///     disk. If the log is known to have fewer, nothing is sent, and the error is `notSaved`. If
  ///     fewer servers have the transaction after the save, the error is `notKnown`.
  ///   - isolation: The actor that the body runs on.
  ///   - body: The closure. It can run several times.
  /// - Returns: The result of the closure and the receipt of its transaction; or the receipt of the
  ///   earlier transaction with the same key.
  /// - Throws: The error of the closure, whose changes are then discarded; ``StoreError``; and
  ///   `CancellationError`, if the task is cancelled before the transaction has a number. On a
  ///   shared log, a limit or a number of servers makes the errors of the log `notSaved` or
  ///   `notKnown`. The latter is also the error if the task is cancelled while the outcome is not
  ///   known.
  public func commit<Value: Sendable>(
    _ metadata: TransactionMetadata = TransactionMetadata(), waitingUpTo limit: Duration? = nil,
    minimumServers: Int? = nil, isolation: isolated (any Actor)? = #isolation,
    body: @Sendable (EditingContext) throws -> Value
  ) async throws -> Commit<Value> {
    guard limit != nil || minimumServers != nil,
      var shared = SharedCommit(
        self, key: metadata.idempotencyKey, limit: limit ?? .zero, minimumServers: minimumServers)
    else {
      do {
        switch try await commitOnce(metadata, isolation: isolation, body: body) {
        case .known(let commit): return commit
        case .unknown(let append, _): throw StoreError(.unknown(append), path: path)
        }
      } catch let error as StoreError {
        if let pause = refusalPause(after: error) { try? await Task.sleep(for: pause) }
        throw error
      }
    }
    var metadata = metadata
    metadata.idempotencyKey = shared.key
    while true {
      try shared.checkServers()
      do {
        switch try await commitOnce(metadata, isolation: isolation, body: body) {
        case .known(let commit):
          try shared.check(commit.receipt)
          return commit
        case .unknown(let append, let value):
          guard let receipt = try await shared.receipt(of: append) else { continue }
          try shared.check(receipt)
          return .saved(value, receipt)
        }
      } catch let error as StoreError {
        try await shared.waitForConnection(after: error)
      }
    }
  }

  /// The outcome of one call of a body and its save.
  private enum CommitOutcome<Value: Sendable>: Sendable {
    case known(Commit<Value>)
    /// The save got no answer. The value is the result of the body.
    case unknown(UnknownAppend, Value)
  }

  private func commitOnce<Value: Sendable>(
    _ metadata: TransactionMetadata, isolation: isolated (any Actor)?,
    body: @Sendable (EditingContext) throws -> Value
  ) async throws -> CommitOutcome<Value> {
    while true {
      try await writeLock.lockUnlessCancelled()
      let run = run(body, metadata: metadata, isolation: isolation)
      let ending: BodyEnding
      do throws(StoreError) { ending = try await end(run) } catch {
        // Other machines have saved first, so the body runs again on the state after them.
        if isOutpaced(error) { continue }
        if case .unknown(let append) = error.reason, case .success(let value)? = run.outcome {
          return .unknown(append, value)
        }
        throw error
      }
      guard case .settled(let receipt) = ending else { continue }
      mergeNow(on: isolation)
      if let receipt, receipt.isRepeated { return .known(.repeated(receipt)) }
      guard let outcome = run.outcome else {
        preconditionFailure("a body did not run, and no transaction has its key")
      }
      return .known(.saved(try outcome.get(), receipt))
    }
  }

  /// Returns the receipt of the transaction with an idempotency key; nil if no saved transaction
  /// has the key.
  ///
  /// A save in progress is not included. The store remembers the last 100,000 keys.
  ///
  /// - Throws: ``StoreError`` with `journal`, if a transaction that may have the key is damaged.
  public func receipt(forIdempotencyKey key: String) throws(StoreError) -> Receipt? {
    let found = try core.withLock { (core) throws(StoreError) in
      try core.transaction(with: key, path: path)
    }
    guard case .saved(let sequence, let time)? = found else { return nil }
    return repeated(sequence, at: time)
  }
}
