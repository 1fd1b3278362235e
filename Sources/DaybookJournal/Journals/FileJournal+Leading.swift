extension FileJournal {
  /// Writes the forming group for everyone in it, and hands the lead on if others have come meanwhile: to the
  /// thread for that, or to one of them if there is none.
  ///
  /// - Parameter whileSyncing: Called while the disk is busy with the group, unless that has failed by then.
  func lead(whileSyncing: () -> Void) -> Settlement {
    let led = leadOnce(isKept: false, whileSyncing: whileSyncing)
    if led.isLedOn { handLeadOn() }
    return led.settlement
  }

  /// Hands the lead to the thread for that, or to the first of those who wait if there is none.
  func handLeadOn() {
    if successor?.expect(after: 0) != true {
      state.withLock { $0.nextLeader() }.resume(.lead)
    }
  }

  /// Writes one group after the other, for as long as others come meanwhile.
  ///
  /// Those who have waited for one group come back, if they have more to save, while the next is written. Were that
  /// taken at once, it would be small, and the one behind it large: most would wait for both, and the processors
  /// with them. So the leader waits for enough of them to come back, but not for long, as they may not.
  ///
  /// What they enlist is made here, while the disk is busy and before a group is taken.
  func leadOn() {
    let bell = Bell()
    state.withLock { $0.leadByThread() }
    while true {
      takeIn()
      guard state.withLock({ $0.endGathering() }) else { return }
      let led = leadOnce(isKept: true) { takeIn() }
      guard led.isLedOn else { return }
      let heard = bell.count
      if state.withLock({ $0.gather(after: led.waiterCount, bell) }) {
        _ = bell.wait(
          after: heard, nanoseconds: min(led.nanoseconds, FileJournal.gatheringNanosecondsMax))
      }
    }
  }

  // MARK: Enlisting

  /// Leaves an append to the thread that leads, if one does, and suspends until that has made it and it is settled.
  ///
  /// - Returns: False if none does: the caller is to begin it itself.
  package func enlist(_ append: any EnlistedAppend) async -> Bool {
    guard state.withLock({ $0.isLedByThread }) else { return false }
    return await withUnsafeContinuation { continuation in
      let enlistment = Enlistment(append: append, waiter: continuation)
      if !state.withLock({ $0.enlist(enlistment) }) { continuation.resume(returning: false) }
    }
  }

  /// Makes what has been enlisted, until nothing is.
  private func takeIn() {
    while true {
      let enlisted = state.withLock { $0.takeEnlisted() }
      if enlisted.isEmpty { return }
      for enlistment in enlisted { enlistment.begin() }
    }
  }

  /// For how long others are waited for at the most, if the disk takes as long or longer.
  private static let gatheringNanosecondsMax: Int64 = 10_000_000

  /// What came of leading once.
  private struct Led {
    var settlement: Settlement
    var isLedOn: Bool
    /// How many have waited for the group.
    var waiterCount: Int
    /// How long it took to write and sync it.
    var nanoseconds: Int64
  }

  /// Writes the forming group for everyone in it.
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
    for waiter in announcement.waiters { waiter.resume(.settled(announcement.settlement)) }
    if let refused = announcement.alsoRefused {
      for waiter in refused.waiters { waiter.resume(.settled(.refused(refused.reason))) }
    }
    if let due, let housekeeper { housekeeper.expect(after: self.nanoseconds(until: due)) }
    return Led(
      settlement: announcement.settlement, isLedOn: announcement.isLedOn,
      waiterCount: announcement.waiters.count, nanoseconds: nanoseconds)
  }
}
