import DaybookPlatform

extension FileJournal {
  /// The last durable transaction.
  public var head: ChainPoint { queue.withLock { $0.durable.chain.point } }

  /// The last numbered transaction, which may not be durable yet.
  public var acceptedHead: ChainPoint { queue.withLock { $0.accepted.chain.point } }

  /// The numbers of transactions, groups, syncs and failures after the journal was opened.
  public var statistics: AppendStatistics { queue.withLock { $0.statistics } }

  /// The statistics of the connection to the shared log; nil if the journal is not a replica.
  package var sharingStatistics: SharingStatistics? {
    link?.statistics(through: queue.withLock { $0.written.sequence })
  }

  /// Appends a transaction, and suspends until it is as durable as the journal's options require.
  ///
  /// - Parameters:
  ///   - payload: The bytes of the transaction, from 1 byte to 1 GiB.
  ///   - time: The time of the transaction; nil for the clock's time. If this time is before the
  ///     time of the previous transaction, the journal uses the time of the previous transaction
  ///     instead.
  ///   - expected: The number that the accepted head must have; nil to append after any head.
  /// - Returns: The receipt; a conflict, if the accepted head is not the expected one; or an
  ///   unknown outcome, if a write or a sync has failed.
  /// - Throws: ``JournalError`` if the transaction was certainly not appended: `diskFull`,
  ///   `stopped`, `closed`, `replaced`, `cutShort`, `payloadEmpty`, `payloadTooLarge`,
  ///   `precedingRefused`, `system`.
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
  /// This is ``append(_:at:expecting:)`` for programs without tasks. A task must not call this
  /// method. All tasks share a few threads, and the call would block one of these threads.
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

  /// Appends several transactions in one group, with one write and at most one sync. The
  /// transactions get consecutive numbers, in the order of the payloads.
  ///
  /// - Throws: ``JournalError`` if certainly none of the transactions was appended.
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

  /// Writes and syncs all accepted transactions, also if the journal's durability is not full.
  ///
  /// - Throws: ``JournalError`` with `closed` if the journal is closed, or with `stopped` if a
  ///   write or a sync fails. After `stopped`, it is unknown whether the transactions that were not
  ///   durable are in the journal.
  public func sync() async throws(JournalError) { try await perform(.sync) }

  /// Writes and syncs all accepted transactions, and blocks the thread until the sync has ended.
  ///
  /// This is ``sync()`` for programs without tasks.
  @available(*, noasync, message: "use sync, which does not block a thread of the cooperative pool")
  public func syncAndWait() throws(JournalError) { try perform(.sync) }

  // MARK: Appending in two steps

  /// Gives a payload its sequence number and its offset in the file. The caller then calls
  /// ``value(of:)`` or ``wait(for:)``, which make a leader write the payload.
  ///
  /// The caller must call one of these two methods. Otherwise no thread writes the payload before
  /// the next append. Between the two steps, the caller can do a little work in the order of the
  /// sequence numbers. For example, a store applies the transaction to its state while it holds its
  /// own lock.
  ///
  /// - Returns: The append; or a conflict with the accepted head, if that head is not the expected
  ///   one.
  ///
  /// - Parameter count: The number of absorptions that the caller's state contains; see
  ///   ``absorbed``.
  package func enqueue(
    _ payload: [UInt8], at time: JournalTime? = nil, expecting expected: SequenceNumber? = nil,
    afterAbsorptions count: Int? = nil
  ) throws(JournalError) -> Result<PendingAppend, AppendConflict> {
    try check(payload)
    let time = time ?? options.clock.now
    return try result(
      queue.withLock {
        $0.enqueue(payload, at: time, expecting: expected, afterAbsorptions: count)
      })
  }

  /// Suspends until an append is as durable as the journal's options require. If there is no
  /// leader, a worker thread becomes the leader and writes the append.
  package func value(of append: PendingAppend) async throws(JournalError) -> AppendOutcome {
    if append.group.known == nil { startWriting() }
    return try append.outcome(await append.group.value(), path: path)
  }

  /// Blocks the thread until an append is as durable as the journal's options require. If there is
  /// no leader, this thread becomes the leader and writes the append.
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

  /// Writes the forming group on this thread if there is no leader. A worker thread writes the
  /// groups that form meanwhile.
  private func write() {
    guard queue.withLock({ $0.lead() }) else { return }
    writeGroupsWithoutThread()
  }

