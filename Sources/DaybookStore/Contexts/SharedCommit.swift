import DaybookJournal

/// A commit on a shared log that waits for the log, or requires a number of servers.
struct SharedCommit {
  private let store: Store
  private let journal: FileJournal
  private let link: SharedLink
  /// The idempotency key of all runs.
  let key: String
  private let minimumServers: Int?
  private let deadline: ContinuousClock.Instant
  private var pauses = RetryPauses(from: 20_000_000, to: 1_000_000_000)

  /// Creates a commit; nil if the store shares no log.
  ///
  /// - Parameters:
  ///   - key: The idempotency key; nil for a random one.
  ///   - limit: The time from now on. More than a hundred years count as a hundred years.
  init?(_ store: Store, key: String?, limit: Duration, minimumServers: Int?) {
    guard case .file(let journal) = store.log, let link = journal.link else { return nil }
    (self.store, self.journal, self.link) = (store, journal, link)
    let random = journal.random
    self.key = key ?? "\(JournalIdentity(high: random(), low: random()))"
    self.minimumServers = minimumServers
    deadline = .now + min(max(limit, .zero), .seconds(3_155_760_000))
  }

  private var isOver: Bool { ContinuousClock.now >= deadline }

  // MARK: Waiting

  /// Suspends for a pause, or until the store is connected if it was not.
  ///
  /// - Returns: False if the time is over. The method has then not suspended.
  /// - Throws: `CancellationError`; ``StoreError`` with `journal`, if the store is closed.
  private mutating func pause() async throws -> Bool {
    let rest = ContinuousClock.now.duration(to: deadline)
    guard rest > .zero else { return false }
    let pause = min(rest, .nanoseconds(pauses.next(journal.random())))
    guard store.sharingStatus != .connected else {
      try await Task.sleep(for: pause)
      return true
    }
    try await withThrowingTaskGroup(of: Void.self) { [store] group in
      group.addTask { try await Task.sleep(for: pause) }
      group.addTask { try await store.connected() }
      defer { group.cancelAll() }
      try await group.next()
    }
    return true
  }

  /// Suspends before the next attempt, after an error.
  ///
  /// - Throws: The error, if a next attempt would fail too; ``StoreError`` with `notSaved`, if the
  ///   log refuses the save or the time is over; `CancellationError`.
  mutating func waitForConnection(after error: StoreError) async throws {
    guard case .journal(let cause) = error.reason else { throw error }
    switch cause.reason {
    case .sharedLog(let failure):
      guard case .unavailable = failure.reason, try await pause() else { throw notSaved(failure) }
    // The next pull repairs the log.
    case .diverged(let divergence)
    where link.repairsAutomatically && journal.canAppendAgain(divergence):
      guard try await pause() else { throw error }
    default: throw error
    }
    await catchUp()
  }

  /// Resolves an append without an answer, as the background thread of the store does later. While
  /// there is one, the store saves nothing.
  private func catchUp() async {
    _ = try? await store.recover()
    _ = try? await store.pull()
  }

  /// Waits for the outcome of a save without an answer.
  ///
  /// - Returns: The receipt; nil if the save is certainly not in the log, and time is left.
  /// - Throws: ``StoreError`` with `notKnown`, if the time is over or the task is cancelled; with
  ///   `notSaved`, if the time is over and the save is certainly not in the log.
  mutating func receipt(of append: UnknownAppend) async throws(StoreError) -> Receipt? {
    while true {
      if let isIncluded = store.isIncluded(append) {
        if isIncluded { return append.receipt(link.safety) }
        if isOver { throw notSaved(.unavailable("it has not answered in time")) }
        return nil
      }
      // After the log has dropped its history, only the key shows that it contains the save.
      if (try? store.receipt(forIdempotencyKey: key)) != nil { return append.receipt(link.safety) }
      guard (try? await pause()) == true else {
        throw notKnown(append.sequence, checksum: append.checksum)
      }
      await catchUp()
    }
  }

  // MARK: Servers

  /// Checks that the log has enough servers, as far as it knows them.
  ///
  /// - Throws: ``StoreError`` with `notSaved`
  func checkServers() throws(StoreError) {
    guard let minimumServers, let count = link.serverCount, count < minimumServers else { return }
    let servers = "\(count) \(count == 1 ? "server" : "servers")"
    throw notSaved(
      .refused("it stores a transaction on \(servers), and the save requires \(minimumServers)"))
  }

  /// Checks that enough servers have a transaction; nil if nothing was saved.
  ///
  /// - Throws: ``StoreError`` with `notKnown`
  func check(_ receipt: Receipt?) throws(StoreError) {
    guard let minimumServers, let receipt, case .shared(let serverCount) = receipt.safety,
      serverCount < minimumServers
    else { return }
    throw notKnown(receipt.sequence, checksum: receipt.checksum)
  }

  // MARK: Errors

  private func notSaved(_ error: SharedLogError) -> StoreError {
    StoreError(.notSaved(error), path: store.path)
  }

  private func notSaved(_ reason: SharedLogError.Reason) -> StoreError {
    notSaved(SharedLogError(reason, log: link.name))
  }

  /// - Parameter checksum: The checksum that ends the transaction's frame; nil for a repeated save.
  private func notKnown(_ sequence: SequenceNumber, checksum: UInt64?) -> StoreError {
    let published = store.core.published()
    let checksum = checksum ?? store.moment(after: sequence, before: published)?.moment.checksum
    return StoreError(
      .notKnown(
        PendingOutcome(
          log: link.name, idempotencyKey: key, journal: journal.identity,
          number: sequence.rawValue, checksum: checksum ?? 0)), path: store.path)
  }
}
