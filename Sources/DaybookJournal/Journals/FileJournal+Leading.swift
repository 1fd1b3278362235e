import DaybookPlatform

extension FileJournal {
  /// Writes the forming group for everyone in it, and hands the lead on if others have come meanwhile: to the
  /// thread for that, or to one of them if there is none.
  ///
  /// - Parameter whileSyncing: A closure that is called during the sync, unless the write has failed.
  func lead(whileSyncing: () -> Void) -> Settlement {
    let announcement = leadOnce(isKept: false, whileSyncing: whileSyncing).announcement
    announcement.tell()
    if announcement.isLedOn { handLeadOn() }
    return announcement.settlement
  }

  /// Hands the lead to the thread for that, or to the first of those who wait if there is none.
  func handLeadOn() {
    if successor?.expect(after: 0) != true {
      state.withLock { $0.nextLeader() }.resume(.lead)
    }
  }

  /// Writes one group after the other, for as long as others come meanwhile.
  ///
  /// The savers of one group often append again while the next group is written. A group that the leader took at
  /// once would be small, and the group after it large. Most savers would then wait for both, and the processors
  /// would be idle. So the leader waits for a bounded time until enough appends are pending.
  ///
  /// What they enlist is made here, while the disk is busy and before a group is taken. While this thread sleeps they
  /// make it themselves. And if the next group is there already when one is settled, the disk is told of that before
  /// those who have waited are told: it is to be busy meanwhile.
  func leadOn() {
    let bell = Signal()
    var writingNanoseconds = Int64.max
    var untold: AppendState.Announcement?
    func tell() {
      untold?.tell()
      untold = nil
    }
    state.withLock { $0.leadByThread() }
    while true {
      takeIn()
      guard state.withLock({ $0.endGathering() }) else { return tell() }
      let led = leadOnce(isKept: true) {
        tell()
        takeIn(for: writingNanoseconds)
        state.withLock { $0.sleepThread() }
      }
      // Where nothing was synced those before have not been told yet.
      tell()
      untold = led.announcement
      guard led.announcement.isLedOn else { return tell() }
      // The disk is still writing then. Behind that it waits to be asked to sync.
      writingNanoseconds = led.nanoseconds / 4
      let heard = bell.count
      let lastCount = led.announcement.waiters.count
      let (waits, isReady) = state.withLock { state in
        let waits = state.gather(after: lastCount, bell)
        return (waits, !waits && state.isReady)
      }
      if !isReady { tell() }
      if waits {
        let limit = min(led.nanoseconds, FileJournal.gatheringNanosecondsMax)
        bell.wait(until: heard + 1, deadline: SystemClock.uptimeNanoseconds + limit)
      }
    }
  }

  // MARK: Enlisting

  /// Leaves an append to the thread that leads, if one does and is awake, and suspends until that has made it and it is
  /// settled.
  ///
  /// - Returns: False if none does: the caller is to begin it itself.
  package func enlist(_ append: any EnlistedAppend) async -> Bool {
    guard state.withLock({ $0.takesIn }) else { return false }
    return await withUnsafeContinuation { continuation in
      let enlistment = Enlistment(append: append, waiter: continuation)
      if !state.withLock({ $0.enlist(enlistment) }) { continuation.resume(returning: false) }
    }
  }

  /// Begins the enlisted appends until none is left or the time is over.
  private func takeIn(for nanoseconds: Int64 = .max) {
    let clock = MachineClock()
    let start = clock.uptimeNanoseconds
    while true {
      let enlisted = state.withLock { $0.takeEnlisted() }
      if enlisted.isEmpty { return }
      for place in enlisted.indices {
        if nanoseconds < .max, clock.uptimeNanoseconds - start > nanoseconds {
          state.withLock { $0.putBack(enlisted[place...]) }
          return
        }
        enlisted[place].begin()
      }
    }
  }

  /// For how long others are waited for at the most, if the disk takes as long or longer.
  private static let gatheringNanosecondsMax: Int64 = 10_000_000

  /// What came of leading once.
  private struct Led {
    /// What those are to be told who have waited.
    var announcement: AppendState.Announcement
    /// How long it took to write and sync it.
    var nanoseconds: Int64
  }

  /// Writes the forming group for everyone in it.
  ///
  /// - Parameter isKept: Whether the leader leads on, even if nobody waits then.
  private func leadOnce(isKept: Bool, whileSyncing: () -> Void) -> Led {
    let start = MachineClock().uptimeNanoseconds
    let now = options.clock.uptimeNanoseconds
    let (group, syncs) = state.withLock { $0.take(at: now) }
    let effect = writer.carryOut(
      group, syncs: syncs, clock: options.clock, whileSyncing: whileSyncing,
      whenSynced: { state.withLock { $0.noteSynced(group.end) } })
    let status = writer.status(behind: group.end)
    let (announcement, due) = state.withLock { state in
      let announcement = state.settle(group, effect, status, isKept: isKept)
      return (announcement, state.nextDue)
    }
    let nanoseconds = MachineClock().uptimeNanoseconds &- start
    if let due, let housekeeper { housekeeper.expect(after: self.nanoseconds(until: due)) }
    return Led(announcement: announcement, nanoseconds: nanoseconds)
  }
}
