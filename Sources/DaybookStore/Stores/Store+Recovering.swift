import DaybookJournal

extension Store {
  /// Finds out, after a write or a sync has failed, what is in the journal, and goes on from there.
  ///
  /// The task is suspended while another thread reads and writes the file.
  ///
  /// Any number of callers may call it at once, while others save and read. To all of them the recovery is one
  /// step: a save is refused until readers are shown everything that the recovery found. On a store of which
  /// nothing has failed it does nothing.
  ///
  /// Snapshots and contexts live on; a context hears of transactions that turned out to be in the
  /// journal when it merges next.
  ///
  /// - Returns: What was found and done; nil if the store has no file.
  /// - Throws: ``StoreError`` with `journal`, if the disk still refuses, or if transactions that readers were
  ///   shown and that were not durable cannot be read any more (`writtenLost`). Nothing is changed then.
  @discardableResult
  public func recover() async throws(StoreError) -> RecoveryReport? {
    guard case .file(let journal) = log else { return nil }
    let recovery = await journal.workers.value {
      Result { () throws(StoreError) in try self.recoverAndWait() }
    }
    return try recovery.get()
  }

  /// ``recover()`` for programs without tasks: the thread reads and writes the file.
  @available(*, noasync, message: "use recover, so that no thread sleeps that tasks need")
  @discardableResult
  public func recoverAndWait() throws(StoreError) -> RecoveryReport? {
    guard case .file(let journal) = log else { return nil }
    // Whether transactions were shown or taken back, which the savers and readers that wait are told of even if
    // the rest of the recovery fails.
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

  /// Publishes the transactions that the recovery found in the journal, and rolls back the pending ones that it did
  /// not find.
  ///
  /// The publication comes before any read, because a read can fail and a save of these transactions may already be
  /// acknowledged.
  private func follow(_ journal: FileJournal) throws(JournalError) {
    try core.withLock { (core) throws(JournalError) in
      if let last = core.lastOfWholeGroup(through: journal.head.sequence) {
        core.settle(through: last) { journal.file.mapped(through: $0) }
      }
      _ = core.takeBack(from: 0)
      let first = core.editor.state.sequence.next
      let file = Replay.ReplayedFile(journal, from: first)
      if let misfit = try Replay.run(file, from: first, into: &core) {
        preconditionFailure("a transaction of our own does not fit: \(misfit)")
      }
      precondition(
        core.editor.state.sequence == file.last,
        "the store is at \(core.editor.state.sequence), and its journal at \(file.last)")
    }
  }

  /// Whether a transaction whose save was answered `unknown` is in the journal: nil until
  /// ``recover()`` has found out.
  public func isIncluded(_ append: UnknownAppend) -> Bool? {
    guard case .file(let journal) = log else { return nil }
    return journal.isIncluded(append)
  }
}
