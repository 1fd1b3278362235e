extension CommitQueue {
  /// How long after the last sync a mark is written.
  static let markDelayNanoseconds: Int64 = 50_000_000

  /// Whether something was written that is still to be synced.
  var isUnsynced: Bool {
    if case .open = phase { unsyncedSince != nil } else { false }
  }

  /// What is to be done in the background, and when, if anything is.
  var nextDue: Int64? {
    var next: Int64?
    forEachDue { _, at in next = min(next ?? at, at) }
    return next
  }

  /// What is due at a moment.
  func work(dueAt now: Int64) -> CommitGroup.Work {
    var due: CommitGroup.Work = []
    forEachDue { work, at in if at <= now { due.insert(work) } }
    return due
  }

  private func forEachDue(_ body: (CommitGroup.Work, _ at: Int64) -> Void) {
    guard phase == .open else { return }
    if let unsyncedSince { body(.sync, unsyncedSince.adding(durability.intervalNanoseconds)) }
    if marked < durable.sequence {
      body(.mark, lastSync.adding(CommitQueue.markDelayNanoseconds))
    }
    if wantsFill { body(.fill, .min) }
  }
}

extension FileJournal {
  /// Does what is due in the background: syncs what has waited long enough, marks what has been
  /// synced, fills space ahead. The housekeeper calls it; a journal without one is tended by its
  /// owner.
  ///
  /// - Returns: When something will be due next, by the clock's uptime; nil if nothing is expected.
  @discardableResult
  package func tend() -> Int64? {
    let now = options.clock.uptimeNanoseconds
    let work = queue.withLock { $0.work(dueAt: now) }
    if !work.isEmpty {
      // A failure stops the writer, and everyone who then appends is told of it.
      try? perform(work)
    }
    return queue.withLock { $0.nextDue }
  }

  /// How long it is until something is due. A journal may have a clock of its own, so that the
  /// housekeeper, who waits by the machine's, is told how long and not until when.
  func nanoseconds(until due: Int64) -> Int64 {
    due == .min ? 0 : max(0, due &- options.clock.uptimeNanoseconds)
  }
}

extension Int64 {
  /// The sum, or the last moment there is: clocks are the user's, and may stand anywhere.
  fileprivate func adding(_ interval: Int64) -> Int64 {
    let (sum, overflowed) = addingReportingOverflow(interval)
    return overflowed ? .max : sum
  }
}
