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
  public func close() throws(JournalError) {
    defer {
      if state.withLock({ $0.phase == .closed }) {
        housekeeper?.end()
        file.file.unlock()
      }
    }
    switch state.withLock({ $0.closeUnlessOpen() }) {
    case .open, .recovering: break
    case .closed: return
    case .stopped(let error): throw JournalError(.stopped(error), path: path)
    }
    do {
      try perform(.close)
    } catch let error where error.reason == .closed {
      // Someone else closed it meanwhile.
      return
    }
  }
}
