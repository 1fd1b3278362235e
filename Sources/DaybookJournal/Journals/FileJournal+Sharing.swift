import DaybookPlatform

/// The appends to a shared log, and the frames that are read from it.
///
/// ```
///   a group ─▶ the log ─┬─ appended ──▶ the replica ─▶ done
///                       ├─ conflict ──▶ pull ─▶ outpaced: the frames are built again
///                       ├─ missing ───▶ diverged: nothing is written any more; or the same as a
///                       │               conflict, if the log contains the end of the replica
///                       ├─ not sent ──▶ refused
///                       └─ no answer ─▶ stopped ─▶ recovery appends the same group again, and
///                                       compares its frames with those of the log
/// ```
extension FileJournal {
  /// The largest number of bytes that one read of the log requests.
  private static let pullByteCount = 4 << 20

  /// Appends a group to the log as the leader, and then writes it to the replica. A group without
  /// frames performs its work; if the work contains a pull, the pull is first.
  func write(
    _ group: CommitGroup, syncs: Bool, through link: SharedLink
  ) -> CommitQueue.Effect {
    guard group.frames.byteCount > 0 else {
      if group.work.contains(.repair), case .failed(let error)? = performRepair(link) {
        return .failed(error)
      }
      // After a repair, the outcome of an append can be known.
      let resolves = link.pending != nil && link.refusal == nil
      if resolves || group.work.contains(.pull), case .failed(let error)? = tryPull(link) {
        return .failed(error)
      }
      group.move(to: queue.withLock { $0.written })
      return write(group, syncs: syncs)
    }
    if let refusal = link.refusal { return .refused(refusal) }
    // The next pull appends the earlier group again.
    if link.pending != nil {
      return .refused(UnknownAppend.Cause.refusal(whileUnanswered: link.name))
    }
    if let error = link.clockError(at: options.clock.now) { return .refused(.sharedLog(error)) }
    // After the log has appended the group, a full disk must not refuse it.
    if let obstacle = writer.prepare(through: group.end.endOffset) { return obstacle }
    link.pending = group.shared(nonce: options.random())
    let time = options.clock.now
    switch append(link) {
    case .success(.appended(let serverCount)):
      group.safety = .shared(serverCount: serverCount)
      link.pullFailure = nil
      link.isVerified = true
      link.connect()
      let effect = write(group, syncs: syncs)
      switch effect {
      case .synced, .written:
        link.pending = nil
        link.agree(at: time, through: group.end.sequence)
      // The log contains the group, so the group cannot be refused.
      case .refused, .outpaced, .unanswered:
        return .failed(
          DiskError(.write, path: location.resolvedPath, code: Errno.inputOutputError))
      case .failed: break
      }
      return effect
    case .success(let outcome):
      link.pending = nil
      do throws(PullFailure) {
        if outcome == .missingPredecessor { try diverge(link) }
        try pull(link, through: group.start.sequence.next)
        link.pullFailure = nil
      } catch { return effect(of: error) }
      return .outpaced
    case .failure(let error):
      if case .unknown = error.reason { return .unanswered(error) }
      link.pending = nil
      return .refused(.sharedLog(error))
    }
  }

  private func append(_ link: SharedLink) -> Result<SharedAppendOutcome, SharedLogError> {
    guard let group = link.pending else { preconditionFailure("no group is pending") }
    do throws(SharedLogError) { return .success(try link.append(group)) } catch {
      return .failure(error)
    }
  }

  // MARK: Pulling

  /// Reads the frames that other machines have appended to the log, and writes them to the replica.
  ///
  /// - Returns: True if there were new frames.
  /// - Throws: ``JournalError`` with `sharedLog` or `diverged`, and the errors of a write.
  package func pull() async throws(JournalError) -> Bool {
    let before = absorbed.count
    try await perform(.pull)
    return try pulled(after: before)
  }

