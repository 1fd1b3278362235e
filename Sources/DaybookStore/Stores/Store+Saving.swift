import DaybookJournal
import DaybookPlatform

extension Store {
  /// Saves a proposal, and suspends until the transaction is as durable as the store's options
  /// require.
  ///
  /// - Returns: The receipt; nil if the records already contain everything that the proposal
  ///   changes.
  package func save(_ proposal: borrowing Proposal) async throws(StoreError) -> Receipt? {
    while true {
      do throws(StoreError) { return try await finish(try await number(proposal)) } catch {
        guard isOutpaced(error) else {
          if let pause = refusalPause(after: error) { try? await Task.sleep(for: pause) }
          throw error
        }
      }
    }
  }

  /// Saves a proposal like ``save(_:)``, for programs without tasks: the calling thread sleeps.
  @available(*, noasync)
  package func saveAndWait(_ proposal: borrowing Proposal) throws(StoreError) -> Receipt? {
    try checkOutsideWrite()
    while true {
      do throws(StoreError) { return try saveOnceAndWait(proposal) } catch {
        guard isOutpaced(error) else {
          if let pause = refusalPause(after: error) {
            SystemThread.sleep(seconds: pause / .seconds(1))
          }
          throw error
        }
      }
    }
  }

  @available(*, noasync)
  private func saveOnceAndWait(_ proposal: borrowing Proposal) throws(StoreError) -> Receipt? {
    var conditions = SaveConditions()
    var attempt = try attempt(proposal, under: conditions)
    while case .wait(let wait) = attempt {
      let (signal, count) = signal(of: wait, for: &conditions)
      signal.wait(until: count)
      attempt = try self.attempt(proposal, under: conditions)
    }
    return try complete(attempt) { (journal, append) throws(JournalError) in
      try journal.wait(for: append)
    }
  }

  /// Returns the pause before a save throws the refusal of its shared log; nil for other errors.
  func refusalPause(after error: StoreError) -> Duration? {
    guard case .file(let journal) = log, let link = journal.link,
      case .journal(let cause) = error.reason
    else { return nil }
    switch cause.reason {
    case .sharedLog, .diverged, .rewritten, .stopped:
      return .nanoseconds(link.nextRefusalPause(journal.random()))
    default: return nil
    }
  }

