extension FileJournal {
  /// Recovers the journal after a failed write or sync, and resumes writing.
  ///
  /// The call examines all bytes after the last durable transaction, as opening does. The call
  /// writes the whole frames again in place and syncs them, because a failed sync does not show
  /// which frames are on disk. The call copies the bytes after these frames to a side file, and
  /// overwrites them with zeros. After the call, ``isIncluded(_:)`` returns for each `unknown`
  /// append whether it is in the journal. Existing lists, snapshots and readers remain usable.
  ///
  /// - Returns: A report of the findings and the actions. If writing has not stopped, the call
  ///   changes nothing.
  /// - Throws: ``JournalError`` if the disk still fails, if a durable transaction is not readable,
  ///   or if the journal is closed. After an error, writing stays stopped, and the program can call
  ///   `recover()` again.
  @discardableResult
  public func recover() async throws(JournalError) -> RecoveryReport {
    let recovery = await options.workers.value {
      Result { () throws(JournalError) in try self.recoverAndWait() }
    }
    return try recovery.get()
  }

  /// Recovers the journal, and blocks the thread until the journal is recovered.
  ///
  /// This is ``recover()`` for programs without tasks.
  @available(
    *, noasync, message: "use recover, which does not block a thread of the cooperative pool"
  )
  @discardableResult
  public func recoverAndWait() throws(JournalError) -> RecoveryReport {
    try recover(keepingWritten: false) { () throws(JournalError) in }
  }

  /// Recovers the journal for an owner, such as a store, that has its own state. The owner updates
  /// its state before the journal accepts appends again.
  ///
  /// Until the owner has updated its state, appends throw `stopped`, and ``isIncluded(_:)`` returns
  /// nil. So no caller sees a journal that contains more transactions than the state of its owner.
  ///
  /// - Parameters:
  ///   - keepsWritten: A Boolean value that indicates whether recovery throws `writtenLost` if it
  ///     cannot read a transaction that was reported to its caller as written.
  ///   - follow: A closure that updates the owner's state to the last durable transaction. The
  ///     closure is called only if writing had stopped. If the closure throws, writing stays
  ///     stopped.
  package func recover(
    keepingWritten keepsWritten: Bool, beforeResuming follow: () throws(JournalError) -> Void
  ) throws(JournalError) -> RecoveryReport {
    // A second thread that calls this method during a recovery waits here. The second thread then
    // finds that the journal is recovered.
    try recovery.withLock { (_) throws(JournalError) in
      try recoverAlone(keepingWritten: keepsWritten, beforeResuming: follow)
    }
  }

  private func recoverAlone(
    keepingWritten keepsWritten: Bool, beforeResuming follow: () throws(JournalError) -> Void
  ) throws(JournalError) -> RecoveryReport {
    guard queue.withLock({ $0.startRecovery() }) else {
      // With a lower durability, written transactions may not be synced yet. They are intact too.
      let (refusal, written) = queue.withLock { ($0.refusal, $0.written) }
      if let refusal { throw JournalError(refusal, path: path) }
      return RecoveryReport(
        path: path, outcome: .clean, lastTransaction: written.sequence,
        endOffset: written.endOffset)
    }
    var isComplete = false
    var included: SequenceNumber?
    defer {
      queue.withLock { $0.endRecovery(isComplete: isComplete, includedThrough: included) }
    }

    // A restart of the replica that failed after the rename leaves the old file open.
    if link != nil, try !isNamed(file) { throw JournalError(.replaced, path: path) }
    let (durable, written) = queue.withLock { ($0.durable, $0.written) }
    let verdict = try JournalError.translating(path) { () throws(DiskError) in
      _ = try file.refresh()
      let pages = EvidentPages(
        header: header, badHeaderOffset: nil, marks: [writer.newestMark], badMarkOffsets: [])
      return try RecoveryDecision.decide(file, after: pages, from: durable)
    }
    let (journal, tornEndOffset) = try verdict.journal(at: location)
    let intact = journal.intact
    // A replica reads the lost transactions again from its log.
    if keepsWritten, link == nil, intact.sequence < written.sequence {
      throw JournalError(
        .writtenLost(through: written.sequence), path: path, offset: intact.endOffset,
        lastReadable: intact.lastReadable, base: header.base.sequence)
    }
    let (report, marks) = try JournalError.translating(path) { () throws(DiskError) in
      try Recovery(location: location, disk: options.disk, file: file).perform(
        journal, from: durable.endOffset, tornEndOffset: tornEndOffset)
    }
    writer.resume(at: intact.position, marks: marks)
    queue.withLock { $0.moveRecovery(to: intact.position, index: intact.index) }
    included = if let link { try resolve(link) } else { intact.sequence }
    try follow()
    isComplete = true
    return report
  }

  private func isNamed(_ file: JournalFile) throws(JournalError) -> Bool {
    try JournalError.translating(path) { () throws(DiskError) in
      try file.file.status().identity == options.disk.status(of: location.resolvedPath).identity
    }
  }

  /// Returns a Boolean value that indicates whether the transaction of an `unknown` append is in
  /// the journal; nil until ``recover()`` has examined the file.
  ///
  /// If a shared log has lost transactions meanwhile, the result is nil until a repair. The result
  /// stays nil if the log has dropped its history: nothing shows then what it had contained.
  public func isIncluded(_ append: UnknownAppend) -> Bool? {
    queue.withLock { queue in
      guard append.stop < queue.includedThrough.count else { return nil }
      return queue.includedThrough[append.stop].map { append.sequence <= $0 }
    }
  }
}

extension CommitWriter {
  var newestMark: DurableMark { marks.newest }
}
