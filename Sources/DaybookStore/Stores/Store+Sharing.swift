import DaybookJournal
import DaybookPlatform

extension Store {
  /// Opens the replica of a shared log, or creates it. All stores that share a log, on any number
  /// of machines, show the same records and save to the same journal.
  ///
  /// ```swift
  /// let log = MemorySharedLog(name: "banks")
  /// let store = try await Store(at: "banks.daybook", sharing: log.connect(), records: Bank.self)
  /// ```
  ///
  /// The file is a replica: it contains the transactions of the log, so reads never wait for it. A
  /// save is appended to the log, then written to the replica, and then acknowledged and shown. The
  /// receipt's safety is `shared`. If a different machine has saved first, the store reads its
  /// transactions, merges the save with them as contexts do, and tries again.
  ///
  /// If the log cannot be reached, an existing replica opens nevertheless. It shows its records,
  /// and each save throws an error. A background thread connects again as soon as it can; see
  /// ``sharingStatus``.
  ///
  /// The store owns the connection, and closes it.
  ///
  /// - Parameters:
  ///   - path: The path of the replica.
  ///   - log: The connection to the log.
  ///   - types: The types of the records.
  ///   - repairs: The repairs that the store performs itself, after the log has lost transactions.
  ///   - options: The options of the journal. Their durability must be `.full`, because a save is
  ///     as durable as the log. The replica itself is synced within a second.
  /// - Throws: ``StoreError``, as for opening a journal. `journal` with `sharedLog`, if there is no
  ///   replica yet and the log cannot be reached; with `notReplica`, if the file is no replica;
  ///   with `otherLog`, if the log contains a different journal. `sharedDurability`, if the options
  ///   contain a durability.
  public convenience init(
    at path: String, sharing log: any SharedLog, records types: any Record.Type...,
    repairs: RepairPolicy = .manual, options: JournalOptions = JournalOptions()
  ) async throws(StoreError) {
    try await self.init(at: path, sharing: log, types: types, repairs: repairs, options: options)
  }

  /// Opens the replica of a shared log, or creates it.
  package convenience init(
    at path: String, sharing log: any SharedLog, types: [any Record.Type],
    repairs: RepairPolicy = .manual, options: JournalOptions
  ) async throws(StoreError) {
    let link = SharedLink(
      log, repairsAutomatically: repairs == .automatic, authors: Store.authors(of:in:))
    let opening = await options.workers.value {
      Result { () throws(StoreError) in
        try OpenedReplica(at: path, link: link, types: types, options: options)
      }
    }
    let opened: OpenedReplica
    do throws(StoreError) { opened = try opening.get() } catch {
      link.close()
      throw error
    }
    try self.init(.file(opened.journal), types: types, from: opened.checkpoint)
    if options.worksInBackground { follow(link, random: options.random) }
  }

  /// A Boolean value that indicates whether the journal is a replica of a shared log.
  var isSharing: Bool { link != nil }

  private var link: SharedLink? {
    if case .file(let journal) = log { journal.link } else { nil }
  }

  /// The time on the clock of the shared log's server; nil if it is not known.
  var serverTime: JournalTime? { link?.serverTime }

  // MARK: Status

  /// The relation between the replica and its shared log; nil if the store shares no log.
  public var sharingStatus: SharingStatus? { link?.status }

  /// Returns a stream of the current sharing status and of its later changes. The stream ends when
  /// the store is closed; at once, if the store shares no log.
  public func sharingStatuses() -> AsyncStream<SharingStatus> {
    link?.statuses() ?? AsyncStream { $0.finish() }
  }

  /// Suspends until the store is connected to its shared log. If the store shares no log, the call
  /// returns at once.
  ///
  /// ```swift
  /// try await store.connected()
  /// ```
  ///
  /// A background thread connects again as soon as it can. After the log has lost transactions, the
  /// call waits for a repair, by this machine or a different one.
  ///
  /// - Throws: `CancellationError`, if the task is cancelled; ``StoreError`` with `journal`, if the
  ///   store is closed
  public func connected() async throws {
    guard isSharing else { return }
    for await status in sharingStatuses() where status == .connected { return }
    try Task.checkCancellation()
    throw StoreError(.journal(JournalError(.closed, path: path)), path: path)
  }

