extension FileJournal {
  /// The last durable transaction.
  public var head: JournalHead { state.withLock { $0.durable.head } }

  /// The last numbered transaction, durable or not yet.
  public var acceptedHead: JournalHead { state.withLock { $0.accepted.head } }

  /// What the journal has done since it was opened.
  public var statistics: AppendStatistics { state.withLock { $0.statistics } }

  /// Appends a transaction, and suspends until it is as durable as the journal's options say.
  ///
  /// - Parameters:
  ///   - payload: From 1 byte to 1 GiB.
  ///   - time: When it happened; nil for now. One before the last transaction's is raised to that.
  ///   - expected: The accepted head that the transaction was made for; nil if any will do.
  /// - Throws: ``JournalError``, if the transaction is known not to have been appended: `diskFull`,
  ///   `stopped`, `closed`, `replaced`, `cutShort`, `payloadEmpty`, `payloadTooLarge`,
  ///   `precedingRefused`.
  /// - Complexity: O(*n*) in the size of the payload, and one sync shared with others.
  public func append(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) async throws(JournalError) -> AppendOutcome {
    try check(payload)
    let time = time ?? options.clock.now
    // Set by the closure below before this function goes on, and by nobody else.
    nonisolated(unsafe) var numbering = AppendState.Numbering.refused(.closed)
    let verdict = await withUnsafeContinuation { continuation in
      let verdict = state.withLock { state -> AppendVerdict? in
        numbering = state.number(payload, at: time, expecting: expected)
        // What has no number waits for nobody, and the outcome does not look at its settlement.
        guard case .accepted = numbering else { return .settled(.done(.written)) }
        return state.leadOrWait(.task(continuation))
      }
      if let verdict { continuation.resume(returning: verdict) }
    }
    return try outcome(numbering, settlement(of: verdict))
  }

  /// ``append(_:at:expecting:)`` for programs without tasks: the thread sleeps.
  ///
  /// A task must not call it: the threads that tasks run on are few, and the append that this one
  /// waits for may be a task's.
  @available(*, noasync, message: "use append, so that no thread sleeps that tasks need")
  public func appendAndWait(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) throws(JournalError) -> AppendOutcome {
    try check(payload)
    let time = time ?? options.clock.now
    var sleeper: SleepingThread?
    let (numbering, verdict) = state.withLock {
      state -> (AppendState.Numbering, AppendVerdict?) in
      let numbering = state.number(payload, at: time, expecting: expected)
      guard case .accepted = numbering else { return (numbering, .settled(.done(.written))) }
      let verdict = state.leadOrWait(SleepingThread.waiter(&sleeper))
      return (numbering, verdict)
    }
    return try outcome(numbering, settlement(of: verdict ?? FileJournal.sleep(sleeper)))
  }

  /// Appends several transactions in one group: one write and one sync for all of them, in order
  /// and without another's between them.
  ///
  /// - Throws: ``JournalError`` if the transactions are known not to have been appended: all or
  ///   none are.
  package func appendAndWait(
    together payloads: [[UInt8]], at time: JournalTime? = nil
  ) throws(JournalError) -> [AppendOutcome] {
    for payload in payloads { try check(payload) }
    let time = time ?? options.clock.now
    var sleeper: SleepingThread?
    let (numberings, verdict) = state.withLock {
      state -> ([AppendState.Numbering], AppendVerdict?) in
      let numberings = payloads.map { state.number($0, at: time, expecting: nil) }
      guard case .accepted = numberings.first else {
        return (numberings, .settled(.done(.written)))
      }
      return (numberings, state.leadOrWait(SleepingThread.waiter(&sleeper)))
    }
    let settlement = settlement(of: verdict ?? FileJournal.sleep(sleeper))
    var outcomes: [AppendOutcome] = []
    for numbering in numberings { outcomes.append(try outcome(numbering, settlement)) }
    return outcomes
  }

  /// Makes durable what has been accepted, whatever the journal's durability.
  ///
  /// - Throws: ``JournalError`` with `stopped` if the sync fails: what was not durable is then
  ///   unknown.
  public func sync() async throws(JournalError) { try await perform(.sync) }

  /// ``sync()`` for programs without tasks: the thread sleeps.
  @available(*, noasync, message: "use sync, so that no thread sleeps that tasks need")
  public func syncAndWait() throws(JournalError) { try perform(.sync) }

  private static func sleep(_ sleeper: SleepingThread?) -> AppendVerdict {
    guard let sleeper else { preconditionFailure("a waiter has nothing to wait for") }
    return sleeper.sleep()
  }

  // MARK: In two steps

