import DaybookJournal

extension Store {
  /// Saves a proposal, and suspends until it is as durable as the store's durability says.
  ///
  /// - Returns: The receipt, or nil if others had saved the same already.
  package func save(_ proposal: consuming Proposal) async throws(StoreError) -> Receipt? {
    let save = EnlistedSave(self, proposal)
    var conditions = NumberingConditions()
    var begun: BegunSave
    // Given its number and place by the thread that leads the journal, if one does.
    if case .file(let journal) = log, await journal.enlist(save) {
      begun = try save.takeOutcome()
    } else {
      begun = try begin(save.proposal, under: conditions)
    }
    while let wait = begun.wait {
      await self.wait(for: wait)
      conditions = conditions.following(wait)
      begun = try begin(save.proposal, under: conditions)
    }
    // What that thread was given is settled by now, and who leads need not wait for anybody.
    if case .onTheWay(let append, let ticket) = begun, case .file(let journal) = log,
      append.hasVerdict
    {
      return try settle(ticket, journal) { () throws(JournalError) in
        try journal.finishAtOnce(append) { core.foldNumbered() }
      }
    }
    return try await finish(begun)
  }

  /// A save that is begun by the thread that leads.
  //
  // Shared state: `begun` is written by that thread before whoever enlisted the save is resumed, and taken by them
  // behind that.
  private final class EnlistedSave: EnlistedAppend, @unchecked Sendable {
    private let store: Store
    let proposal: Proposal
    private var begun: Result<BegunSave, StoreError>?

    init(_ store: Store, _ proposal: consuming Proposal) {
      self.store = store
      self.proposal = proposal
    }

    func begin() -> BegunAppend? {
      do throws(StoreError) {
        let begun = try store.begin(
          proposal, under: NumberingConditions(isWrittenAtOnce: true))
        self.begun = .success(begun)
        if case .onTheWay(let append, _) = begun { return append }
      } catch {
        begun = .failure(error)
      }
      return nil
    }

    /// Hands over what came of it.
    func takeOutcome() throws(StoreError) -> BegunSave {
      guard let begun = begun.take() else {
        preconditionFailure("an enlisted save is settled that has not begun")
      }
      return try begun.get()
    }
  }

