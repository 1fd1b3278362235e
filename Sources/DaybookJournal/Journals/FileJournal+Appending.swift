import DaybookPlatform

extension FileJournal {
  /// The last durable transaction.
  public var head: ChainPoint { queue.withLock { $0.durable.chain.point } }

  /// The last numbered transaction, durable or not yet.
  public var acceptedHead: ChainPoint { queue.withLock { $0.accepted.chain.point } }

  /// What the journal has done since it was opened.
  public var statistics: AppendStatistics { queue.withLock { $0.statistics } }

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
    switch try enqueue(payload, at: time, expecting: expected) {
    case .success(let append): try await value(of: append)
    case .failure(let conflict): .conflict(conflict.head)
    }
  }

  /// ``append(_:at:expecting:)`` for programs without tasks: the thread sleeps.
  ///
  /// A task must not call it: the threads that tasks run on are few, and the append that this one
  /// waits for may be a task's.
  @available(*, noasync, message: "use append, so that no thread sleeps that tasks need")
  public func appendAndWait(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) throws(JournalError) -> AppendOutcome {
    switch try enqueue(payload, at: time, expecting: expected) {
    case .success(let append): try wait(for: append)
    case .failure(let conflict): .conflict(conflict.head)
    }
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
    let enqueued = queue.withLock { queue in
      payloads.map { queue.enqueue($0, at: time, expecting: nil) }
    }
    var outcomes: [AppendOutcome] = []
    for one in enqueued {
      guard case .success(let append) = try result(one) else {
        preconditionFailure("a conflict of an append that expects no head")
      }
      outcomes.append(try wait(for: append))
    }
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

  // MARK: In two steps

  /// Gives a payload its number and its place, and leaves the writing to ``value(of:)`` or ``wait(for:)``.
  ///
  /// Others may wait for an append that follows this one, so one of the two must be called. The
  /// caller may do a little in between that must be done in the order of the numbers.
  ///
  /// - Returns: The append, or the accepted head if that is not the one expected.
  package func enqueue(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) throws(JournalError) -> Result<PendingAppend, AppendConflict> {
    try check(payload)
    let time = time ?? options.clock.now
    return try result(queue.withLock { $0.enqueue(payload, at: time, expecting: expected) })
  }

  /// Suspends until an append is as durable as the journal's options say. A worker thread writes it.
  package func value(of append: PendingAppend) async throws(JournalError) -> AppendOutcome {
    if append.group.known == nil { startWriting() }
    return try append.outcome(await append.group.value(), path: path)
  }

  /// ``value(of:)`` for programs without tasks: the thread writes the append, unless another thread writes.
  @available(*, noasync, message: "use value(of:), so that no thread sleeps that tasks need")
  package func wait(for append: PendingAppend) throws(JournalError) -> AppendOutcome {
    if append.group.known == nil { write() }
    return try append.outcome(append.group.wait(), path: path)
  }

  private func result(
    _ enqueued: CommitQueue.Enqueued
  ) throws(JournalError) -> Result<PendingAppend, AppendConflict> {
    switch enqueued {
    case .accepted(let append): .success(append)
    case .conflict(let head): .failure(AppendConflict(head: head))
    case .refused(let reason): throw JournalError(reason, path: path)
    }
  }

  private func check(_ payload: [UInt8]) throws(JournalError) {
    guard !payload.isEmpty else { throw JournalError(.payloadEmpty, path: path) }
    guard payload.count <= Frame.payloadByteCountMax else {
      throw JournalError(.payloadTooLarge(payload.count), path: path)
    }
  }

  // MARK: Leading

  /// Writes the pending group on this thread, if nobody writes, and leaves those after it to a worker thread.
  private func write() {
    guard queue.withLock({ $0.lead() }) else { return }
    writeGroupsWithoutThread()
  }

  /// Has a worker thread write the pending group and those after it, if nobody writes.
  ///
  /// Where the system has no thread to give, the caller writes them.
  private func startWriting() {
    guard queue.withLock({ $0.lead() }) else { return }
    if !options.workers.run({ self.writeGroups() }) { writeGroupsWithoutThread() }
  }

  /// Writes the pending group as the leader, and those after it until there is a worker thread for them.
  private func writeGroupsWithoutThread() {
    while writeGroup() {
      if options.workers.run({ self.writeGroups() }) { return }
    }
  }

  /// Writes one group after the other as the leader, until none is pending.
  private func writeGroups() { while writeGroup() {} }

  /// Writes the pending group as the leader.
  ///
  /// - Returns: Whether another group is pending, so that the caller is the leader still.
  private func writeGroup() -> Bool {
    let now = options.clock.uptimeNanoseconds
    let (group, syncs) = queue.withLock { $0.take(at: now) }
    let effect = writer.write(
      group, syncs: syncs, clock: options.clock,
      whenSynced: { queue.withLock { $0.noteSynced(group.end) } })
    // The next group reuses the memory, if it is not large.
    group.frames.removeAll()
    let status = writer.status(at: group.end)
    let (completion, due) = queue.withLock { queue in
      let completion = queue.complete(group, effect: effect, status: status)
      return (completion, queue.nextDue)
    }
    completion.announce()
    if let due, let housekeeper { housekeeper.expect(after: nanoseconds(until: due)) }
    return completion.isLedOn
  }

  // MARK: Work beside frames

  /// Does work that only the leader may do. The thread waits until it is done.
  func perform(_ work: CommitGroup.Work) throws(JournalError) {
    repeat {
      let group = try enqueue(work)
      if group.known == nil { write() }
      if try isDone(group.wait()) { return }
    } while true
  }

  /// Does work that only the leader may do, and suspends until it is done.
  func perform(_ work: CommitGroup.Work) async throws(JournalError) {
    repeat {
      let group = try enqueue(work)
      startWriting()
      if try isDone(await group.value()) { return }
    } while true
  }

  private func enqueue(
    _ work: CommitGroup.Work
  ) throws(JournalError) -> Promise<CommitGroup.Outcome> {
    let (group, refusal) = queue.withLock { ($0.enqueue(work), $0.refusal) }
    guard let group else { throw JournalError(refusal ?? .closed, path: path) }
    return group
  }

  /// Whether work was done. Frames that others have put into the same group, or the one before, may
  /// be refused, and the work with them; it needs no space itself, and so is asked for again.
  private func isDone(_ outcome: CommitGroup.Outcome) throws(JournalError) -> Bool {
    switch outcome {
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
