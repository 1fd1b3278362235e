import DaybookJournal

extension Store {
  /// Returns the receipt of a save whose outcome was not known, or nil if the save is certainly not
  /// in the shared log. The store reads the log first.
  ///
  /// The store can be opened by a different process than the one that has saved, on any machine.
  /// After the process that has saved was killed, the server can still perform its request, as long
  /// as no machine has appended a different transaction with the number. Until then the outcome is
  /// not known. To end this state, save the changes again with the key of the outcome: they are
  /// then saved exactly once.
  ///
  /// - Returns: The receipt, with the number of servers that have a transaction on disk now; nil if
  ///   the save is certainly not in the log.
  /// - Throws: ``StoreError`` with `notKnown`, if the outcome is not known yet, or if the log
  ///   cannot be reached; with `journal`, if the log has lost transactions or is a different one.
  public func outcome(of pending: PendingOutcome) async throws(StoreError) -> Receipt? {
    guard case .file(let journal) = log, journal.link != nil else {
      throw StoreError(.journal(JournalError(.notReplica(of: pending.log), path: path)), path: path)
    }
    guard journal.identity == pending.journal else {
      let reason = JournalError.Reason.otherLog(
        pending.log, expected: journal.identity, found: pending.journal)
      throw StoreError(.journal(JournalError(reason, path: path)), path: path)
    }
    do throws(StoreError) {
      try await recover()
      try await pull()
      var saved = try receipt(forIdempotencyKey: pending.idempotencyKey)
      do throws(JournalError) {
        // The store remembers a limited number of keys, and the replica all frames after its base.
        if saved == nil, let found = try journal.written(pending.sequence) {
          guard found.checksum == pending.checksum else { return nil }
          saved = repeated(found.sequence, at: found.time)
        }
        if let saved {
          try await journal.confirm(saved.sequence)
          return repeated(saved.sequence, at: saved.time)
        }
      } catch { throw StoreError(.journal(error), path: path) }
    } catch {
      if !error.isOfSharedLog { throw error }
    }
    throw StoreError(.notKnown(pending), path: path)
  }
}
