extension FileJournal {
  /// Makes everything accepted durable, tells of it in both marks, and lets go of the lock. Whoever
  /// opens the journal next has nothing to recover.
  ///
  /// A journal that is not closed is not harmed: the next opening writes its last, unproven frames
  /// again. Closing twice is not an error. The descriptors are given back at once. Readers made before go on
  /// reading what is mapped; where the file is read by copying they throw `closed`.
  ///
  /// - Throws: ``JournalError`` with `stopped` if the last sync failed, or writing had stopped
  ///   before and nobody has recovered: what was not durable then is unknown. The journal is closed
  ///   all the same, unless another thread recovers it at that very moment.
  public func close() async throws(JournalError) {
    let closing = await options.workers.value {
      Result { () throws(JournalError) in try self.closeAndWait() }
    }
    try closing.get()
  }

  /// ``close()`` for programs without tasks: the thread sleeps.
  @available(*, noasync, message: "use close, so that no thread sleeps that tasks need")
  public func closeAndWait() throws(JournalError) {
    defer { letGo() }
    do {
      if try !isClosed() { try perform(.close) }
    } catch {
      try closeAnyway(error)
    }
  }

  /// Whether there is nothing left to write: closed before, or stopped, and closed now.
  private func isClosed() throws(JournalError) -> Bool {
    switch recovery.withLock({ _ in queue.withLock { $0.closeUnlessOpen() } }) {
    case .open, .recovering: return false
    case .closed: return true
    case .stopped(let error): throw JournalError(.stopped(error), path: path)
    }
  }

  /// Ends a journal that stopped while it was to be closed.
  private func closeAnyway(_ error: JournalError) throws(JournalError) {
    // Someone else may have closed it meanwhile.
    if case .closed = error.reason { return }
    _ = recovery.withLock { _ in queue.withLock { $0.closeUnlessOpen() } }
    throw error
  }

  private func letGo() {
    // Two who close at once, and one who recovers, wait for each other.
    recovery.withLock { _ in
      // Someone may have recovered it just now, and goes on with it.
      guard queue.withLock({ $0.phase == .closed }) else { return }
      housekeeper?.end()
      file.file.unlock()
      writer.close()
      file.close()
    }
  }

  /// Closes a journal that is released without having been closed: at once, but for what its durability has not
  /// synced yet, which the thread that tends it syncs. Readers made before go on.
  func closeUnreferenced() {
    let open = file.file
    open.unlock()
    var sync: (@Sendable () -> Void)?
    // An error has nobody to report it to. The transactions are in the file, as after a crash of the process.
    if queue.withLock({ $0.isUnsynced }) { sync = { try? open.sync() } }
    housekeeper?.end(after: sync)
    writer.close()
    file.closeUnlessCopied()
  }
}
