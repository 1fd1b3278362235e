import DaybookJournal

extension Store {
  /// Recovers from a failed write or sync: reads which transactions the journal contains, and
  /// resumes writing.
  ///
  /// The task is suspended while a thread of the journal reads and writes the file.
  ///
  /// Several tasks may call this method at the same time, while other tasks save and read. Saves
  /// are refused until readers see all transactions that the recovery found. If no write or sync
  /// has failed, the method does nothing.
  ///
  /// Snapshots and contexts stay valid. If the recovery finds transactions with an unknown outcome
  /// in the journal, a context receives them with its next merge.
  ///
  /// - Returns: The findings and actions of the recovery; nil if the store does not write a file.
  /// - Throws: ``StoreError`` with `journal`, if the disk still fails, or if transactions that
  ///   readers have seen and that were not durable can no longer be read (`writtenLost`). Saves
  ///   stay refused then, and the program can call the method again.
  @discardableResult
  public func recover() async throws(StoreError) -> RecoveryReport? {
    guard case .file(let journal) = log else { return nil }
    let recovery = await journal.workers.value {
      Result { () throws(StoreError) in try self.recoverAndWait() }
    }
    return try recovery.get()
  }

  /// Performs ``recover()`` for programs without tasks: the calling thread reads and writes the
  /// file.
  @available(
    *, noasync, message: "use recover, which does not block a thread of the cooperative pool"
  )
  @discardableResult
  public func recoverAndWait() throws(StoreError) -> RecoveryReport? {
    guard case .file(let journal) = log else { return nil }
    // True as soon as transactions may have been published or rolled back. The waiting saves and
    // readers must then be woken, even if the rest of the recovery fails.
    var hasFollowed = false
    defer {
      if hasFollowed {
        settled.increase(to: core.withLock { $0.settledTicket })
        announce()
      }
    }
    do throws(JournalError) {
      return try journal.recover(keepingWritten: true) { () throws(JournalError) in
        hasFollowed = true
        try follow(journal)
      }
    } catch {
      throw StoreError(.journal(error), path: path)
    }
  }

  /// Brings the store to the end of the recovered journal. First publishes the transactions in
  /// flight that the journal contains. Then rolls back all others in flight, and reads the
  /// transactions that only the journal contains.
  ///
  /// The method publishes before it reads, because a read can fail, and the saves of the published
  /// transactions may already have returned.
  private func follow(_ journal: FileJournal) throws(JournalError) {
    try core.withLock { (core) throws(JournalError) in
      let (_, lastShared) = journal.absorbed
      let restartCount = core.restartCount
      if let last = core.lastOfCompleteGroup(
        through: core.isSharing ? lastShared : journal.head.sequence)
      {
        core.publish(through: last) { journal.mapped(through: $0, after: restartCount) }
      }
      _ = core.rollBack(from: 0)
      if core.isSharing { return try absorbAll(into: &core, of: journal) }
      let first = core.editor.state.sequence.next
      let file = Replay.ReplayedFile(journal, from: first)
      if let defect = try Replay.run(file, from: first, into: &core) {
        preconditionFailure("a transaction of this store is invalid: \(defect)")
      }
      precondition(
        core.editor.state.sequence == file.last,
        "the store is at transaction \(core.editor.state.sequence), but its journal at \(file.last)"
      )
    }
  }

  /// Returns whether the journal contains the transaction of a save that failed with `unknown`; nil
  /// until ``recover()`` has determined it.
  ///
  /// If a shared log has lost transactions meanwhile, the result is nil until a repair. The result
  /// stays nil if the log has dropped its history: nothing shows then what it had contained.
  public func isIncluded(_ append: UnknownAppend) -> Bool? {
    guard case .file(let journal) = log else { return nil }
    return journal.isIncluded(append)
  }
}
