import DaybookPlatform

/// The state machine of group commit. The queue numbers appends, adds them to groups, and records
/// the outcomes of groups. ``FileJournal`` guards the queue by a mutex. The queue performs no I/O;
/// ``CommitWriter`` does.
///
/// The queue contains three positions in the file. While the queue is open, durable is at or before
/// written, and written is at or before accepted:
///
/// - *accepted*: the end of the last frame that has a number;
/// - *written*: the end of the last frame that was passed to the system;
/// - *durable*: the end of the last frame that was synced.
///
/// Two outcomes move the accepted position back:
///
/// - A *refused* group was not written, for example because the disk is full. The accepted position
///   moves back to the written position.
/// - A *failed* group may be written in part. The accepted position moves back to the durable
///   position. The written position does not change, so that recovery can detect the loss of
///   written transactions.
///
/// In both cases, the queue also refuses the forming group. The frames of the forming group
/// continue the chain of the dropped frames, so they cannot be written.
///
/// ```
///   enqueue ─▶ forming ─▶ take ─▶ (write, sync) ─▶ complete ─▶ the leader takes the next group
///                                     │
///                                     └─ a call fails ─▶ stopped ─▶ recovered
/// ```
///
/// At most one thread is the leader. If there is no leader after an append, the caller of the
/// append becomes the leader, or makes a worker thread the leader (``lead()``). The leadership ends
/// when the leader completes a group and the forming group is empty.
struct CommitQueue {
  enum Phase: Hashable {
    case open
    /// The outcome of a group is unknown. Nothing is written until recovery.
    case stopped(UnknownAppend.Cause)
    case recovering(UnknownAppend.Cause)
    case closed
  }

  let salt: UInt64
  let durability: Durability
  private(set) var phase = Phase.open
  private(set) var accepted: FramePosition
  private(set) var written: FramePosition
  private(set) var durable: FramePosition
  private(set) var index: FrameIndex
  /// A Boolean value that indicates whether there is a leader. Only the leader writes to the file.
  private(set) var isLed = false
  /// The time of the write of the oldest unsynced frame, in nanoseconds of the clock's uptime; nil
  /// if all written frames are synced.
  private(set) var unsyncedSince: Int64?
  /// The end time of the last sync, in nanoseconds of the clock's uptime.
  private(set) var lastSync: Int64 = 0
  /// The transaction that the newest durability mark records.
  private(set) var marked: SequenceNumber
  /// A Boolean value that indicates whether the leader should preallocate more zeros.
  private(set) var wantsFill = false
  private(set) var statistics = AppendStatistics()
  /// The number of absorptions and restarts; 0 in a journal that is not shared.
  private(set) var absorptionCount = 0
  /// The number of times that a new file has replaced the file of a replica.
  private(set) var restartCount = 0
  /// The last transaction of this machine that is in the shared log and in the file; 0 in a journal
  /// that is not shared.
  private(set) var lastShared = SequenceNumber.zero
  /// For each completed recovery, the last transaction of this machine that it found in the file;
  /// nil if the outcome of the append without an answer is not known.
  /// ``UnknownAppend`` contains an index of this array.
  private(set) var includedThrough: [SequenceNumber?] = []

  /// The group that new frames and new work are added to. It starts at the accepted position if it
  /// is empty.
  private var forming: CommitGroup
  /// A completed group, with memory that the next forming group reuses.
  private var spare: CommitGroup?

  /// A Boolean value that indicates whether the frames are appended to a shared log.
  ///
  /// Other machines may receive a frame that this machine has synced before they have synced the
  /// frames before it. So the frames of a shared log record no durable transaction.
  private let isShared: Bool

