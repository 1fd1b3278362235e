extension FileJournal {
  /// Makes everything accepted durable, tells of it in both marks, and lets go of the lock. Whoever opens
  /// the journal next has nothing to recover.
  ///
  /// A journal that is not closed is not harmed: the next opening writes its last, unproven frames again.
  /// Closing twice is not an error. Readers made before go on reading.
  ///
  /// - Throws: ``JournalError`` if the last sync failed. The journal is closed all the same.
  public func close() throws(JournalError) {
    defer {
      if state.withLock({ $0.phase == .closed }) {
        housekeeper?.end()
        file.file.unlock()
      }
    }
    if state.withLock({ $0.closeStopped() }) { return }
    do {
      try perform(.close)
    } catch let error where error.reason == .closed {
      // Someone else closed it meanwhile.
      return
    }
  }
}
