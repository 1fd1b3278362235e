import DaybookPlatform

/// The state machine of group commit. It numbers appends, forms groups and completes them. It
/// performs no I/O.
///
/// It keeps three positions. While the queue is open, no position is after the one that is listed
/// above it:
///
/// - *accepted*: the end of the last frame that has a number;
/// - *written*: the end of the last frame that was passed to the system;
/// - *durable*: the end of the last frame that was synced.
///
/// A *refused* group was not written: accepted moves back to written. A *failed* group may be
/// written in part: accepted moves back to durable, and written stays, so that recovery can detect
/// the loss of written transactions. Both drop the frames that were numbered after the new
/// position, as they follow dropped frames in the chain.
///
/// ```
///   enqueue ─▶ forming ─▶ take ─▶ (write, sync) ─▶ complete ─▶ the leader takes the next group
///                                     │
///                                     └─ a call fails ─▶ stopped ─▶ recovered
/// ```
///
/// A leader exists while a group is pending or being written. If an append finds no leader, its
/// caller becomes the leader (``lead()``). Leadership ends when the leader completes a group and no
/// other group is pending.
struct CommitQueue {
  enum Phase: Hashable {
    case open
    /// A write or a sync failed. Nothing is written until recovery.
    case stopped(DiskError)
    case recovering(DiskError)
    case closed
  }

  let salt: UInt64
  let durability: Durability
  private(set) var phase = Phase.open
  private(set) var accepted: FramePosition
  private(set) var written: FramePosition
  private(set) var durable: FramePosition
  private(set) var index: FrameIndex
  /// A Boolean value that indicates whether there is a leader. Only the leader touches the file.
  private(set) var isLed = false
  /// The time of writing the oldest unsynced frame, in nanoseconds of the monotonic clock.
  private(set) var unsyncedSince: Int64?
  /// The end time of the last sync, in nanoseconds of the monotonic clock.
  private(set) var lastSync: Int64 = 0
  /// The last transaction that the newest durability mark names.
  private(set) var marked: SequenceNumber
  /// A Boolean value that indicates whether more zeros should be preallocated.
  private(set) var wantsFill = false
  private(set) var statistics = AppendStatistics()
  /// One entry for each completed recovery: the last transaction that it found. The index is the
  /// number of the stop.
  private(set) var includedThrough: [SequenceNumber] = []

  private var forming: CommitGroup
  private var spare: CommitGroup?

  init(
    salt: UInt64, durability: Durability, at position: FramePosition, marked: SequenceNumber,
    index: FrameIndex
  ) {
    self.salt = salt
    self.durability = durability
    self.marked = marked
    self.index = index
    accepted = position
    written = position
    durable = position
    forming = CommitGroup(start: position)
  }

  // MARK: Enqueueing

  /// Numbers a payload and appends its frame to the forming group.
  ///
  /// - Returns: `accepted` with the append; `conflict` with the accepted head, if the head is not
  ///   `expected`; `refused` with the reason, if this phase accepts no appends.
  mutating func enqueue(
    _ payload: [UInt8], at time: JournalTime, expecting expected: SequenceNumber?
  ) -> Enqueued {
    if let refusal { return .refused(refusal) }
    if let expected, expected != accepted.sequence { return .conflict(accepted.chain.point) }
    let raised = max(time, accepted.chain.point.time)
    let header = FrameHeader(
      payloadByteCount: payload.count, kind: .transaction, sequence: accepted.sequence.next,
      time: raised, durable: durable.sequence, previousCheck: accepted.chain.point.check)
    index.record(accepted)
    let payloadOffset = accepted.endOffset + UInt64(Frame.headerByteCount)
    let isTogether = forming.frames.byteCount > 0
    let check = forming.frames.append(header, payload: payload.span.bytes, salt: salt)
    accepted.advance(over: header, check: check)
    forming.end = accepted
    return .accepted(
      PendingAppend(
        sequence: header.sequence, time: raised, raisedFrom: raised == time ? nil : time,
        check: check, payloadOffset: payloadOffset, isTogether: isTogether,
        group: forming.outcome))
  }

