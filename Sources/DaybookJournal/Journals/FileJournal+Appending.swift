import DaybookPlatform

extension FileJournal {
  /// The last durable transaction.
  public var head: ChainPoint { queue.withLock { $0.durable.chain.point } }

  /// The last numbered transaction, which may not be durable yet.
  public var acceptedHead: ChainPoint { queue.withLock { $0.accepted.chain.point } }

  /// The counts of what the journal has done since it was opened.
  public var statistics: AppendStatistics { queue.withLock { $0.statistics } }

  /// Appends a transaction, and suspends until it is as durable as the journal's options require.
  ///
  /// - Parameters:
  ///   - payload: The bytes of the transaction, from 1 byte to 1 GiB.
  ///   - time: The time of the transaction; nil for the clock's time. A time before the previous
  ///     transaction's is raised to that.
  ///   - expected: The accepted head that the transaction was built for; nil to append after any
  ///     head.
  /// - Returns: The outcome: the receipt, a conflict with the accepted head, or unknown after a
  ///   failure.
  /// - Throws: ``JournalError`` if the transaction was certainly not appended: `diskFull`,
  ///   `stopped`, `closed`, `replaced`, `cutShort`, `payloadEmpty`, `payloadTooLarge`,
  ///   `precedingRefused`.
  /// - Complexity: O(*n*) in the size of the payload, and one sync that is shared with other
  ///   appends.
  public func append(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) async throws(JournalError) -> AppendOutcome {
    switch try enqueue(payload, at: time, expecting: expected) {
    case .success(let append): try await value(of: append)
    case .failure(let conflict): .conflict(conflict.head)
    }
  }

  /// Appends a transaction, and blocks the thread until it is as durable as the journal's options
  /// require.
  ///
  /// This is ``append(_:at:expecting:)`` for programs without tasks. A task must not call it, as
  /// few threads run tasks. The append that blocks this thread may need one of them.
  @available(
    *, noasync, message: "use append, which does not block a thread of the cooperative pool"
  )
  public func appendAndWait(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) throws(JournalError) -> AppendOutcome {
    switch try enqueue(payload, at: time, expecting: expected) {
    case .success(let append): try wait(for: append)
    case .failure(let conflict): .conflict(conflict.head)
    }
  }

  /// Appends several transactions in one group: one write and one sync for all of them. They are
  /// consecutive and in order.
  ///
  /// - Throws: ``JournalError`` if the transactions were certainly not appended. Either all are
  ///   appended or none.
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
        preconditionFailure("an append that expects no head returned a conflict")
      }
      outcomes.append(try wait(for: append))
    }
    return outcomes
  }

  /// Syncs all accepted transactions, whatever the journal's durability.
  ///
  /// - Throws: ``JournalError`` with `stopped` if the sync fails. Then it is unknown whether the
  ///   transactions that were not durable are in the journal.
  public func sync() async throws(JournalError) { try await perform(.sync) }

  /// Syncs all accepted transactions, and blocks the thread until then.
  ///
  /// This is ``sync()`` for programs without tasks.
  @available(*, noasync, message: "use sync, which does not block a thread of the cooperative pool")
  public func syncAndWait() throws(JournalError) { try perform(.sync) }

  // MARK: Appending in two steps

  /// Numbers a payload and assigns its position. The caller then writes it with ``value(of:)`` or
  /// ``wait(for:)``.
  ///
  /// One of the two must be called, as later appends may wait for this one. Between the two steps,
  /// the caller may do a little work that must follow the order of the numbers.
  ///
  /// - Returns: The append; or the accepted head, if that is not the expected one.
  package func enqueue(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil
  ) throws(JournalError) -> Result<PendingAppend, AppendConflict> {
    try check(payload)
    let time = time ?? options.clock.now
    return try result(queue.withLock { $0.enqueue(payload, at: time, expecting: expected) })
  }

  /// Suspends until an append is as durable as the journal's options require. A worker thread
  /// writes it.
  package func value(of append: PendingAppend) async throws(JournalError) -> AppendOutcome {
    if append.group.known == nil { startWriting() }
    return try append.outcome(await append.group.value(), path: path)
  }

  /// Blocks the thread until an append is as durable as required. The thread itself writes the
  /// append, unless another thread is writing.
  ///
  /// This is ``value(of:)`` for programs without tasks.
  @available(
    *, noasync, message: "use value(of:), which does not block a thread of the cooperative pool"
  )
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

  /// Writes the pending group on this thread if there is no leader. A worker thread writes the
  /// groups after it.
  private func write() {
    guard queue.withLock({ $0.lead() }) else { return }
    writeGroupsWithoutThread()
  }

  /// Starts a worker thread that writes the pending group and those after it, if there is no
  /// leader.
  ///
  /// If the system cannot create a thread, the caller writes them.
  private func startWriting() {
    guard queue.withLock({ $0.lead() }) else { return }
    if !options.workers.run({ self.writeGroups() }) { writeGroupsWithoutThread() }
  }

  /// Writes the pending group as the leader, and further groups until a worker thread is available
  /// for them.
  private func writeGroupsWithoutThread() {
    while writeGroup() {
      if options.workers.run({ self.writeGroups() }) { return }
    }
  }

  /// Writes groups as the leader, until none is pending.
  private func writeGroups() { while writeGroup() {} }

  /// Writes the pending group as the leader.
  ///
  /// - Returns: True if another group is pending and the caller is still the leader.
  private func writeGroup() -> Bool {
    let now = options.clock.uptimeNanoseconds
    let (group, syncs) = queue.withLock { $0.takeGroup(at: now) }
    let effect = writer.write(
      group, syncs: syncs, clock: options.clock,
      whenSynced: { queue.withLock { $0.recordSync(group.end) } })
    // The next group reuses this memory, unless it is large.
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

  // MARK: Work other than frames

  /// Performs work that only the leader may do. The thread waits until it is done.
  func perform(_ work: CommitGroup.Work) throws(JournalError) {
    repeat {
      let group = try enqueue(work)
      if group.known == nil { write() }
      if try isDone(group.wait()) { return }
    } while true
  }

  /// Performs work that only the leader may do, and suspends until it is done.
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

  /// Returns a Boolean value that indicates whether work was done.
  ///
  /// Frames of other callers in the same group, or in the group before it, may be refused, and the
  /// work with them. The work itself needs no space, so its caller tries again.
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