  /// Gives a payload its number and its place, and leaves the writing to ``finish(_:whileSyncing:)``.
  ///
  /// What has begun must be finished, by whoever began it: others may be waiting behind it. The
  /// caller may do a little in between that must be done in the order of the numbers.
  ///
  /// - Parameter isWrittenAtOnce: Whether it is written, by another thread, although nobody may come to finish it for
  ///   a while.
  /// - Returns: The append, or the accepted head if that is not the one expected.
  package func begin(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil,
    isWrittenAtOnce: Bool = false
  ) throws(JournalError) -> Result<BegunAppend, AppendConflict> {
    try check(payload)
    let time = time ?? options.clock.now
    let latch = AppendLatch()
    let (numbering, offset, hasLead) = state.withLock {
      state -> (AppendState.Numbering, UInt64, Bool) in
      let offset = state.accepted.endOffset
      let numbering = state.number(payload, at: time, expecting: expected)
      guard case .accepted = numbering else { return (numbering, offset, false) }
      if isWrittenAtOnce { return (numbering, offset, state.wait(.latch(latch))) }
      guard case .lead? = state.leadOrWait(.latch(latch)) else { return (numbering, offset, false) }
      return (numbering, offset, true)
    }
    switch numbering {
    case .accepted(let numbered):
      if hasLead { isWrittenAtOnce ? handLeadOn() : latch.open(.lead) }
      return .success(
        BegunAppend(
          numbered: numbered, payloadOffset: offset + UInt64(Frame.headerByteCount),
          hasLead: hasLead && !isWrittenAtOnce, latch: latch))
    case .conflict(let head): return .failure(AppendConflict(head: head))
    case .refused(let reason): throw JournalError(reason, path: path)
    }
  }

  /// Suspends until an append that has begun is as durable as the journal's options say.
  ///
  /// - Parameter whileSyncing: Called while the disk is busy with it, if it is the caller who has it synced.
  package func finish(
    _ begun: BegunAppend, whileSyncing: () -> Void = {}
  ) async throws(JournalError) -> AppendOutcome {
    let settlement = settlement(of: await begun.latch.verdict(), whileSyncing: whileSyncing)
    return try outcome(.accepted(begun.numbered), settlement)
  }

  /// ``finish(_:whileSyncing:)`` of an append that has its verdict: nobody needs to be waited for. Whoever is to have
  /// it written does so on its own thread.
  package func finishAtOnce(
    _ begun: BegunAppend, whileSyncing: () -> Void = {}
  ) throws(JournalError) -> AppendOutcome {
    guard let verdict = begun.latch.known else {
      preconditionFailure("append \(begun.sequence) is finished at once, and has no verdict yet")
    }
    let settlement = settlement(of: verdict, whileSyncing: whileSyncing)
    return try outcome(.accepted(begun.numbered), settlement)
  }

  /// ``finish(_:whileSyncing:)`` for programs without tasks: the thread sleeps.
  @available(*, noasync, message: "use finish, so that no thread sleeps that tasks need")
  package func finishAndWait(
    _ begun: BegunAppend, whileSyncing: () -> Void = {}
  ) throws(JournalError) -> AppendOutcome {
    let settlement = settlement(of: begun.latch.sleep(), whileSyncing: whileSyncing)
    return try outcome(.accepted(begun.numbered), settlement)
  }

  private func check(_ payload: [UInt8]) throws(JournalError) {
    guard !payload.isEmpty else { throw JournalError(.payloadEmpty, path: path) }
    guard payload.count <= Frame.payloadByteCountMax else {
      throw JournalError(.payloadTooLarge(payload.count), path: path)
    }
  }

  /// What became of a payload.
  private func outcome(
    _ numbering: AppendState.Numbering, _ settlement: Settlement
  ) throws(JournalError) -> AppendOutcome {
    let numbered: AppendState.Numbered
    switch numbering {
    case .accepted(let accepted): numbered = accepted
    case .conflict(let head): return .conflict(head)
    case .refused(let reason): throw JournalError(reason, path: path)
    }
    switch settlement {
    case .done(let safety):
      return .appended(
        Receipt(
          sequence: numbered.sequence, time: numbered.time, safety: safety,
          raisedFrom: numbered.raisedFrom, check: numbered.check))
    case .unknown(let error, let stop):
      return .unknown(UnknownAppend(sequence: numbered.sequence, cause: error, stop: stop))
    case .refused(let reason):
      throw JournalError(reason, path: path)
    }
  }

  /// Leads if the verdict says so.
  private func settlement(
    of verdict: AppendVerdict, whileSyncing: () -> Void = {}
  ) -> Settlement {
    switch verdict {
    case .lead: lead(whileSyncing: whileSyncing)
    case .settled(let settlement): settlement
    }
  }

  /// Does work that needs the lead, sleeping until it is this thread's turn.
  func perform(_ work: AppendGroup.Work) throws(JournalError) {
    repeat {
      var sleeper: SleepingThread?
      let verdict = state.withLock { $0.ask(for: work, SleepingThread.waiter(&sleeper)) }
      let settlement = settlement(of: verdict ?? FileJournal.sleep(sleeper))
      if try isDone(settlement) { return }
    } while true
  }

  /// Does work that needs the lead, suspended until it is this task's turn.
  func perform(_ work: AppendGroup.Work) async throws(JournalError) {
    repeat {
      let verdict = await withUnsafeContinuation { continuation in
        let verdict = state.withLock { $0.ask(for: work, .task(continuation)) }
        if let verdict { continuation.resume(returning: verdict) }
      }
      if try isDone(settlement(of: verdict)) { return }
    } while true
  }

  /// Whether work was done. Frames that others have put into the same group, or the one before, may
  /// be refused, and the work with them; it needs no space itself, and so is asked for again.
  private func isDone(_ settlement: Settlement) throws(JournalError) -> Bool {
    switch settlement {
    case .done: return true
    case .unknown(let error, _): throw JournalError(.stopped(error), path: path)
    case .refused(let reason):
      switch reason {
      case .stopped, .closed: throw JournalError(reason, path: path)
      default: return false
      }
    }
  }
}