  enum Enqueued {
    case accepted(PendingAppend)
    case conflict(ChainPoint)
    case refused(JournalError.Reason)
  }

  /// Adds work other than frames to the forming group.
  ///
  /// - Returns: The promise of the group's outcome; nil if nothing can be written in this phase.
  mutating func enqueue(_ work: CommitGroup.Work) -> Promise<CommitGroup.Outcome>? {
    if refusal != nil { return nil }
    forming.work.insert(work)
    return forming.outcome
  }

  /// The reason for which nothing can be appended; nil if appends are accepted.
  var refusal: JournalError.Reason? {
    switch phase {
    case .open: nil
    case .stopped(let error), .recovering(let error): .stopped(error)
    case .closed: .closed
    }
  }

  // MARK: Leading

  /// Returns true, and registers the caller as the leader, if no leader exists and a group is
  /// pending.
  mutating func lead() -> Bool {
    guard !isLed, !forming.isEmpty else { return false }
    isLed = true
    return true
  }

  /// Takes the forming group, and returns it together with a Boolean value that indicates whether
  /// it must be synced. A new group starts to form.
  mutating func takeGroup(at now: Int64) -> (group: CommitGroup, syncs: Bool) {
    precondition(isLed && !forming.isEmpty, "a group needs a leader and at least one append")
    let group = forming
    let isOverdue = unsyncedSince.map { now &- $0 >= durability.intervalNanoseconds } ?? false
    let unsynced = group.end.endOffset - durable.endOffset
    let syncs =
      unsynced > 0
      && (durability.syncsEachGroup || isOverdue || unsynced >= Durability.unsyncedByteCountMax
        || !group.work.isDisjoint(with: [.sync, .mark, .close]))
    if let next = spare {
      next.reset(start: accepted)
      forming = next
      spare = nil
    } else {
      forming = CommitGroup(start: accepted)
    }
    return (group, syncs)
  }

  /// Records that the group that was taken is durable. This happens before the group is completed
  /// and its end is published. So the head already includes every transaction that a follower can
  /// read from the file.
  mutating func recordSync(_ end: FramePosition) {
    precondition(isLed, "a group was synced without a leader")
    written = end
    durable = end
  }

  /// The result of writing a group.
  enum Effect {
    case synced(at: Int64)
    case written(at: Int64)
    case refused(JournalError.Reason)
    case failed(DiskError)

    var isRefused: Bool {
      if case .refused = self { true } else { false }
    }
  }

  /// The facts about the file that the leader reports after it has written a group.
  struct WriterStatus {
    /// The last transaction that is in a mark.
    var marked: SequenceNumber
    /// A Boolean value that indicates whether more zeros should be preallocated.
    var wantsFill: Bool
    /// The number of times that the committed end could not be published.
    var unpublishedEndCount: Int
  }

  /// The outcomes to announce after the lock is released, and whether the leader has another group
  /// to write.
  struct Completion {
    fileprivate(set) var outcomes: [(group: Promise<CommitGroup.Outcome>, CommitGroup.Outcome)] = []
    fileprivate(set) var isLedOn = false

    func announce() {
      for (group, outcome) in outcomes { group.fulfill(outcome) }
    }
  }

