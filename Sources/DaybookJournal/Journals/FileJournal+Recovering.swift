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
  public func recover() throws(JournalError) -> RecoveryReport {
    // Those who come while another recovers wait, and find it done.
    try recovery.withLock { (count) throws(JournalError) in
      count += 1
      return try recoverAlone()
    }
  }

  private func recoverAlone() throws(JournalError) -> RecoveryReport {
    guard state.withLock({ $0.beginRecovery() }) else {
      let (refusal, durable) = state.withLock { ($0.refusal, $0.durable) }
      if let refusal { throw JournalError(refusal, path: path) }
      return RecoveryReport(
        path: path, outcome: .clean, lastTransaction: durable.sequence,
        endOffset: durable.endOffset)
    }
    var recovered: (position: FramePosition, index: FrameIndex)?
    defer { state.withLock { $0.endRecovery(recovered?.position, index: recovered?.index) } }

    let durable = state.withLock { $0.durable }
    let verdict = try JournalError.translating(path) { () throws(DiskError) in
      _ = try file.refresh()
      return try RecoveryDecision.decide(
        file, header: header, badHeaderOffset: nil, marks: [writer.newestMark],
        badMarkOffsets: [], chain: durable.chain, offset: durable.endOffset)
    }
    let (journal, tornEndOffset) = try verdict.journal(at: place)
    let (report, marks) = try JournalError.translating(path) { () throws(DiskError) in
      try Recovery(place: place, disk: options.disk, file: file).settle(
        journal, from: durable.endOffset, tornEndOffset: tornEndOffset)
    }
    let position = FramePosition(
      chain: journal.intact.chain, endOffset: journal.intact.endOffset)
    writer.resume(at: position, marks: marks)
    recovered = (position, journal.intact.index)
    return report
  }

  /// Whether a write or a sync has failed, and nobody has recovered since.
  package var hasStopped: Bool {
    state.withLock { state in
      switch state.phase {
      case .stopped, .recovering: true
      case .open, .closed: false
      }
    }
  }

  /// Whether a transaction whose append was answered `unknown` is in the journal: nil until
  /// ``recover()`` has found out.
  public func isIncluded(_ append: UnknownAppend) -> Bool? {
    state.withLock { state in
      guard append.stop < state.includedThrough.count else { return nil }
      return append.sequence <= state.includedThrough[append.stop]
    }
  }
}

extension JournalWriter {
  var newestMark: DurableMark { marks.newest }
}
