import DaybookPlatform

/// The repair of a replica and its shared log after the log has lost transactions.
///
/// ```
///   the log is shorter ─▶ append the same frames again ─▶ connected
///   the histories differ ▶ keep the old file, restart after the last common frame ─▶ pull
///   no frame is known to be common ▶ keep the old file, restart from the log ─▶ pull
/// ```
///
/// The leader performs a repair, so that no other thread writes meanwhile.
extension FileJournal {
  /// The number of restarts after the opening. A state of the owner is valid for one number.
  package var restartCount: Int { queue.withLock { $0.restartCount } }

  /// Compares the replica with the log, and blocks the thread meanwhile.
  ///
  /// - Returns: The divergence; nil if the log contains the whole replica. The link is then
  ///   connected again.
  package func compareWithLog() throws(JournalError) -> LogDivergence? {
    try perform(RepairWork()).divergence
  }

  /// Repairs the replica or the log as a divergence requires, and blocks the thread meanwhile.
  ///
  /// - Throws: ``JournalError`` with `planOutdated` if the log has changed after the comparison,
  ///   and the errors of the log and of the disk. Then the call can be repeated.
  package func repair(_ expected: LogDivergence) throws(JournalError) -> RepairDone {
    try perform(RepairWork(expected: expected)).repair
  }

  /// Returns whether a repair only appends frames again, all of which the replica contains.
  package func canAppendAgain(_ divergence: LogDivergence) -> Bool {
    guard !divergence.isForked, let first = divergence.missing.first?.sequence else { return false }
    let written = queue.withLock { $0.written.sequence }
    return first.rawValue + UInt64(divergence.missingCount) <= written.next.rawValue
  }

  /// Returns all transactions that the log has lost.
  package func missingTransactions(
    of divergence: LogDivergence
  ) throws(JournalError) -> [MissingTransaction] {
    guard let link, let first = divergence.missing.first?.sequence else { return [] }
    return try missing(from: first, count: divergence.missingCount, authors: link.authors)
  }

  private func perform(_ work: RepairWork) throws(JournalError) -> RepairWork {
    guard let link else { return work }
    let done: RepairWork = try recovery.withLock { (_) throws(JournalError) in
      link.repairWork = work
      try perform(.repair)
      return link.repairWork ?? work
    }
    if let failure = done.failure { throw JournalError(failure, path: path) }
    return done
  }

  /// Performs the repair of the link as the leader.
  ///
  /// - Returns: The effect that stops writing, if the disk has failed; otherwise nil.
  func performRepair(_ link: SharedLink) -> CommitQueue.Effect? {
    guard let requested = link.repairWork else { return nil }
    var work = RepairWork(expected: requested.expected)
    var effect: CommitQueue.Effect?
    do throws(PullFailure) { try perform(&work, through: link) } catch {
      switch error {
      case .refused(let reason): work.failure = reason
      case .failed(let error):
        work.failure = .stopped(error)
        effect = .failed(error)
      }
    }
    link.repairWork = work
    return effect
  }

  private func perform(_ work: inout RepairWork, through link: SharedLink) throws(PullFailure) {
    let divergence = try divergence(from: link)
    guard divergence.missingCount > 0 || divergence.isLogEmpty else { return link.reconcile() }
    link.diverge(divergence)
    work.divergence = divergence
    guard let expected = work.expected else { return }
    guard divergence.relation == expected.relation,
      divergence.isForked
        ? divergence.lastCommon == expected.lastCommon
          && divergence.missingCount == expected.missingCount
        : divergence.lastCommon >= expected.lastCommon
    else { throw .refused(.planOutdated(log: link.name)) }
    switch divergence.relation {
    case .shorter: work.repair.appendedCount = try appendAgain(after: divergence, to: link)
    case .forked:
      work.repair.oldFilePath = try restart(withFramesThrough: divergence.lastCommon, of: link)
      endAppend(link, ifAfter: divergence.lastCommon)
    case .unknown, .dropped: work.repair.oldFilePath = try restart(fromBeginningOf: link)
    }
    let end = queue.withLock { $0.written }
    try keep(SharedHead(next: end.sequence.next, checksum: end.chain.point.checksum), in: link)
    link.reconcile()
  }

