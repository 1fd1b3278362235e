import DaybookPlatform

/// The state machine of a journal's writer: it numbers, groups and settles, and touches no file.
///
/// Three positions move through it, each never ahead of the one before: *accepted*, the last frame
/// that has a number; *written*, the last that has been handed to the system; *durable*, the last
/// that has been synced. A refused or failed group takes the accepted position back, and with it
/// every frame numbered since, as those follow it in the chain.
///
/// ```
///   number ─▶ forming ─▶ take ─▶ (write, sync) ─▶ settle ─▶ the next is led
///                                     │
///                                     └─ a call fails ─▶ stopped ─▶ recovered
/// ```
struct AppendState {
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
  /// Whether someone is writing a group. Only the leader touches the file.
  private(set) var isLed = false
  /// When the oldest unsynced frame was written, by the clock that never goes back.
  private(set) var unsyncedSince: Int64?
  /// When the last sync ended.
  private(set) var lastSync: Int64 = 0
  /// The last transaction that a mark tells of.
  private(set) var marked: SequenceNumber
  /// Whether the space filled with zeros is running out.
  private(set) var wantsFill = false
  private(set) var statistics = AppendStatistics()
  /// For each stop so far, the last transaction that recovery found to be in the journal.
  private(set) var includedThrough: [SequenceNumber] = []

  private var forming: AppendGroup
  private var spare: AppendGroup?
  /// What is rung when so many wait for the forming group; see ``gather(after:_:)``.
  private var gathering: (count: Int, bell: Signal)?
  private var thread = ThreadState.idle
  /// What that thread is to make. Nothing when nobody leads.
  private var enlisted = Enlistments()