  /// Gives a proposal its number and place, on the caller's actor, behind others that are on their way if it depends on
  /// them.
  ///
  /// What is on its way must be finished, by whoever began it.
  ///
  /// - Parameters:
  ///   - takeBackCount: How often transactions may have been taken back; nil if that does not matter.
  ///   - isWrittenAtOnce: Whether it is written although nobody may come to finish it for a while.
  func begun(
    _ proposal: borrowing Proposal, afterTakeBacks takeBackCount: Int? = nil,
    isWrittenAtOnce: Bool = false,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> BegunSave {
    var conditions = NumberingConditions(
      takeBackCount: takeBackCount, isWrittenAtOnce: isWrittenAtOnce)
    var begun = try begin(proposal, under: conditions)
    while let wait = begun.wait {
      await self.wait(for: wait)
      conditions = conditions.following(wait)
      begun = try begin(proposal, under: conditions)
    }
    return begun
  }

  /// Suspends until a proposal that has its number is as durable as the store's durability says, and shows it to
  /// readers on the caller's actor.
  func finish(
    _ begun: BegunSave, isolation: isolated (any Actor)? = #isolation
  ) async throws(StoreError) -> Receipt? {
    switch begun {
    case .behind, .afterTakeBack, .overtaken:
      preconditionFailure("a save goes on that has not begun")
    case .done(let receipt):
      announce()
      return receipt
    case .onTheWay(let begun, let ticket):
      guard case .file(let journal) = log else { preconditionFailure("a save without a file") }
      let outcome: Result<AppendOutcome, JournalError>
      do throws(JournalError) {
        outcome = .success(try await journal.finish(begun) { core.foldNumbered() })
      } catch {
        outcome = .failure(error)
      }
      return try settle(outcome, ticket, journal)
    }
  }

  /// ``save(_:)`` for programs without tasks: the thread sleeps.
  @available(*, noasync)
  package func saveAndWait(_ proposal: borrowing Proposal) throws(StoreError) -> Receipt? {
    try checkOutsideWrite()
    var conditions = NumberingConditions()
    var begun = try begin(proposal, under: conditions)
    while let wait = begun.wait {
      sleep(for: wait)
      conditions = conditions.following(wait)
      begun = try begin(proposal, under: conditions)
    }
    switch begun {
    case .behind, .afterTakeBack, .overtaken:
      preconditionFailure("a save goes on that has not begun")
    case .done(let receipt):
      announce()
      return receipt
    case .onTheWay(let begun, let ticket):
      guard case .file(let journal) = log else { preconditionFailure("a save without a file") }
      return try settle(ticket, journal) { () throws(JournalError) in
        try journal.finishAndWait(begun) { core.foldNumbered() }
      }
    }
  }

  /// Gives a proposal its number and place. It is folded into the accepted state before anybody looks at that.
  ///
  /// What is on its way may be taken back, so nobody is told because of it that something is saved,
  /// however often that makes them wait.
  func begin(
    _ proposal: borrowing Proposal, under conditions: NumberingConditions
  ) throws(StoreError) -> BegunSave {
    try core.withLock { (core) throws(StoreError) in
      if let obstacle = try conditions.obstacle(in: core, path: path) { return obstacle }
      let proposed = try payload(of: proposal, in: &core, isLastTry: conditions.isLastTry)
      switch consume proposed {
      case .nothing(let begun): return begun
      case .payload(let payload):
        return try append(
          payload, of: proposal, to: &core, isWrittenAtOnce: conditions.isWrittenAtOnce)
      }
    }
  }

  /// What a proposal comes to.
  private enum ProposedPayload: ~Copyable {
    case payload([UInt8])
    /// There is nothing to write, or not now.
    case nothing(BegunSave)
  }

  /// Makes the payload of a proposal.
  private func payload(
    of proposal: borrowing Proposal, in core: inout StoreCore, isLastTry: Bool
  ) throws(StoreError) -> ProposedPayload {
    let others = isLastTry ? nil : core.lastOnTheWay
    if let key = proposal.metadata.idempotencyKey {
      switch try core.transaction(with: key, path) {
      case .onTheWay(let ticket): return .nothing(.behind(.settlement(ticket: ticket)))
      case .saved(let sequence, let time): return .nothing(.done(repeated(sequence, time)))
      case nil: break
      }
    }
    let merge = Proposal.Merge(proposal, onto: core)
    let conflicts = merge.conflicts + proposal.unmetRequirements(in: core)
    guard conflicts.isEmpty else {
      if let others { return .nothing(.behind(.settlement(ticket: others))) }
      throw StoreError(.conflict(conflicts), path: path)
    }
    if merge.isNothing {
      guard let last = core.lastOnTheWay else { return .nothing(.done(nil)) }
      // Others have saved the same: if not those that can be seen, those that may be taken back.
      let shown = core.shown()
      let seen = Proposal.Merge(proposal, onto: shown)
      let isSeen = seen.isNothing && seen.conflicts.isEmpty
      return .nothing(isSeen ? .done(nil) : .behind(.settlement(ticket: last)))
    }
    if proposal.isChecked {
      let refusal =
        switch merge.other {
        case let other?: other.refusal(on: core)
        case nil: proposal.refusal(on: core)
        }
      if let refusal {
        if let others { return .nothing(.behind(.settlement(ticket: others))) }
        throw StoreError(refusal, path: path)
      }
    }
    switch merge.other {
    case let other?: return .payload(try payload(of: other, core))
    case nil: return .payload(try payload(of: proposal, core))
    }
  }

  /// Makes the payload of a proposal that fits the state of now.
  private func payload(
    of proposal: borrowing Proposal, _ core: borrowing StoreCore
  ) throws(StoreError) -> [UInt8] {
    guard proposal.newCreationCount <= Layout.creationMax - (core.state.nextCreation - 1) else {
      throw StoreError(.noCreationNumbers, path: path)
    }
    let payload = proposal.payload(on: core, layouts: core.layoutsToTell)
    guard payload.count <= Frame.payloadByteCountMax else {
      throw StoreError(.transactionTooLarge(byteCount: payload.count), path: path)
    }
    try core.checkReadable(payload, path)
    return payload
  }

  /// Gives a payload its number and place. It is folded into the accepted state before anybody looks at that: at
  /// once, or by whoever writes it while the disk is busy.
  private func append(
    _ payload: [UInt8], of proposal: borrowing Proposal, to core: inout StoreCore,
    isWrittenAtOnce: Bool
  ) throws(StoreError) -> BegunSave {
    switch log {
    case .following, .reading: throw StoreError(.readOnly, path: path)
    case .memory(let journal):
      let outcome: AppendOutcome
      do throws(JournalError) {
        outcome = try journal.appendAndWait(payload, at: proposal.time, expecting: nil)
      } catch { throw StoreError(.journal(error), path: path) }
      guard case .appended(let receipt) = outcome else {
        preconditionFailure("a journal in memory answered \(outcome)")
      }
      let location = core.keep(
        payload.span.bytes, sequence: receipt.sequence, time: receipt.time)
      let numbered = NumberedTransaction(
        payload: payload, location: location, sequence: receipt.sequence, time: receipt.time,
        key: proposal.metadata.idempotencyKey, isTogether: false)
      _ = core.add(numbered)
      core.settle(through: receipt.sequence) { _ in nil }
      return .done(receipt)
    case .file(let journal):
      let begun: BegunAppend
      do throws(JournalError) {
        // If the journal has taken back one that is still on its way here, what was just made
        // follows a transaction that will not be.
        switch try journal.begin(
          payload, at: proposal.time, expecting: core.state.sequence,
          isWrittenAtOnce: isWrittenAtOnce)
        {
        case .success(let append): begun = append
        case .failure(let conflict):
          guard let refused = core.lastOnTheWay else {
            preconditionFailure(
              "the journal is at \(conflict.head.sequence), and the store at \(core.state.sequence)"
            )
          }
          return .behind(.settlement(ticket: refused))
        }
      } catch { throw StoreError(.journal(error), path: path) }
      let location =
        core.readsFile
        ? RowLocation(rawValue: begun.payloadOffset)
        : core.keep(payload.span.bytes, sequence: begun.sequence, time: begun.time)
      let numbered = NumberedTransaction(
        payload: payload, location: location, sequence: begun.sequence, time: begun.time,
        key: proposal.metadata.idempotencyKey, isTogether: begun.isTogether)
      // Who writes it has time for that once the disk is busy.
      let ticket = core.add(numbered, isFoldedLater: begun.hasLead)
      return .onTheWay(begun, ticket: ticket)
    }
  }

  /// The receipt of a transaction for whoever asks for the same again. What is shown may not be synced yet.
  private func repeated(_ sequence: SequenceNumber, _ time: JournalTime) -> Receipt {
    var isDurable = true
    if case .file(let journal) = log { isDurable = journal.head.sequence >= sequence }
    return Receipt(
      repeating: sequence, time: time, safety: isDurable ? .durable : .written)
  }

  /// Finishes an append, and shows it to readers or takes it back.
  private func settle(
    _ ticket: UInt64, _ journal: FileJournal, _ finish: () throws(JournalError) -> AppendOutcome
  ) throws(StoreError) -> Receipt {
    let outcome: Result<AppendOutcome, JournalError>
    do throws(JournalError) { outcome = .success(try finish()) } catch {
      outcome = .failure(error)
    }
    return try settle(outcome, ticket, journal)
  }

  /// Shows a transaction to readers, or takes it back.
  private func settle(
    _ outcome: Result<AppendOutcome, JournalError>, _ ticket: UInt64, _ journal: FileJournal
  ) throws(StoreError) -> Receipt {
    switch outcome {
    case .success(.appended(let receipt)):
      // Whoever comes first shows all that was written together, and the others have nothing to do.
      if !core.hasShown(receipt.sequence) { show(through: receipt.sequence, journal) }
      return receipt
    case .success(.unknown(let append)):
      takeBack(from: ticket)
      throw StoreError(.unknown(append), path: path)
    case .success(.conflict(let head)): preconditionFailure("a conflict at \(head)")
    case .failure(let error):
      takeBack(from: ticket)
      throw StoreError(.journal(error), path: path)
    }
  }

  /// Shows readers a transaction and what was written together with it, and says so to all who wait for that.
  private func show(through sequence: SequenceNumber, _ journal: FileJournal) {
    let (settledTicket, asks, end) = core.withLock { core in
      if core.isOnTheWay(sequence) {
        core.settle(through: max(sequence, journal.head.sequence)) {
          journal.file.mapped(through: $0)
        }
      }
      // Whoever waits for this looks next, and finds it made.
      _ = core.shown()
      return (core.settledTicket, core.asksForMerge(), core.fileByteCount)
    }
    settled.increase(to: settledTicket)
    shownWaiters.increase()
    if asks { mergeLater() }
    keepCheckpoint(at: end)
  }

  /// Takes back a transaction that could not be written, and all behind it.
  private func takeBack(from ticket: UInt64) {
    settled.increase(to: core.withLock { $0.takeBack(from: ticket) })
  }
}
