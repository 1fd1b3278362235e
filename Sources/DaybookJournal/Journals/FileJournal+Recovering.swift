extension FileJournal {
  /// Finds out, after a write or sync has failed, what is in the journal, and goes on from there.
  ///
  /// Everything behind the last durable transaction is looked at as when opening: frames that are
  /// whole are written again in place and synced, the rest is cut and kept. Then each append that
  /// was answered `unknown` is either in the journal or not, and ``isIncluded(_:)`` says which.
  /// Lists, snapshots and readers live on.
  ///
  /// - Returns: What was found and done. Calling it when writing has not stopped does nothing.
  /// - Throws: ``JournalError`` if the disk still refuses; writing stays stopped and nothing is
  ///   lost.
  @discardableResult
  public func recover() async throws(JournalError) -> RecoveryReport {
    let recovery = await options.workers.value {
      Result { () throws(JournalError) in try self.recoverAndWait() }
    }
    return try recovery.get()
  }

  /// ``recover()`` for programs without tasks: the thread reads and writes the file.
  @available(*, noasync, message: "use recover, so that no thread sleeps that tasks need")
  @discardableResult
  public func recoverAndWait() throws(JournalError) -> RecoveryReport {
    try recover(keepingWritten: false) { () throws(JournalError) in }
  }

  /// Recovers a journal whose owner has a state of its own, which follows before anything else is appended.
  ///
  /// Until the owner has followed, appends are refused as `stopped` and ``isIncluded(_:)`` returns nil. So
  /// nobody meets a journal that is ahead of its owner.
  ///
  /// - Parameters:
  ///   - keepsWritten: A Boolean value that indicates whether the recovery is refused if a transaction that was
  ///     acknowledged as written, and not as durable, cannot be read.
  ///   - follow: Brings the owner to the last durable transaction. Called only if writing had stopped. If it
  ///     throws, writing stays stopped.
  package func recover(
    keepingWritten keepsWritten: Bool, beforeResuming follow: () throws(JournalError) -> Void
  ) throws(JournalError) -> RecoveryReport {
    // Those who come while another recovers wait, and find it done.
    try recovery.withLock { (_) throws(JournalError) in
      try recoverAlone(keepingWritten: keepsWritten, beforeResuming: follow)
    }
  }

  private func recoverAlone(
    keepingWritten keepsWritten: Bool, beforeResuming follow: () throws(JournalError) -> Void
  ) throws(JournalError) -> RecoveryReport {
    guard queue.withLock({ $0.beginRecovery() }) else {
      let (refusal, durable) = queue.withLock { ($0.refusal, $0.durable) }
      if let refusal { throw JournalError(refusal, path: path) }
      return RecoveryReport(
        path: path, outcome: .clean, lastTransaction: durable.sequence,
        endOffset: durable.endOffset)
    }
    var isComplete = false
    defer { queue.withLock { $0.endRecovery(isComplete: isComplete) } }

    let (durable, written) = queue.withLock { ($0.durable, $0.written) }
    let verdict = try JournalError.translating(path) { () throws(DiskError) in
      _ = try file.refresh()
      let pages = EvidentPages(
        header: header, badHeaderOffset: nil, marks: [writer.newestMark], badMarkOffsets: [])
      return try RecoveryDecision.decide(file, after: pages, from: durable)
    }
    let (journal, tornEndOffset) = try verdict.journal(at: place)
    let intact = journal.intact
    if keepsWritten, intact.sequence < written.sequence {
      throw JournalError(
        .writtenLost(through: written.sequence), path: path, offset: intact.endOffset,
        lastReadable: intact.lastReadable, base: header.base.sequence)
    }
    let (report, marks) = try JournalError.translating(path) { () throws(DiskError) in
      try Recovery(place: place, disk: options.disk, file: file).settle(
        journal, from: durable.endOffset, tornEndOffset: tornEndOffset)
    }
    writer.resume(at: intact.position, marks: marks)
    queue.withLock { $0.moveRecovery(to: intact.position, index: intact.index) }
    try follow()
    isComplete = true
    return report
  }

  /// Whether a transaction whose append was answered `unknown` is in the journal: nil until
  /// ``recover()`` has found out.
  public func isIncluded(_ append: UnknownAppend) -> Bool? {
    queue.withLock { queue in
      guard append.stop < queue.includedThrough.count else { return nil }
      return append.sequence <= queue.includedThrough[append.stop]
    }
  }
}

extension CommitWriter {
  var newestMark: DurableMark { marks.newest }
}