  /// The last restart of the replica from the base of its log, while this store was opened or after
  /// it; nil if there was none.
  ///
  /// A replica restarts if the log has dropped transactions that the replica does not have. See
  /// ``compactSharedLog(keeping:)``. Each list then receives one `reset`, and unsaved changes of
  /// contexts are discarded.
  public var replicaRestart: ReplicaRestart? { link?.restart }

  // MARK: Pulling

  /// Reads the transactions that other machines have saved, and shows them.
  ///
  /// A background thread does this shortly after a different machine has saved. A program calls the
  /// method to be sure that it sees every transaction that was saved before the call.
  ///
  /// - Returns: True if there were new transactions. A store that shares no log returns false.
  /// - Throws: ``StoreError`` with `journal`, if the log cannot be reached or does not contain the
  ///   transactions of the replica; with `schemaCollision`; and the errors of an opening, if a
  ///   transaction contains a new schema that contradicts the record types.
  @discardableResult
  public func pull() async throws(StoreError) -> Bool {
    guard case .file(let journal) = log, journal.link != nil else { return false }
    let pulling = await journal.workers.value {
      Result { () throws(StoreError) in try self.pullAndWait() }
    }
    return try pulling.get()
  }

  /// Pulls like ``pull()``, for programs without tasks: the calling thread waits for the log.
  @available(*, noasync, message: "use pull, which does not block a thread of the cooperative pool")
  @discardableResult
  public func pullAndWait() throws(StoreError) -> Bool {
    guard case .file(let journal) = log, journal.link != nil else { return false }
    let before = core.withLock { $0.absorptionCount }
    do throws(JournalError) { _ = try journal.pullAndWait() } catch {
      showAbsorbed()
      guard try repairAutomatically(after: error, in: journal) else {
        throw StoreError(.journal(error), path: path)
      }
    }
    while true {
      let (hasAbsorbed, wait) = try core.withLock { (core) throws(StoreError) in
        let hasAbsorbed = try absorb(into: &core)
        let isBehind = journal.absorbed.count != core.absorptionCount
        return (hasAbsorbed, isBehind ? core.lastInFlight : nil)
      }
      if hasAbsorbed { announce() }
      guard let wait else { break }
      settled.wait(until: wait)
    }
    return core.withLock { $0.absorptionCount } != before
  }

  // MARK: Absorbing

  /// Shows the transactions that the journal has absorbed before a call of it failed. The call does
  /// not wait for transactions in flight, because they may need a recovery.
  func showAbsorbed() {
    let hasAbsorbed = try? core.withLock { (core) throws(StoreError) in try absorb(into: &core) }
    if hasAbsorbed == true { announce() }
  }

  /// Applies the transactions of other machines to the state, if no transaction is in flight. Each
  /// saver whose transaction was withdrawn rolls it back, and the last one calls this method again.
  ///
  /// The caller announces the new state.
  ///
  /// - Returns: True if the state has changed.
  @discardableResult
  func absorb(into core: inout StoreCore) throws(StoreError) -> Bool {
    guard case .file(let journal) = log, core.inFlightCount == 0,
      journal.absorbed.count != core.absorptionCount
    else { return false }
    try replayWritten(into: &core, of: journal)
    return true
  }

  /// Applies all transactions after the state that a recovery has found.
  func absorbAll(into core: inout StoreCore, of journal: FileJournal) throws(JournalError) {
    do throws(StoreError) { try replayWritten(into: &core, of: journal) } catch {
      if case .journal(let error) = error.reason { throw error }
      // The next save absorbs again, and throws this error.
    }
  }

