import DaybookPlatform

/// The state machine of group commit: it numbers appends, forms groups and completes them, and touches no file.
///
/// Three positions move through it, each never ahead of the one before: *accepted*, the last frame
/// that has a number; *written*, the last that has been handed to the system; *durable*, the last
/// that has been synced. A refused or failed group moves the accepted position back, and with it
/// every frame numbered since, as those follow it in the chain.
///
/// ```
///   enqueue ─▶ forming ─▶ take ─▶ (write, sync) ─▶ complete ─▶ the leader takes the next group
///                                     │
///                                     └─ a call fails ─▶ stopped ─▶ recovered
/// ```
///
/// There is a leader while a group is pending or written. An append that finds none makes its caller the
/// leader (``lead()``), and the leader ends when it completes a group and none is pending.
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
  /// The time at which the oldest unsynced frame was written, by the clock that never goes back.
  private(set) var unsyncedSince: Int64?
  /// The time at which the last sync ended.
  private(set) var lastSync: Int64 = 0
  /// The last transaction that a mark contains.
  private(set) var marked: SequenceNumber
  /// A Boolean value that indicates whether the space filled with zeros is running out.
  private(set) var wantsFill = false
  private(set) var statistics = AppendStatistics()
  /// For each stop so far, the last transaction that recovery found to be in the journal.
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

  /// Gives a payload the next number, and appends its frame to the forming group.
  ///
  /// - Returns: The append; the accepted head, if that is not the expected one; or why nothing can be appended.
  mutating func enqueue(
    _ payload: [UInt8], at time: JournalTime, expecting expected: SequenceNumber?
  ) -> Enqueued {
    if let refusal { return .refused(refusal) }
    if let expected, expected != accepted.sequence { return .conflict(accepted.chain.point) }
    let raised = max(time, accepted.chain.point.time)
    let header = FrameHeader(
      payloadByteCount: payload.count, kind: .transaction, sequence: accepted.sequence.next,
      time: raised, durable: durable.sequence, previousCheck: accepted.chain.point.check)
    index.note(accepted)
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

  /// Adds work beside frames to the forming group.
  ///
  /// - Returns: The outcome of the group; nil if nothing can be written now.
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

  /// Makes the caller the leader, if there is none and a group is pending.
  mutating func lead() -> Bool {
    guard !isLed, !forming.isEmpty else { return false }
    isLed = true
    return true
  }

  /// Takes the forming group, and returns it with whether it must be synced. A new group begins to form.
  mutating func take(at now: Int64) -> (group: CommitGroup, syncs: Bool) {
    precondition(isLed && !forming.isEmpty, "a group is taken without a leader, or an empty one")
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

  /// Notes that the group that was taken is durable, before it is completed: a follower that reads its
  /// transactions from the file finds them at the head as well.
  mutating func noteSynced(_ end: FramePosition) {
    precondition(isLed, "a group was synced without a leader")
    written = end
    durable = end
  }

  /// The effect that writing a group had.
  enum Effect {
    case synced(at: Int64)
    case written(at: Int64)
    case refused(JournalError.Reason)
    case failed(DiskError)

    var isRefused: Bool {
      if case .refused = self { true } else { false }
    }
  }

  /// The facts that the leader reports of the file after it has written a group.
  struct WriterStatus {
    /// The last transaction that is in a mark.
    var marked: SequenceNumber
    /// A Boolean value that indicates whether the space filled with zeros is running out.
    var wantsFill: Bool
    /// The number of times that the committed end could not be published.
    var unpublishedEndCount: Int
  }

  /// The outcomes of groups, to be announced without the lock, and whether the leader has another group to write.
  struct Completion {
    fileprivate(set) var outcomes: [(group: Promise<CommitGroup.Outcome>, CommitGroup.Outcome)] = []
    fileprivate(set) var isLedOn = false

    func announce() {
      for (group, outcome) in outcomes { group.fulfill(outcome) }
    }
  }

  /// Completes the group that was taken. The forming group is refused if it cannot follow that.
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
    // A close that was refused with the frames of its group is enqueued again by its caller.
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
      // A sync needs no space. So it does not wait until frames are accepted, as those of callers that try again may
      // be refused for ever.
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

  /// Forgets the frames numbered since a position.
  private mutating func moveBack(to position: FramePosition) {
    accepted = position
    index.cut(at: position.endOffset + 1)
  }

  // MARK: Stopping and going on

  /// Begins recovery.
  ///
  /// - Returns: False if the writer has not stopped.
  mutating func beginRecovery() -> Bool {
    guard case .stopped(let error) = phase else { return false }
    precondition(!isLed, "a journal that has stopped is led")
    phase = .recovering(error)
    isLed = true
    return true
  }

  /// Moves to the position that recovery found. Nothing can be appended yet.
  mutating func moveRecovery(to position: FramePosition, index recovered: FrameIndex) {
    guard case .recovering = phase else {
      preconditionFailure("recovery moved in phase \(phase)")
    }
    accepted = position
    written = position
    durable = position
    index.cut(at: position.endOffset + 1)
    index.note(recovered)
    forming.reset(start: position)
  }

  /// Ends recovery: writing goes on at the position it moved to, or, if recovery failed, stays stopped.
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

  /// Closes a writer that has stopped, which has nothing more to write. One that is open closes by
  /// a group of its own.
  ///
  /// - Returns: The phase before.
  mutating func closeUnlessOpen() -> Phase {
    let before = phase
    if case .stopped = before { phase = .closed }
    return before
  }
}