  /// Records an acknowledged position in the link and in the file beside the replica.
  func keep(_ head: SharedHead, in link: SharedLink) throws(PullFailure) {
    do throws(DiskError) {
      try ReplicaFile(identity: header.identity, head: head, log: link.address)
        .write(beside: location, options)
    } catch { throw .refused(.system(error)) }
    link.acknowledged = head
  }

  // MARK: Appending again

  /// Appends the frames after the last common one to the log.
  ///
  /// Each frame is a group. Several replicas that do this at the same time append equal groups. The
  /// log accepts these from each of them.
  ///
  /// - Returns: The number of frames.
  private func appendAgain(
    after divergence: LogDivergence, to link: SharedLink
  ) throws(PullFailure) -> Int {
    if divergence.isLogEmpty { try appendAgain(try beginning().group, to: link) }
    let last = queue.withLock { $0.written.sequence }
    var common = max(divergence.lastCommon, header.base.sequence)
    var reader = writtenFrames(from: common.next).reader
    var count = 0
    while common < last {
      let group = try nextGroup(&reader, after: common)
      try appendAgain(group, to: link)
      common = group.first
      count += 1
    }
    return count
  }

  /// Appends one group until its outcome is known.
  private func appendAgain(_ group: FrameGroup, to link: SharedLink) throws(PullFailure) {
    for attempt in 0..<10 {
      do throws(SharedLogError) {
        switch try link.append(group) {
        case .appended: return
        case .conflict, .missingPredecessor: break
        }
      } catch {
        guard case .unknown = error.reason, attempt < 9 else {
          throw .refused(.sharedLog(error))
        }
        link.waitForHint(milliseconds: 1 << attempt)
        continue
      }
      // A different replica may have appended the same frame in a larger group.
      let found = try calling { () throws(SharedLogError) in
        try link.read(from: group.first, byteCount: 1).first
      }
      if let found, found.checksum(of: group.first) == group.checksum { return }
      throw .refused(.planOutdated(log: link.name))
    }
  }

  /// Reads the next transaction as a group.
  private func nextGroup(
    _ reader: inout FrameReader, after common: SequenceNumber
  ) throws(PullFailure) -> FrameGroup {
    do throws(JournalError) {
      if reader.chain.sequence < common || !reader.chain.isPastBase {
        _ = try reader.advance(past: common, path: path)
      }
      let start = reader.position
      let end = try reader.advance(past: start.sequence.next, path: path)
      let bytes = try bytes(in: start.endOffset..<end.endOffset)
      return .ofRepair(
        end.sequence, after: start.chain.point.checksum, checksum: end.chain.point.checksum,
        bytes: bytes)
    } catch { throw .refused(error.reason) }
  }

  private func bytes(in range: Range<UInt64>) throws(JournalError) -> [UInt8] {
    try JournalError.translating(path) { () throws(DiskError) in
      let view = try file.view(at: range.lowerBound, atLeast: range.count)
      guard view.count >= range.count else {
        throw DiskError(.read, path: location.resolvedPath, code: Errno.inputOutputError)
      }
      return view[0..<range.count].copy()
    }
  }

  /// The header and the base of the replica.
  private func beginning() throws(PullFailure) -> JournalBeginning {
    do throws(JournalError) {
      var reader = writtenFrames(from: header.base.sequence).reader
      let end = try reader.advance(past: header.base.sequence, path: path)
      let base = try bytes(in: JournalLayout.firstFrameOffset..<end.endOffset)
      return JournalBeginning(header, base: base, end: end)
    } catch { throw .refused(error.reason) }
  }
}

extension JournalBeginning {
  fileprivate var group: FrameGroup { group(nonce: end.chain.point.checksum) }
}