  private func replayWritten(
    into core: inout StoreCore, of journal: FileJournal
  ) throws(StoreError) {
    let first = core.editor.state.sequence.next
    let file = Replay.ReplayedFile(journal, from: first)
    guard file.restartCount == core.restartCount else {
      return try restart(&core, from: Replay.ReplayedFile(journal, from: 1))
    }
    try replay(file, from: first, into: &core)
  }

  /// Applies the transactions of a replica's file to a state.
  func replay(
    _ file: Replay.ReplayedFile, from first: SequenceNumber, into core: inout StoreCore
  ) throws(StoreError) {
    let path = path
    let defect: PayloadDefect?
    do throws(JournalError) {
      defect = try Replay.run(file, from: first, into: &core)
    } catch {
      throw StoreError(.journal(error), path: path)
    }
    if let defect {
      let sequence = core.editor.state.sequence.next
      if case .layout = defect.kind { throw StoreError(.schemaCollision(in: sequence), path: path) }
      throw StoreError(defect, in: sequence, path: path)
    }
    try core.adoptNewLayouts(path: path)
    core.absorptionCount = file.absorptionCount
  }

  /// Returns whether a save failed because other machines have saved first. The save is then
  /// attempted again on the state after them.
  func isOutpaced(_ error: StoreError) -> Bool {
    guard isSharing, case .journal(let error) = error.reason else { return false }
    switch error.reason {
    case .outpaced, .precedingRefused: return true
    default: return false
    }
  }

  // MARK: Background work

  /// The time between two comparisons with the log if it gives no hint, in nanoseconds.
  private static let pollNanoseconds: Int64 = 500_000_000

  /// Starts a thread that pulls after each hint of the log and from time to time, connects again,
  /// and recovers from an append without an answer. The thread does not retain the store.
  private func follow(_ link: SharedLink, random: @escaping @Sendable () -> UInt64) {
    SystemThread.detach { [weak self] in
      var seenCount: UInt64 = 0
      var delay = Store.pollNanoseconds
      var pauses = RetryPauses(from: 1_000_000_000, to: 5_000_000_000)
      while true {
        link.hints.wait(until: seenCount + 1, deadline: SystemClock.uptimeNanoseconds + delay)
        seenCount = link.hints.count
        guard let self, !link.isClosed else { return }
        if catchUpWithLog() {
          delay = Store.pollNanoseconds
          pauses.reset()
        } else {
          delay = pauses.next(random())
        }
      }
    }
  }

  /// Recovers if writing has stopped, and pulls.
  ///
  /// - Returns: False if the log could not be reached, or the replica could not be written.
  private func catchUpWithLog() -> Bool {
    guard case .file(let journal) = log else { return false }
    do throws(StoreError) {
      if journal.isStopped { try recoverAndWait() }
      try pullAndWait()
      return true
    } catch {
      return false
    }
  }
}

/// A replica that was opened, with the checkpoint that it was opened from.
//
// `@unchecked` is safe: one worker thread creates the value, and then only one task uses it.
private struct OpenedReplica: @unchecked Sendable {
  let journal: FileJournal
  private(set) var checkpoint: CheckpointFile.Opened?

  init(
    at path: String, link: SharedLink, types: [any Record.Type], options: JournalOptions
  ) throws(StoreError) {
    try RecordTypes.check(types, path: path)
    guard options.durability == .full else { throw StoreError(.sharedDurability, path: path) }
    if (try? options.disk.status(of: path)) == nil {
      // If the types are refused, no replica is left.
      var core = StoreCore()
      _ = try core.adopt(RecordTypes(types), path: path)
    }
    var checkpoint: CheckpointFile.Opened?
    do throws(JournalError) {
      journal = try FileJournal(at: path, sharing: link, options: options) { files, header, fits in
        guard options.keepsCheckpoints else { return nil }
        checkpoint = CheckpointFile.newest(beside: files, of: header, fits: fits)
        return checkpoint?.checkpoint.start
      }
    } catch {
      throw StoreError(.journal(error), path: path)
    }
    // After a restart, the checkpoint belongs to the old file.
    self.checkpoint = journal.restartCount == 0 ? checkpoint : nil
  }
}