  /// Pulls like ``pull()``, for threads without tasks.
  @available(*, noasync, message: "use pull, which does not block a thread of the cooperative pool")
  package func pullAndWait() throws(JournalError) -> Bool {
    let before = absorbed.count
    try perform(.pull)
    return try pulled(after: before)
  }

  private func pulled(after count: Int) throws(JournalError) -> Bool {
    if let reason = link?.pullFailure { throw JournalError(reason, path: path) }
    return absorbed.count != count
  }

  private func effect(of failure: PullFailure) -> CommitQueue.Effect {
    switch failure {
    case .refused(let reason): .refused(reason)
    case .failed(let error): .failed(error)
    }
  }

  /// Pulls as the leader, and records the failure in the link.
  ///
  /// - Returns: The effect of the failure; nil if the pull succeeded.
  private func tryPull(_ link: SharedLink) -> CommitQueue.Effect? {
    do throws(PullFailure) {
      try pull(link)
      if let group = link.pending { _ = try resolve(group, through: link) }
      link.pullFailure = nil
      return nil
    } catch {
      switch error {
      case .refused(let reason): link.pullFailure = reason
      case .failed(let error): link.pullFailure = .stopped(error)
      }
      return effect(of: error)
    }
  }

  /// Reads the groups between the end of the replica and the head of the log as the leader, and
  /// absorbs them. Groups that other machines append meanwhile are left to the next pull.
  ///
  /// - Returns: True if there were new frames.
  @discardableResult
  func pull(_ link: SharedLink) throws(PullFailure) -> Bool {
    let time = options.clock.now
    try reconcile(link)
    let head = try comparedHead(of: link)
    return try absorb(from: link, through: head.last, at: time)
  }

  /// Compares again with a log that had lost transactions.
  private func reconcile(_ link: SharedLink) throws(PullFailure) {
    guard let refusal = link.refusal else { return }
    guard try containsEnd(link) else { throw .refused(link.refusal ?? refusal) }
    try diverge(link)
    link.reconcile()
  }

  /// Pulls until the replica contains a transaction that the log certainly contains. A read can use
  /// a server that does not have the newest groups yet, so it is repeated for a second.
  func pull(
    _ link: SharedLink, through sequence: SequenceNumber
  ) throws(PullFailure) {
    for attempt in 0..<10 {
      try reconcile(link)
      try absorb(from: link, through: sequence, at: options.clock.now)
      if queue.withLock({ $0.written.sequence }) >= sequence { return }
      link.waitForHint(milliseconds: 1 << attempt)
    }
    throw unavailable(
      link, because: "it does not return transaction \(sequence), which it contains")
  }

  /// Reads groups until the replica contains a transaction, or a read returns nothing.
  @discardableResult
  private func absorb(
    from link: SharedLink, through last: SequenceNumber, at time: JournalTime
  ) throws(PullFailure) -> Bool {
    var isNew = false
    while true {
      let position = queue.withLock { $0.written }
      if position.sequence >= last { break }
      let groups = try calling { () throws(SharedLogError) in
        try link.read(from: position.sequence.next, byteCount: FileJournal.pullByteCount)
      }
      if groups.isEmpty { break }
      if groups[0].first == .zero, groups[0].next > position.sequence.next {
        try restart(from: groups[0], of: link)
        link.isVerified = true
        isNew = true
        continue
      }
      let pulled: PulledFrames
      do throws(PulledFrames.Defect) {
        pulled = try PulledFrames(
          groups, after: position, salt: header.salt, expecting: link.acknowledged)
      } catch {
        switch error {
        case .invalid(let why): throw refused(link, because: why)
        case .diverged:
          try diverge(link)
          throw unavailable(link, because: "it has changed during a read")
        }
      }
      link.isVerified = true
      guard pulled.end != position else { break }
      try absorb(pulled, after: position)
      isNew = true
    }
    link.connect()
    link.agree(at: time, through: queue.withLock { $0.written.sequence })
    return isNew
  }

