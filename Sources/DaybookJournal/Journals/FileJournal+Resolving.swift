/// The outcome of an append that a shared log has not answered.
///
/// ```
///   no answer ─▶ recovery appends the group again ─┬─ appended ─▶ included
///                                                  ├─ conflict ─▶ the frames of the log decide
///                                                  └─ missing ──▶ pending until a repair
/// ```
extension FileJournal {
  /// Resolves the append without an answer, if there is one, and then pulls. The thread that
  /// recovers the journal calls this after the file is recovered.
  ///
  /// If the log does not contain the end of the replica, the recovery is complete nevertheless, and
  /// saves are refused. A repair, of this machine or a different one, can append the lost group
  /// again. So the group stays pending, and the first pull that succeeds resolves it.
  ///
  /// - Returns: The last transaction of this machine that is in the log; nil if it is not known
  ///   whether the log contains the group.
  func resolve(_ link: SharedLink) throws(JournalError) -> SequenceNumber? {
    do throws(PullFailure) {
      if let group = link.pending { return try resolve(group, through: link) }
      try pull(link)
      return queue.withLock { $0.lastShared }
    } catch {
      if error.isRewritten || link.refusal != nil {
        guard link.pending != nil else { return queue.withLock { $0.lastShared } }
        if error.isRewritten {
          link.pending = nil
        } else if link.pendingStop == nil {
          link.pendingStop = queue.withLock { $0.includedThrough.count }
        }
        return nil
      }
      switch error {
      case .refused(let reason): throw JournalError(reason, path: path)
      case .failed(let error): throw JournalError(.stopped(error), path: path)
      }
    }
  }

  /// Resolves the append without an answer, and records the outcome if a recovery could not.
  ///
  /// - Returns: The same as `outcome(of:through:)`.
  /// - Throws: An error if the outcome is not known yet. The group then stays pending.
  func resolve(
    _ group: FrameGroup, through link: SharedLink
  ) throws(PullFailure) -> SequenceNumber? {
    let last = try outcome(of: group, through: link)
    end(link, through: last)
    return last
  }

  /// Ends the append without an answer, and records the outcome if a recovery could not.
  private func end(_ link: SharedLink, through last: SequenceNumber?) {
    if let stop = link.pendingStop {
      queue.withLock { $0.recordInclusion(through: last, atStop: stop) }
    }
    link.pending = nil
  }

  /// Ends the append without an answer if the log has other transactions in place of those before
  /// it. Then the log can never contain it.
  func endAppend(_ link: SharedLink, ifAfter lastCommon: SequenceNumber) {
    guard let group = link.pending else { return }
    let before = SequenceNumber(group.first.rawValue &- 1)
    if lastCommon < before { end(link, through: before) }
  }

  /// Returns a transaction of a replica, synced or not, as the point of the chain after it; nil if
  /// the replica does not contain the transaction, or contains it only as a part of its base.
  ///
  /// - Throws: ``JournalError`` with `damagedFrame`, if the transaction is not readable.
  package func written(_ sequence: SequenceNumber) throws(JournalError) -> ChainPoint? {
    let frames = writtenFrames(from: sequence)
    var reader = frames.reader
    guard sequence > frames.header.base.sequence, sequence <= frames.last else { return nil }
    return try reader.advance(past: sequence, path: path).chain.point
  }

  /// Waits until a transaction of the log is as durable as a new one, by appending its group again.
  /// A group can be visible before all servers that the log requires have it.
  ///
  /// - Throws: ``JournalError`` with `sharedLog`, if the log cannot be reached or has changed.
  package func confirm(_ sequence: SequenceNumber) async throws(JournalError) {
    let confirmation = await options.workers.value {
      Result { () throws(SharedLogError) in try self.link?.confirm(sequence) }
    }
    do throws(SharedLogError) { _ = try confirmation.get() } catch {
      throw JournalError(.sharedLog(error), path: path)
    }
  }

  /// Appends a group without an answer again, and compares its frames with those of the log.
  ///
  /// If the group is in the log, or can still get there, the log returns `appended`. The machine
  /// sends nothing else before that.
  ///
  /// - Returns: The last transaction of the group that is in the log, or the transaction before the
  ///   group; nil if nothing shows whether the log contained the group. If two machines have built
  ///   equal frames, and the log lost them before a repair, each of them counts as contained.
  private func outcome(
    of group: FrameGroup, through link: SharedLink
  ) throws(PullFailure) -> SequenceNumber? {
    let outcome = try calling { () throws(SharedLogError) in try link.append(group) }
    switch outcome {
    case .appended: try pull(link, through: group.end.last)
    case .conflict: try pull(link, through: group.first)
    case .missingPredecessor:
      try diverge(link)
      try pull(link)
    }
    let before = SequenceNumber(group.first.rawValue &- 1)
    // An earlier call of this method can have received the answer, and failed after it.
    let wasAppended = outcome.isAppended || link.pendingOutcome?.isAppended == true
    // A transaction before the base can have been in the log.
    if header.base.sequence >= group.first { return wasAppended ? group.end.last : nil }
    let written = queue.withLock { $0.written }
    guard written.sequence >= before else { return nil }
    if written.sequence == before, written.chain.point.checksum == group.previousChecksum {
      throw unavailable(link, because: "it has changed during a read")
    }
    guard let equal = try lastEqual(to: group, after: before), equal > before else { return before }
    if wasAppended { return equal }
    // Two machines can build equal frames. A repair appends the frames that the log had lost.
    let found = try calling { () throws(SharedLogError) in
      try link.read(from: group.first, byteCount: 1).first
    }
    guard let found else {
      throw unavailable(link, because: "it does not return transaction \(group.first)")
    }
    if found.first == .zero { return nil }
    guard found.isOfRepair else { return before }
    guard equal == written.sequence, equal < group.end.last else { return equal }
    return try finishRepair(of: group, after: equal, through: link)
  }

  /// Appends the frames of a group that a repair has not appended yet.
  ///
  /// - Returns: The last transaction of the group that is in the log.
  private func finishRepair(
    of group: FrameGroup, after equal: SequenceNumber, through link: SharedLink
  ) throws(PullFailure) -> SequenceNumber? {
    for frame in group.frames where frame.first > equal {
      let outcome = try calling { () throws(SharedLogError) in try link.append(frame) }
      guard case .appended = outcome else { break }
    }
    try pull(link)
    return try lastEqual(to: group, after: SequenceNumber(group.first.rawValue &- 1))
  }
}

extension SharedAppendOutcome {
  fileprivate var isAppended: Bool {
    if case .appended = self { true } else { false }
  }
}
