import DaybookJournal
import DaybookPlatform

extension Store {
  /// Changes records in a context of its own, and saves them.
  ///
  /// ```swift
  /// try await store.write { try $0.update(Account.self, id: id) { $0.balance += 10 } }
  /// ```
  ///
  /// Bodies run one after the other, in the order in which `write` was called, and each reads the newest state:
  /// what the body before it has changed, whether that is durable yet or not. So no update is lost, with any number of
  /// tasks, and what a body reads, also a set of records, is what its changes are made to. Only the body runs alone:
  /// many writes are made durable by one sync.
  ///
  /// A context may save while a body runs. Then the body runs once more, in another new context, and every
  /// other save of the store waits until it has ended. So it may run twice, and should do nothing but read
  /// and change its context. It cannot save and wait itself, by any store's `saveAndWait` or `insertAndWait`.
  ///
  /// The result, or the error that the body throws, is returned when everything that the body has read is as durable as
  /// the store's durability says. If a transaction that it has read cannot be written, this write fails too.
  ///
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure, which then has changed nothing; ``StoreError``; and `CancellationError`,
  ///   if the task is cancelled before the body runs.
  @discardableResult
  public func write<Value: Sendable>(
    _ metadata: TransactionMetadata = TransactionMetadata(),
    isolation: isolated (any Actor)? = #isolation,
    body: @Sendable (EditingContext) throws -> Value
  ) async throws -> Value {
    try await writeLock.lockUnlessCancelled()
    let run = run(body, metadata: metadata, isolation: isolation)
    switch run.attempt {
    case .numbered:
      // On no actor: a thread of the caller's actor may sleep until this is shown, in a save of another context.
      _ = try await finish(run.attempt, isolation: nil)
    case .done(let receipt):
      try await waitUntilSettled(run.read)
      if receipt != nil { announce() }
    case .wait, .outdated: try await waitUntilSettled(run.read)
    }
    mergeNow(on: isolation)
    return try run.outcome.get()
  }

  /// A body that has run, and whose changes have their number if it has made any.
  private struct BodyRun<Value> {
    var outcome: Result<Value, any Error>
    var attempt = SaveAttempt.done(nil)
    /// The state that it has read.
    var read: AcceptedMark
  }

  /// Runs a body with the write lock, which is released when its changes have their number.
  private func run<Value>(
    _ body: (EditingContext) throws -> Value, metadata: TransactionMetadata,
    isolation: (any Actor)?
  ) -> BodyRun<Value> {
    defer { writeLock.unlock() }
    let first = runOnce(
      body, metadata: metadata, isolation: isolation, holdsNumbering: false)
    guard case .outdated = first.attempt else { return first }
    core.withLock { $0.numberingHold.begin() }
    defer {
      let hold = core.withLock { core in
        core.numberingHold.end()
        return core.numberingHold.count
      }
      releasedHolds.increase(to: hold)
    }
    while true {
      // Only a recovery can change the state meanwhile.
      let next = runOnce(
        body, metadata: metadata, isolation: isolation, holdsNumbering: true)
      guard case .outdated = next.attempt else { return next }
    }
  }

  private func runOnce<Value>(
    _ body: (EditingContext) throws -> Value, metadata: TransactionMetadata,
    isolation: (any Actor)?, holdsNumbering: Bool
  ) -> BodyRun<Value> {
    let (base, read) = core.withLock { ($0.accepted(), $0.acceptedMark) }
    do {
      let context = EditingContext(
        self, base: base, isolation: ContextIsolation(isolation, madeAt: .line(#fileID, #line)))
      context.metadata = metadata
      let value = try WriteBody.run { try body(context) }
      guard let proposal = try context.takeUnsaved() else {
        return BodyRun(outcome: .success(value), read: read)
      }
      let attempt = try attempt(
        proposal,
        under: SaveConditions(basis: .state(read, holdsNumbering: holdsNumbering), isLastTry: true))
      return BodyRun(outcome: .success(value), attempt: attempt, read: read)
    } catch {
      return BodyRun(outcome: .failure(error), read: read)
    }
  }

  /// Suspends until no transaction of a state can be taken back any more.
  ///
  /// - Throws: ``StoreError`` with `journal` and `precedingRefused`, if one was.
  private func waitUntilSettled(
    _ read: AcceptedMark, isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) {
    guard let last = read.last else { return }
    await settled.suspend(until: last.ticket)
    try read.checkKept(path: path)
  }

  /// Refuses a save that would make the body of a write wait for itself.
  ///
  /// - Throws: ``StoreError`` with `duringWrite`
  func checkOutsideWrite() throws(StoreError) {
    guard !WriteBody.isRunning else { throw StoreError(.duringWrite, path: path) }
  }
}

/// The body of a write, which runs on one thread from its beginning to its end.
private enum WriteBody {
  private static let flag = ThreadFlag()

  /// A Boolean value that indicates whether the current thread runs the body of a write.
  static var isRunning: Bool { flag.isSet }

  static func run<Value>(_ body: () throws -> Value) rethrows -> Value {
    flag.isSet = true
    defer { flag.isSet = false }
    return try body()
  }
}