  /// Returns the head of the log, if the log can contain the whole replica.
  ///
  /// The head includes every acknowledged group. So a head before the end of the replica, or before
  /// the acknowledged position, proves that the log has lost transactions.
  private func comparedHead(of link: SharedLink) throws(PullFailure) -> SharedHead {
    let head = try calling { () throws(SharedLogError) in try link.head() }
    let end = queue.withLock { $0.written }
    let known = max(end.sequence.next, link.acknowledged?.next ?? .zero)
    guard let head, head.next >= known,
      head.next > end.sequence.next || head.checksum == end.chain.point.checksum,
      link.acknowledged.map({ $0.next != head.next || $0.checksum == head.checksum }) ?? true
    else {
      try diverge(link)
      throw unavailable(link, because: "it has changed during a read")
    }
    if head.next == end.sequence.next { link.isVerified = true }
    return head
  }

  /// Returns whether a log that had lost transactions contains the last frame of the replica again.
  /// For example, a different machine has appended the lost transactions, or the server that had
  /// answered before was a former primary.
  private func containsEnd(_ link: SharedLink) throws(PullFailure) -> Bool {
    let head = try calling { () throws(SharedLogError) in try link.head() }
    let end = queue.withLock { $0.written }
    guard let head, head.next >= end.sequence.next else { return false }
    if head.next == end.sequence.next { return head.checksum == end.chain.point.checksum }
    guard case .diverged(let known) = link.status else { return false }
    // A read would return the whole base of the log.
    if known.relation == .dropped, head.last >= known.lastInLog { return false }
    let group = try calling { () throws(SharedLogError) in
      try link.read(from: end.sequence, byteCount: 1).first
    }
    if let group, group.first == .zero, group.next > end.sequence.next {
      link.diverge(known.dropped(in: head))
    }
    return group?.checksum(of: end.sequence) == end.chain.point.checksum
  }

  /// Writes pulled frames to the file, and moves the queue over them.
  private func absorb(
    _ pulled: PulledFrames, after position: FramePosition
  ) throws(PullFailure) {
    let group = CommitGroup(start: position)
    group.frames.append(frames: pulled.bytes.span.bytes)
    group.end = pulled.end
    switch write(group, syncs: false) {
    case .synced, .written: break
    case .refused(let reason): throw .refused(reason)
    case .failed(let error): throw .failed(error)
    case .outpaced, .unanswered: preconditionFailure("a write to the file called the log")
    }
    link?.countPulled(after: position.sequence, through: pulled.end.sequence)
    let now = options.clock.uptimeNanoseconds
    queue.withLock { $0.absorb(pulled.index, through: pulled.end, at: now) }.announce()
  }

  // MARK: Closing

  /// A Boolean value that indicates whether writing has stopped until a recovery.
  package var isStopped: Bool {
    if case .stopped = queue.withLock({ $0.phase }) { true } else { false }
  }

  /// Records the end of the replica beside it, if the log contains it, and closes the connection.
  func endSharing() {
    guard let link else { return }
    if link.isVerified, link.refusal == nil { try? keepEnd(of: link) }
    link.close()
  }

  private func keepEnd(of link: SharedLink) throws(DiskError) {
    let end = queue.withLock { $0.durable }
    // A later position that the log has acknowledged stays, until the replica has read it again.
    guard link.acknowledged.map({ $0.next <= end.sequence.next }) ?? true else { return }
    try ReplicaFile(
      identity: header.identity,
      head: SharedHead(next: end.sequence.next, checksum: end.chain.point.checksum),
      log: link.address
    ).write(beside: location, options)
  }
}

extension CommitGroup {
  /// The group as it is appended to a shared log.
  fileprivate func shared(nonce: UInt64) -> FrameGroup {
    FrameGroup(
      first: start.sequence.next, next: end.sequence.next,
      previousChecksum: start.chain.point.checksum, checksum: end.chain.point.checksum,
      bytes: frames.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }, nonce: nonce)
  }
}
