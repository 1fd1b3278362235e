extension FileJournal {
  /// Makes everything accepted durable, tells of it in both marks, and lets go of the lock. Whoever
  /// opens the journal next has nothing to recover.
  ///
  /// A journal that is not closed is not harmed: the next opening writes its last, unproven frames
  /// again. Closing twice is not an error. Readers made before go on reading.
  ///
  /// - Throws: ``JournalError`` with `stopped` if the last sync failed, or writing had stopped
  ///   before and nobody has recovered: what was not durable then is unknown. The journal is closed
  ///   all the same.
  public func close() async throws(JournalError) {
    defer { letGoIfClosed() }
    guard try mustBeClosed() else { return }
    do {
      try await perform(.close)
    } catch {
      // Someone else may have closed it meanwhile.
      guard case .closed = error.reason else { throw error }
    }
  }

  /// ``close()`` for programs without tasks: the thread sleeps.
  @available(*, noasync, message: "await it, so that no thread sleeps that tasks need")
  public func close() throws(JournalError) {
    defer { letGoIfClosed() }
    guard try mustBeClosed() else { return }
    do {
      try perform(.close)
    } catch {
      guard case .closed = error.reason else { throw error }
    }
  }

  /// Whether there is something to write before the journal is closed.
  private func mustBeClosed() throws(JournalError) -> Bool {
    switch state.withLock({ $0.closeUnlessOpen() }) {
    case .open, .recovering: return true
    case .closed: return false
    case .stopped(let error): throw JournalError(.stopped(error), path: path)
    }
  }

  private func letGoIfClosed() {
    guard state.withLock({ $0.phase == .closed }) else { return }
    housekeeper?.end()
    file.file.unlock()
  }
}