  /// Gives a proposal a transaction number, on the caller's actor; see ``SaveAttempt``.
  ///
  /// If the result depends on transactions in flight, or if a `write` alone may number
  /// transactions, the function suspends and tries again.
  ///
  /// The caller must pass a numbered attempt to ``finish(_:isolation:)``, because other saves may
  /// wait until it is settled.
  ///
  /// - Throws: ``StoreError`` with `cancelled`, if the task is cancelled before the proposal has a
  ///   number; and the errors of ``attempt(_:under:)``.
  func number(
    _ proposal: borrowing Proposal, under conditions: SaveConditions = SaveConditions(),
    isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> SaveAttempt {
    var conditions = conditions
    while true {
      if Task.isCancelled { throw StoreError(.cancelled, path: path) }
      let attempt = try attempt(proposal, under: conditions)
      guard case .wait(let wait) = attempt else { return attempt }
      let (signal, count) = signal(of: wait, for: &conditions)
      _ = await signal.suspendUnlessCancelled(until: count)
    }
  }

  /// Suspends until a numbered proposal is as durable as the store's options require, and then
  /// publishes it to readers. If the transaction could not be written, the function rolls it back
  /// and throws.
  ///
  /// The function publishes on the given actor. A caller that is on no actor passes nil.
  func finish(
    _ attempt: SaveAttempt, isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> Receipt? {
    var outcome: Result<AppendOutcome, JournalError>?
    if case .numbered(let append, _) = attempt, case .file(let journal) = log {
      do throws(JournalError) { outcome = .success(try await journal.value(of: append)) } catch {
        outcome = .failure(error)
      }
    }
    return try complete(attempt) { (_, append) throws(JournalError) in
      guard let outcome else { preconditionFailure("\(append.sequence) has no outcome") }
      return try outcome.get()
    }
  }

  /// Returns the signal and the count that a save waits for, and updates its conditions for the
  /// next attempt.
  private func signal(
    of wait: SaveWait, for conditions: inout SaveConditions
  ) -> (Signal, count: UInt64) {
    switch wait {
    case .settlement(let ticket):
      conditions.isLastTry = true
      return (settled, ticket)
    case .release(let hold): return (releasedHolds, hold)
    }
  }

  // MARK: Numbering

  /// Tries to number a proposal without waiting. On success the proposal has a position in the
  /// journal and is applied to the accepted state.
  ///
  /// A transaction in flight may still be rolled back. If the proposal conflicts with such a
  /// transaction, or repeats it, the result would depend on that rollback. The attempt then returns
  /// `wait`, so that the caller tries again after the transaction is settled.
  func attempt(
    _ proposal: borrowing Proposal, under conditions: SaveConditions
  ) throws(StoreError) -> SaveAttempt {
    while true {
      if let attempt = try attemptOnce(proposal, under: conditions) { return attempt }
    }
  }

  /// Makes one attempt to number a proposal.
  ///
  /// - Returns: The result; nil if the journal has absorbed transactions of other machines
  ///   meanwhile. The attempt must then be made again, on the state after them.
  private func attemptOnce(
    _ proposal: borrowing Proposal, under conditions: SaveConditions
  ) throws(StoreError) -> SaveAttempt? {
    try core.withLock { (core) throws(StoreError) in
      if let refusal = core.refusal { throw StoreError(refusal, path: path) }
      if core.isSharing {
        try absorb(into: &core)
        // The changes refer to rows in a file that was replaced.
        if let generation = proposal.generation, generation != core.restartCount {
          throw StoreError(.restarted, path: path)
        }
        // The changes name attributes by their indexes in the newest layouts at that time.
        if let count = proposal.layoutCount, count != core.catalog.layouts.count {
          throw StoreError(.schemaChanged, path: path)
        }
      }
      if let obstacle = try conditions.obstacle(in: core, path: path) { return obstacle }
      // A transaction in flight may be the cause of a refusal, and may be rolled back later. So the
      // save waits once, until all of them are settled.
      let others = conditions.isLastTry ? nil : core.lastInFlight
      if let key = proposal.metadata.idempotencyKey {
        switch try core.transaction(with: key, path: path) {
        case .inFlight(let ticket): return .wait(.settlement(ticket: ticket))
        case .saved(let sequence, let time): return .done(repeated(sequence, at: time))
        case nil: break
        }
      }
      let merge = Proposal.Merge(proposal, onto: core.editor.reader)
      let conflicts = merge.conflicts + proposal.unmetRequirements(in: core.editor.reader)
      guard conflicts.isEmpty else {
        if let others { return .wait(.settlement(ticket: others)) }
        throw StoreError(.conflict(conflicts), path: path)
      }
      let prepared =
        switch merge.other {
        case let other?: other.prepared(on: core.editor.reader)
        case nil: proposal.prepared(on: core.editor.reader)
        }
      if merge.isNothing || prepared.isNothing {
        guard let last = core.lastInFlight else { return .done(nil) }
        // The accepted state already contains these changes. Readers may not see them yet, and the
        // transaction that made them may still be rolled back.
        let isSeen = proposal.changesNothing(on: core.published().reader)
        return isSeen ? .done(nil) : .wait(.settlement(ticket: last))
      }
      let payload =
        switch prepared {
        case let prepared?: try payload(checking: prepared, on: core, isLastTry: others == nil)
        case nil:
          switch merge.other {
          case let other?: try payload(checking: other, on: core, isLastTry: others == nil)
          case nil: try payload(checking: proposal, on: core, isLastTry: others == nil)
          }
        }
      guard let payload else {
        guard let others else { preconditionFailure("the last try of a save has no result") }
        return .wait(.settlement(ticket: others))
      }
      return try append(payload, of: proposal, to: &core)
    }
  }

  /// Checks a prepared proposal against the accepted state, and creates its payload.
  ///
  /// - Returns: The payload; nil if a check refuses the proposal and this is not the last try.
  /// - Throws: ``StoreError`` with `validation` or `conflict` if the last try is refused, and the
  ///   errors of ``payload(of:on:)``
  private func payload(
    checking proposal: borrowing Proposal, on core: borrowing StoreCore, isLastTry: Bool
  ) throws(StoreError) -> [UInt8]? {
    guard proposal.isChecked else { return try payload(of: proposal, on: core) }
    if let refusal = proposal.refusal(on: core.editor.reader) {
      guard isLastTry else { return nil }
      throw StoreError(refusal, path: path)
    }
    return try payload(of: proposal, on: core)
  }

  /// Creates the payload of a proposal that has passed all checks.
  private func payload(
    of proposal: borrowing Proposal, on core: borrowing StoreCore
  ) throws(StoreError) -> [UInt8] {
    guard proposal.newCreationCount <= Layout.creationMax - (core.editor.state.nextCreation - 1)
    else {
      throw StoreError(.noCreationNumbers, path: path)
    }
    let payload = proposal.payload(on: core.editor.reader, layouts: core.layoutsToTell)
    guard payload.count <= Frame.payloadByteCountMax else {
      throw StoreError(.transactionTooLarge(byteCount: payload.count), path: path)
    }
    try core.editor.reader.checkReadable(payload, path: path)
    return payload
  }

  /// Adds a payload to the journal's forming group, and applies it to the accepted state. A journal
  /// in memory contains the payload at once, so the function publishes it too.
  ///
  /// - Returns: The result; nil if the journal has absorbed transactions of other machines that the
  ///   state does not contain yet.
  private func append(
    _ payload: [UInt8], of proposal: borrowing Proposal, to core: inout StoreCore
  ) throws(StoreError) -> SaveAttempt? {
    let key = proposal.metadata.idempotencyKey
    do throws(JournalError) {
      switch log {
      case .following, .reading: break
      case .memory(let journal):
        let outcome = try journal.appendAndWait(payload, at: proposal.time, expecting: nil)
        guard case .appended(let receipt) = outcome else {
          preconditionFailure("a journal in memory returned \(outcome)")
        }
        let location = core.store(
          payload.span.bytes, sequence: receipt.sequence, time: receipt.time)
        _ = core.add(
          NumberedTransaction(
            payload: payload, location: location, sequence: receipt.sequence, time: receipt.time,
            key: key, isTogether: false))
        core.publish(through: receipt.sequence) { _ in nil }
        return .done(receipt)
      case .file(let journal):
        switch try journal.enqueue(
          payload, at: proposal.time, expecting: core.editor.state.sequence,
          afterAbsorptions: core.absorptionCount)
        {
        case .success(let append):
          let location =
            core.readsFile
            ? RowLocation(rawValue: append.payloadOffset)
            : core.store(payload.span.bytes, sequence: append.sequence, time: append.time)
          let ticket = core.add(
            NumberedTransaction(
              payload: payload, location: location, sequence: append.sequence, time: append.time,
              key: key, isTogether: append.isTogether))
          return .numbered(append, ticket: ticket)
        case .failure(let conflict):
          // The journal refused because its last number differs: it has dropped a failed group that
          // the store has not rolled back yet. Or it has absorbed transactions of other machines.
          if let refused = core.lastInFlight { return .wait(.settlement(ticket: refused)) }
          // The number of absorptions only increases. So if it is still that of the state, the
          // journal has no transaction that the state lacks, and a further attempt would not end.
          let absorptionCount = journal.absorbed.count
          precondition(
            absorptionCount != core.absorptionCount,
            "the journal is at transaction \(conflict.head.sequence), but the store at \(core.editor.state.sequence), both after \(absorptionCount) absorptions"
          )
          return nil
        }
      }
    } catch { throw StoreError(.journal(error), path: path) }
    throw StoreError(.readOnly, path: path)
  }

  /// Returns the receipt of an earlier transaction with the same idempotency key. That transaction
  /// may be visible to readers and not synced yet, so the receipt states its safety.
  func repeated(_ sequence: SequenceNumber, at time: JournalTime) -> Receipt {
    var safety = Receipt.Safety.durable
    if case .file(let journal) = log {
      if let link = journal.link {
        safety = link.safety
      } else if journal.head.sequence < sequence {
        safety = .written
      }
    }
    return Receipt(repeating: sequence, time: time, safety: safety)
  }

  // MARK: Settling

  /// Ends a save: publishes its transaction to readers, or rolls it back if it could not be
  /// written.
  ///
  /// - Parameter finish: A closure that returns the outcome of the append.
  func complete(
    _ attempt: SaveAttempt,
    by finish: (FileJournal, PendingAppend) throws(JournalError) -> AppendOutcome
  ) throws(StoreError) -> Receipt? {
    switch attempt {
    case .wait, .outdated: preconditionFailure("the finished save has no transaction number")
    case .done(let receipt):
      announce()
      return receipt
    case .numbered(let append, let ticket):
      guard case .file(let journal) = log else {
        preconditionFailure("the saved store has no file")
      }
      let outcome: AppendOutcome
      do throws(JournalError) { outcome = try finish(journal, append) } catch {
        rollBack(from: ticket)
        throw StoreError(.journal(error), path: path)
      }
      switch outcome {
      case .appended(let receipt):
        // The first saver of a group publishes the whole group. The other savers of the group then
        // have nothing to publish.
        if !core.hasPublished(receipt.sequence) { publish(through: receipt.sequence, of: journal) }
        return receipt
      case .conflict(let head): preconditionFailure("unexpected conflict at \(head)")
      case .unknown(let unknown):
        rollBack(from: ticket)
        throw StoreError(.unknown(unknown), path: path)
      }
    }
  }

  /// Publishes a transaction, all before it, and all that are durable already, and wakes the tasks
  /// and threads that wait for them.
  private func publish(through sequence: SequenceNumber, of journal: FileJournal) {
    let (settledTicket, asks, end) = core.withLock { core in
      if core.isInFlight(sequence) {
        let restartCount = core.restartCount
        // In a shared store, transactions in flight can be withdrawn, and absorbed transactions can
        // have their numbers. So only the numbers of acknowledged transactions are safe.
        core.publish(through: core.isSharing ? sequence : max(sequence, journal.head.sequence)) {
          journal.mapped(through: $0, after: restartCount)
        }
      }
      // A failure is thrown by the next save.
      if core.isSharing { _ = try? absorb(into: &core) }
      // The readers that are woken below read this state first. Creating it here means that none of
      // them must create it.
      _ = core.published()
      return (core.settledTicket, core.asksForMerge(), core.fileByteCount)
    }
    settled.increase(to: settledTicket)
    publications.increase()
    if asks { mergeLater() }
    storeCheckpoint(at: end)
  }

  /// Rolls back a transaction that could not be written, and all transactions after it.
  private func rollBack(from ticket: UInt64) {
    let (settledTicket, hasAbsorbed) = core.withLock { core in
      _ = core.rollBack(from: ticket)
      let hasAbsorbed = core.isSharing && (try? absorb(into: &core)) == true
      return (core.settledTicket, hasAbsorbed)
    }
    settled.increase(to: settledTicket)
    if hasAbsorbed { announce() }
  }
}
