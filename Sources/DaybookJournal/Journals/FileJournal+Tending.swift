extension AppendState {
  /// How long after the last sync a mark is written.
  static let markDelayNanoseconds: Int64 = 50_000_000

  /// What is to be done in the background, and when, if anything is.
  var nextDue: Int64? {
    dueWork.map(\.at).min()
  }

  /// What is due at a moment.
  func work(dueAt now: Int64) -> AppendGroup.Work {
    dueWork.reduce(into: []) { if $1.at <= now { $0.insert($1.work) } }
  }

  private var dueWork: [(at: Int64, work: AppendGroup.Work)] {
    guard phase == .open else { return [] }
    var due: [(at: Int64, work: AppendGroup.Work)] = []
    if let unsyncedSince {
      due.append((unsyncedSince.adding(durability.intervalNanoseconds), .sync))
    }
    if marked < durable.sequence {
      due.append((lastSync.adding(AppendState.markDelayNanoseconds), .mark))
    }
    if wantsFill { due.append((.min, .fill)) }
    return due
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
    let work = state.withLock { $0.work(dueAt: now) }
    if !work.isEmpty {
      // A failure stops the writer, and everyone who then appends is told of it.
      try? perform(work)
    }
    return state.withLock { $0.nextDue }
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
