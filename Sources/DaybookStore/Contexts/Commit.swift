import DaybookJournal

/// The outcome of a ``Store/commit(_:isolation:body:)``.
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
  /// - Returns: The result of the closure and the receipt of its transaction; or the receipt of the
  ///   earlier transaction with the same key.
  /// - Throws: The error of the closure, whose changes are then discarded; ``StoreError``; and
  ///   `CancellationError`, if the task is cancelled before the transaction has a number.
  public func commit<Value: Sendable>(
    _ metadata: TransactionMetadata = TransactionMetadata(),
    isolation: isolated (any Actor)? = #isolation,
    body: @Sendable (EditingContext) throws -> Value
  ) async throws -> Commit<Value> {
    while true {
      try await writeLock.lockUnlessCancelled()
      let run = run(body, metadata: metadata, isolation: isolation)
      let ending: BodyEnding
      do throws(StoreError) { ending = try await end(run) } catch {
        // Other machines have saved first, so the body runs again on the state after them.
        if isOutpaced(error) { continue }
        throw error
      }
      guard case .settled(let receipt) = ending else { continue }
      mergeNow(on: isolation)
      if let receipt, receipt.isRepeated { return .repeated(receipt) }
      guard let outcome = run.outcome else {
        preconditionFailure("a body did not run, and no transaction has its key")
      }
      return .saved(try outcome.get(), receipt)
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