  /// Starts a worker thread that writes the forming group and the groups after it, if there is no
  /// leader.
  ///
  /// If the system cannot create a thread, the calling thread writes these groups.
  private func startWriting() {
    guard queue.withLock({ $0.lead() }) else { return }
    if !options.workers.run({ self.writeGroups() }) { writeGroupsWithoutThread() }
  }

  /// Writes the forming group as the leader. Then passes the leadership to a worker thread if
  /// another group has formed. While no worker thread is available, the method writes further
  /// groups itself.
  private func writeGroupsWithoutThread() {
    while writeGroup() {
      if options.workers.run({ self.writeGroups() }) { return }
    }
  }

  /// Writes groups as the leader, until no group has formed.
  private func writeGroups() { while writeGroup() {} }

  /// Takes the forming group as the leader, writes it, and reports the outcome to its appends.
  ///
  /// - Returns: True if another group has formed meanwhile. The caller is then still the leader.
  private func writeGroup() -> Bool {
    let now = options.clock.uptimeNanoseconds
    let (group, syncs) = queue.withLock { $0.takeGroup(at: now) }
    let effect: CommitQueue.Effect
    if let link {
      effect = write(group, syncs: syncs, through: link)
    } else {
      effect = write(group, syncs: syncs)
    }
    // The memory of the frames is kept for the next group, unless it is large.
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

  /// Writes a group to the file as the leader.
  func write(_ group: CommitGroup, syncs: Bool) -> CommitQueue.Effect {
    writer.write(
      group, syncs: syncs, clock: options.clock,
      whenSynced: { queue.withLock { $0.recordSync(group.end) } })
  }

  // MARK: Work other than frames

  /// Adds work to the forming group, and blocks the thread until a leader has done the work.
  func perform(_ work: CommitGroup.Work) throws(JournalError) {
    repeat {
      let group = try enqueue(work)
      if group.known == nil { write() }
      if try isDone(group.wait()) { return }
    } while true
  }

  /// Adds work to the forming group, and suspends until a leader has done the work.
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

  /// Returns a Boolean value that indicates whether the work of a group was done. If it was not
  /// done, the caller must add the work again.
  ///
  /// The writer can refuse a group because of its frames, for example if the disk has no space for
  /// them. The work of that group and of the next group is then refused too. The work itself needs
  /// no space, so the caller tries again.
  private func isDone(_ outcome: CommitGroup.Outcome) throws(JournalError) -> Bool {
    switch outcome {
    case .done: return true
    case .unknown(let cause, _): throw JournalError(cause.refusal, path: path)
    case .refused(let reason):
      switch reason {
      case .stopped, .closed: throw JournalError(reason, path: path)
      default: return false
      }
    }
  }
}

extension FileJournal {
  /// Performs the background work that is due: syncs written transactions, writes a durability
  /// mark, and preallocates zeros.
  ///
  /// The housekeeper calls this method. If the journal has no housekeeper, the owner of the journal
  /// calls it.
  ///
  /// - Returns: The due time of the next work, in nanoseconds of the clock's uptime; nil if no work
  ///   is expected.
  @discardableResult
  package func tend() -> Int64? {
    let now = options.clock.uptimeNanoseconds
    let work = queue.withLock { $0.work(dueAt: now) }
    // The leader of a shared journal can wait for the log. So it must not use the threads that do
    // the background work of all journals.
    if !work.isEmpty, link != nil, options.worksInBackground {
      let next = now.adding(Durability.intervalMaxNanoseconds)
      // While there is a leader, one more thread would only wait for it.
      if queue.withLock({ $0.isLed }) { return next }
      if options.workers.run({ try? self.perform(work) }) { return next }
    }
    if !work.isEmpty {
      // A failure stops writing, and later appends throw the error of the failure.
      try? perform(work)
    }
    return queue.withLock { $0.nextDue }
  }

  /// Returns the number of nanoseconds from the present to the due time of work.
  ///
  /// The journal may have its own clock, and the housekeeper uses the machine's clock. So the
  /// housekeeper receives an interval, not a time.
  func nanoseconds(until due: Int64) -> Int64 {
    due == .min ? 0 : max(0, due &- options.clock.uptimeNanoseconds)
  }
}