  /// Completes the group that was taken.
  ///
  /// If the completed group was refused, failed or closed the journal, the forming group is refused
  /// too.
  mutating func complete(
    _ group: CommitGroup, effect: Effect, status: WriterStatus
  ) -> Completion {
    precondition(isLed, "a group was completed without a leader")
    marked = status.marked
    wantsFill = status.wantsFill
    count(group, effect: effect, status: status)
    var completion = Completion()
    var formingRefusal: JournalError.Reason?
    switch effect {
    case .synced(let now):
      precondition(durable == group.end, "a synced group ends at \(durable)")
      unsyncedSince = nil
      lastSync = now
      completion.outcomes = [(group.outcome, .done(.durable))]
    case .written(let now):
      written = group.end
      if written != durable, unsyncedSince == nil { unsyncedSince = now }
      completion.outcomes = [(group.outcome, .done(written == durable ? .durable : .written))]
    case .refused(let reason):
      completion.outcomes = [(group.outcome, .refused(reason))]
      formingRefusal = .precedingRefused
      moveBack(to: written)
    case .failed(let error):
      completion.outcomes = [
        (group.outcome, .unknown(error, stop: includedThrough.count))
      ]
      formingRefusal = .stopped(error)
      unsyncedSince = nil
      phase = .stopped(error)
      moveBack(to: durable)
    }
    // A refused group does not close the journal. The caller of the close tries again.
    if group.work.contains(.close), !effect.isRefused {
      phase = .closed
      if formingRefusal == nil {
        formingRefusal = .closed
        moveBack(to: written)
      }
    }
    if let formingRefusal {
      let work = group.work.union(forming.work).subtracting(.close)
      completion.outcomes.append((forming.outcome, .refused(formingRefusal)))
      forming.reset(start: accepted)
      // The other work stays in the forming group. A sync needs no space, so the refusal of frames
      // must not cancel it. Otherwise callers could retry syncs and be refused each time.
      if effect.isRefused { forming.work = work }
    }
    isLed = !forming.isEmpty
    completion.isLedOn = isLed
    spare = group
    return completion
  }

  private mutating func count(_ group: CommitGroup, effect: Effect, status: WriterStatus) {
    statistics.unpublishedEndCount = status.unpublishedEndCount
    switch effect {
    case .synced, .written:
      if case .synced = effect { statistics.syncCount += 1 }
      guard group.end.sequence > group.start.sequence else { return }
      statistics.groupCount += 1
      statistics.transactionCount += Int(
        group.end.sequence.rawValue - group.start.sequence.rawValue)
    case .refused: statistics.refusedGroupCount += 1
    case .failed: statistics.stopCount += 1
    }
  }

  /// Drops the frames that were numbered after a position.
  private mutating func moveBack(to position: FramePosition) {
    accepted = position
    index.cut(at: position.endOffset + 1)
  }

  // MARK: Stopping and recovering

  /// Starts recovery.
  ///
  /// - Returns: False if the writer has not stopped.
  mutating func startRecovery() -> Bool {
    guard case .stopped(let error) = phase else { return false }
    precondition(!isLed, "a stopped journal has a leader")
    phase = .recovering(error)
    isLed = true
    return true
  }

  /// Moves all positions to the one that recovery found. Appends are still refused.
  mutating func moveRecovery(to position: FramePosition, index recovered: FrameIndex) {
    guard case .recovering = phase else {
      preconditionFailure("recovery continued in phase \(phase)")
    }
    accepted = position
    written = position
    durable = position
    index.cut(at: position.endOffset + 1)
    index.record(recovered)
    forming.reset(start: position)
  }

  /// Ends recovery. Writing continues at the recovered position, or stays stopped if recovery
  /// failed.
  mutating func endRecovery(isComplete: Bool) {
    guard case .recovering(let error) = phase else {
      preconditionFailure("recovery ended in phase \(phase)")
    }
    isLed = false
    guard isComplete else {
      phase = .stopped(error)
      return
    }
    phase = .open
    includedThrough.append(durable.sequence)
  }

  /// Closes a writer that has stopped, as it has nothing more to write. An open writer is closed by
  /// a group with the work ``CommitGroup/Work/close``.
  ///
  /// - Returns: The phase before the call.
  mutating func closeUnlessOpen() -> Phase {
    let before = phase
    if case .stopped = before { phase = .closed }
    return before
  }
}