  init(
    salt: UInt64, durability: Durability, at position: FramePosition, marked: SequenceNumber,
    index: FrameIndex, isShared: Bool = false
  ) {
    self.isShared = isShared
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
  /// In a shared journal, a number alone does not identify a state: a transaction that was
  /// withdrawn and one that was absorbed can have the same number.
  ///
  /// - Parameter count: The ``absorptionCount`` of the state that the payload was made for.
  /// - Returns: `accepted` with the append; `conflict` with the accepted head, if this head is not
  ///   `expected`; `refused` with the reason, if the queue is not open.
  mutating func enqueue(
    _ payload: [UInt8], at time: JournalTime, expecting expected: SequenceNumber?,
    afterAbsorptions count: Int? = nil
  ) -> Enqueued {
    if let refusal { return .refused(refusal) }
    if let expected, expected != accepted.sequence || (count ?? absorptionCount) != absorptionCount
    {
      return .conflict(accepted.chain.point)
    }
    let raised = max(time, accepted.chain.point.time)
    let header = FrameHeader(
      payloadByteCount: payload.count, kind: .transaction, sequence: accepted.sequence.next,
      time: raised, durable: isShared ? .zero : durable.sequence,
      previousChecksum: accepted.chain.point.checksum)
    index.record(accepted)
    let payloadOffset = accepted.endOffset + UInt64(Frame.headerByteCount)
    let isTogether = forming.frames.byteCount > 0
    let checksum = forming.frames.append(header, payload: payload.span.bytes, salt: salt)
    accepted.advance(over: header, checksum: checksum)
    forming.end = accepted
    return .accepted(
      PendingAppend(
        sequence: header.sequence, time: raised, clockTime: raised == time ? nil : time,
        checksum: checksum, payloadOffset: payloadOffset, isTogether: isTogether,
        group: forming.outcome))
  }

  enum Enqueued {
    case accepted(PendingAppend)
    case conflict(ChainPoint)
    case refused(JournalError.Reason)
  }

  /// Adds work other than frames to the forming group.
  ///
  /// - Returns: The promise of the group's outcome; nil if the queue is not open.
  mutating func enqueue(_ work: CommitGroup.Work) -> Promise<CommitGroup.Outcome>? {
    if refusal != nil { return nil }
    forming.work.insert(work)
    return forming.outcome
  }

  /// The reason why the queue refuses appends; nil if it accepts appends.
  var refusal: JournalError.Reason? {
    switch phase {
    case .open: nil
    case .stopped(let cause), .recovering(let cause): cause.refusal
    case .closed: .closed
    }
  }

  // MARK: Leading

  /// Makes the caller the leader, if there is no leader and the forming group is not empty.
  ///
  /// - Returns: True if the caller has become the leader.
  mutating func lead() -> Bool {
    guard !isLed, !forming.isEmpty else { return false }
    isLed = true
    return true
  }

  /// Takes the forming group, and returns it together with a Boolean value that indicates whether
  /// it must be synced. A new group starts to form.
  ///
  /// If frames are not synced yet, the group is synced in four cases: the durability is full, the
  /// oldest unsynced frame is overdue, the limit of unsynced bytes is reached, or the work of the
  /// group needs a sync.
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

  /// Moves the written and the durable position to the end of the group that the leader has synced.
  ///
  /// The leader calls this before it publishes the durable position to other processes. Otherwise a
  /// follower could return a transaction that is after the durable head of this journal.
  mutating func recordSync(_ end: FramePosition) {
    precondition(isLed, "a group was synced without a leader")
    written = end
    durable = end
  }

  /// The outcomes that the leader announces after it has released the lock. ``isLedOn`` indicates
  /// whether the leader has a further group to write.
  struct Completion {
    fileprivate(set) var outcomes: [(group: Promise<CommitGroup.Outcome>, CommitGroup.Outcome)] = []
    fileprivate(set) var isLedOn = false

    func announce() {
      for (group, outcome) in outcomes { group.fulfill(outcome) }
    }
  }

  /// Records the outcome of the group that the leader has taken.
  ///
  /// The forming group is refused too in three cases: the completed group was refused, it failed,
  /// or it closed the journal.
  mutating func complete(
    _ group: CommitGroup, effect: Effect, status: WriterStatus
  ) -> Completion {
    precondition(isLed, "a group was completed without a leader")
    marked = status.marked
    wantsFill = status.wantsFill
    statistics.count(group, effect: effect, status: status)
    var completion = Completion()
    var formingRefusal: JournalError.Reason?
    var cause: UnknownAppend.Cause?
    switch effect {
    case .synced(let now):
      precondition(durable == group.end, "a synced group ends at \(durable)")
      unsyncedSince = nil
      lastSync = now
      if group.safety != nil { lastShared = group.end.sequence }
      completion.outcomes = [(group.outcome, .done(group.safety ?? .durable))]
    case .written(let now):
      written = group.end
      if written != durable, unsyncedSince == nil { unsyncedSince = now }
      if group.safety != nil { lastShared = group.end.sequence }
      completion.outcomes = [
        (group.outcome, .done(group.safety ?? (written == durable ? .durable : .written)))
      ]
    case .refused(let reason):
      completion.outcomes = [(group.outcome, .refused(reason))]
      formingRefusal = reason.isOfSharedLog ? reason : .precedingRefused
      moveBack(to: written)
    case .outpaced:
      // The frames that form meanwhile follow the absorbed frames, so they are not refused.
      completion.outcomes = [(group.outcome, .refused(.outpaced))]
      forming.work.formUnion(group.work.subtracting([.close, .pull, .repair]))
    case .failed(let error): cause = .disk(error)
    case .unanswered(let error): cause = .sharedLog(error)
    }
    if let cause {
      completion.outcomes = [(group.outcome, .unknown(cause, stop: includedThrough.count))]
      formingRefusal = cause.refusal
      unsyncedSince = nil
      phase = .stopped(cause)
      moveBack(to: durable)
    }
    // A refused group does not close the journal. The thread that closes the journal tries again.
    if group.work.contains(.close), !effect.isRefused {
      phase = .closed
      if formingRefusal == nil {
        formingRefusal = .closed
        moveBack(to: written)
      }
    }
    if let formingRefusal {
      let work = group.work.union(forming.work).subtracting([.close, .pull, .repair])
      completion.outcomes.append((forming.outcome, .refused(formingRefusal)))
      forming.reset(start: accepted)
      // The work of both groups stays in the forming group, except a close. A sync needs no space,
      // so a refusal of frames must not cancel the sync. Otherwise a caller could retry a sync
      // without end.
      if effect.isRefused { forming.work = work }
    }
    isLed = !forming.isEmpty
    completion.isLedOn = isLed
    spare = group
    return completion
  }

  /// Drops the frames that were numbered after a position.
  private mutating func moveBack(to position: FramePosition) {
    accepted = position
    index.cut(at: position.endOffset + 1)
  }

  // MARK: Absorbing

  /// Moves the queue over frames of other machines, which the leader has read from the shared log
  /// and has written after the written position.
  ///
  /// Frames with a number that are not written are withdrawn: those of the group that the leader
  /// has taken, and those of the forming group. The forming group is refused at once.
  mutating func absorb(
    _ absorbed: FrameIndex, through end: FramePosition, at now: Int64
  ) -> Completion {
    precondition(isLed, "frames were absorbed without a leader")
    absorptionCount += 1
    moveBack(to: written)
    index.record(absorbed)
    accepted = end
    written = end
    if unsyncedSince == nil { unsyncedSince = now }
    var completion = Completion()
    if forming.frames.byteCount > 0 {
      let work = forming.work
      completion.outcomes = [(forming.outcome, .refused(.outpaced))]
      forming.reset(start: end)
      forming.work = work.subtracting([.close, .pull, .repair])
    } else {
      forming.move(to: end)
    }
    return completion
  }

  /// Moves the queue to the last frame of a new file, which replaces the file of a replica. Frames
  /// that form meanwhile are withdrawn. An index is that of the new file; nil keeps the old one.
  mutating func restart(at position: FramePosition, index new: FrameIndex?) -> Completion {
    restartCount += 1
    durable = position
    written = position
    marked = position.sequence
    lastShared = min(lastShared, position.sequence)
    let completion = absorb(FrameIndex(), through: position, at: lastSync)
    if let new { index = new }
    unsyncedSince = nil
    return completion
  }

  // MARK: Stopping and recovering

  /// Starts recovery.
  ///
  /// - Returns: False if the queue is not in the phase `stopped`.
  mutating func startRecovery() -> Bool {
    guard case .stopped(let cause) = phase else { return false }
    precondition(!isLed, "a stopped journal has a leader")
    phase = .recovering(cause)
    isLed = true
    return true
  }

  /// Moves all positions to the end of the intact frames that recovery found. The queue still
  /// refuses appends.
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

  /// Ends recovery. If it is complete, the queue is open again. Otherwise the queue stays stopped.
  ///
  /// - Parameters:
  ///   - isComplete: A Boolean value that indicates whether the recovery is complete.
  ///   - last: The last transaction of this machine that the recovery has found; nil if the outcome
  ///     of the append without an answer is not known.
  mutating func endRecovery(isComplete: Bool, includedThrough last: SequenceNumber?) {
    guard case .recovering(let cause) = phase else {
      preconditionFailure("recovery ended in phase \(phase)")
    }
    isLed = false
    guard isComplete else {
      phase = .stopped(cause)
      return
    }
    phase = .open
    includedThrough.append(last)
  }

  /// Records the outcome of an append that a completed recovery could not resolve.
  mutating func recordInclusion(through last: SequenceNumber?, atStop stop: Int) {
    includedThrough[stop] = last
  }

  /// Closes the queue if it has stopped, because then there is nothing more to write. An open queue
  /// is closed by a group with the work ``CommitGroup/Work/close``.
  ///
  /// - Returns: The phase before the call.
  mutating func closeUnlessOpen() -> Phase {
    let before = phase
    if case .stopped = before { phase = .closed }
    return before
  }
}