  /// What the journal's own thread does.
  private enum ThreadState {
    /// It does not lead.
    case idle
    case leads
    /// It leads, and sleeps until the disk is done.
    case sleeps
  }

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
    forming = AppendGroup(start: position)
  }

  // MARK: Numbering

  /// What was made of a payload.
  struct Numbered {
    var sequence: SequenceNumber
    var time: JournalTime
    var raisedFrom: JournalTime?
    var check: UInt64
    /// Whether it is in one group with the one before it.
    var isTogether: Bool
  }

  enum Numbering {
    case accepted(Numbered)
    case conflict(JournalHead)
    case refused(JournalError.Reason)
  }

  /// Gives a payload the next number and puts its frame into the forming group.
  mutating func number(
    _ payload: [UInt8], at time: JournalTime, expecting expected: SequenceNumber?
  ) -> Numbering {
    if let refusal { return .refused(refusal) }
    if let expected, expected != accepted.sequence { return .conflict(accepted.head) }
    let raised = max(time, accepted.chain.time)
    let header = FrameHeader(
      payloadByteCount: payload.count, kind: .transaction, sequence: accepted.sequence.next,
      time: raised, durable: durable.sequence, previousCheck: accepted.chain.check)
    index.note(accepted.endOffset, accepted.chain)
    let isTogether = forming.frames.byteCount > 0
    let check = forming.frames.append(header, payload: payload.span.bytes, salt: salt)
    accepted.chain.advance(over: header, check: check)
    accepted.endOffset += UInt64(header.frameByteCount)
    forming.end = accepted
    return .accepted(
      Numbered(
        sequence: header.sequence, time: raised, raisedFrom: raised == time ? nil : time,
        check: check, isTogether: isTogether))
  }

  /// Asks for work beside frames: the caller is to lead, or to wait.
  mutating func ask(
    for work: AppendGroup.Work, _ waiter: @autoclosure () -> AppendWaiter
  ) -> AppendVerdict? {
    if let refusal { return .settled(.refused(refusal)) }
    forming.work.insert(work)
    return leadOrWait(waiter())
  }

  /// Why nothing can be appended now, if so.
  var refusal: JournalError.Reason? {
    switch phase {
    case .open: nil
    case .stopped(let error), .recovering(let error): .stopped(error)
    case .closed: .closed
    }
  }

  // MARK: Leading

  /// Makes the caller the leader if there is none; otherwise it is to wait.
  mutating func leadOrWait(_ waiter: @autoclosure () -> AppendWaiter) -> AppendVerdict? {
    guard isLed else {
      isLed = true
      return .lead
    }
    addWaiter(waiter())
    return nil
  }

  /// Makes the caller wait in any case.
  ///
  /// - Returns: Whether there was no leader: the caller has the lead, and is to hand it on.
  mutating func wait(_ waiter: AppendWaiter) -> Bool {
    defer { isLed = true }
    addWaiter(waiter)
    return !isLed
  }

  private mutating func addWaiter(_ waiter: AppendWaiter) {
    forming.waiters.append(waiter)
    ringIfGathered()
  }

  // MARK: Enlisting

  /// Notes that the one who leads is the journal's own thread.
  mutating func leadByThread() {
    precondition(isLed, "a thread leads a journal that is not led")
    thread = .leads
  }

  /// Notes that the thread that leads will sleep until the disk is done.
  mutating func sleepThread() {
    precondition(thread == .leads, "a thread that is \(thread) sleeps for a group")
    thread = .sleeps
  }

  private mutating func wakeThread() {
    if thread == .sleeps { thread = .leads }
  }

  /// Whether appends are left to the thread that leads. While that sleeps, who begins an append itself is in nobody's way.
  var takesIn: Bool { thread == .leads && phase == .open }

  /// Leaves an append to the thread that leads.
  ///
  /// - Returns: False if no thread does, or it sleeps, or nothing can be appended: the caller is to begin it itself.
  mutating func enlist(_ enlistment: Enlistment) -> Bool {
    guard takesIn else { return false }
    enlisted.add(enlistment)
    ringIfGathered()
    return true
  }

  /// Removes and returns the enlisted appends.
  mutating func takeEnlisted() -> [Enlistment] { enlisted.take() }

  mutating func putBack(_ rest: ArraySlice<Enlistment>) { enlisted.putBack(rest) }

  // MARK: Gathering

  /// From how many on who have waited for one group a leader gathers the next.
  static let gatheredCountMin = 4

  /// Whether there is a group to be written for which nothing is left to be made.
  var isReady: Bool { !forming.waiters.isEmpty && enlisted.count == 0 }

  /// How many have come for the forming group.
  var pendingAppendCount: Int { forming.waiters.count + enlisted.count }

  private mutating func ringIfGathered() {
    guard let gathering, pendingAppendCount >= gathering.count else { return }
    gathering.bell.increase()
    self.gathering = nil
  }

  /// Makes a bell ring when enough appends are pending: a quarter of the last group and the pending appends together.
  ///
  /// The leader that the bell wakes runs late, because the savers use the processors. More appends are pending then.
  ///
  /// - Returns: True if the bell will ring; false if enough appends are already pending or no group is gathered.
  mutating func gather(after lastCount: Int, _ bell: Signal) -> Bool {
    precondition(isLed, "a group was gathered by someone who does not lead")
    let count = (lastCount + pendingAppendCount + 3) / 4
    guard phase == .open, lastCount >= AppendState.gatheredCountMin, pendingAppendCount < count
    else { return false }
    gathering = (count, bell)
    return true
  }

  /// Ends that: whoever leads goes on if anybody waits.
  ///
  /// - Returns: Whether anybody does.
  mutating func endGathering() -> Bool {
    gathering = nil
    endLead(unless: pendingAppendCount > 0)
    return isLed
  }

  private mutating func endLead(unless isLedOn: Bool) {
    isLed = isLedOn
    if !isLedOn { thread = .idle }
  }

  /// Takes the forming group, and says whether it must be synced; a new one begins to form.
  mutating func take(at now: Int64) -> (group: AppendGroup, syncs: Bool) {
    precondition(isLed, "a group was taken by someone who does not lead")
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
      forming = AppendGroup(start: accepted)
    }
    return (group, syncs)
  }

  /// Notes that the group that was taken is durable, before it is settled: whoever hears of its
  /// transactions from the file finds them at the head as well.
  mutating func noteSynced(_ end: FramePosition) {
    precondition(isLed, "a group was synced by someone who does not lead")
    written = end
    durable = end
    wakeThread()
  }

  /// - Parameter isKept: Whether the leader leads on, even if nobody waits now: those may come back who have waited.
  mutating func settle(
    _ group: AppendGroup, _ effect: Effect, _ writer: WriterStatus, isKept: Bool = false
  ) -> Announcement {
    precondition(isLed, "a group was settled by someone who does not lead")
    wakeThread()
    marked = writer.marked
    wantsFill = writer.wantsFill
    count(group, effect, writer)
    var announcement = Announcement(
      settlement: .done(.durable), waiters: group.waiters, isLedOn: false)
    switch effect {
    case .synced(let now):
      precondition(durable == group.end, "a synced group ends at \(durable)")
      unsyncedSince = nil
      lastSync = now
    case .written(let now):
      written = group.end
      if written != durable {
        announcement.settlement = .done(.written)
        if unsyncedSince == nil { unsyncedSince = now }
      }
    case .refused(let reason):
      announcement.settlement = .refused(reason)
      announcement.alsoRefused = takeBack(to: written, .precedingRefused)
    case .failed(let error):
      let stop = includedThrough.count
      announcement.settlement = .unknown(error, stop: stop)
      announcement.alsoRefused = takeBack(to: durable, .stopped(error))
      unsyncedSince = nil
      phase = .stopped(error)
    }
    // Work that was refused with the frames in its group is asked for again.
    if group.work.contains(.close), !effect.isRefused {
      phase = .closed
      announcement.alsoRefused = announcement.alsoRefused ?? takeBack(to: written, .closed)
    }
    if phase != .open { announcement.returned = enlisted.take() }
    let gathers = isKept && group.waiters.count >= AppendState.gatheredCountMin && phase == .open
    endLead(unless: pendingAppendCount > 0 || gathers)
    announcement.isLedOn = isLed
    group.waiters = []
    spare = group
    return announcement
  }

  private mutating func count(_ group: AppendGroup, _ effect: Effect, _ writer: WriterStatus) {
    statistics.unpublishedEndCount = writer.unpublishedEndCount
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
  private mutating func takeBack(
    to position: FramePosition, _ reason: JournalError.Reason
  ) -> (JournalError.Reason, [AppendWaiter])? {
    accepted = position
    index.cut(at: position.endOffset + 1)
    let hadFrames = forming.frames.byteCount > 0
    let waiters = forming.waiters
    // Work that was asked for with the frames is asked for again by whoever needs it.
    forming.reset(start: accepted)
    return hadFrames || !waiters.isEmpty ? (reason, waiters) : nil
  }

  /// Hands the lead to the first who waits for the forming group.
  mutating func nextLeader() -> AppendWaiter {
    precondition(
      isLed && !forming.waiters.isEmpty, "\(forming.waiters.count) wait for a group to be led")
    return forming.waiters.removeFirst()
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
