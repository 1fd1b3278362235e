import DaybookJournal

/// The functions that read a journal and apply its transactions to the state of a store: at
/// opening, after a recovery, and in tests.
enum Replay {
  /// Applies all transactions of a journal to an empty core. With a checkpoint, the core starts
  /// with the checkpoint's state, and only the later transactions are read.
  ///
  /// - Parameter checkpoint: The checkpoint that the journal was opened from, if there is one.
  static func run(
    _ log: StoreLog, from checkpoint: CheckpointFile.Opened?, into core: inout StoreCore
  ) throws(StoreError) {
    let journal: ReplayedFile
    var first: SequenceNumber = 1
    switch log {
    case .memory(let journal):
      if let defect = run(journal, into: &core) {
        throw StoreError(defect, in: core.accepted().sequence.next, path: log.path)
      }
      return
    case .following(let journal):
      try journal.catchUp { (step) throws(StoreError) in try core.perform(step, path: log.path) }
      return
    case .file(let file):
      if let checkpoint,
        start(with: checkpoint, of: file.file, lateChecks: file.lateChecks, into: &core)
      {
        first = checkpoint.checkpoint.moment.sequence.next
      }
      journal = ReplayedFile(file, from: first)
    case .reading(let file):
      if let checkpoint,
        start(with: checkpoint, of: file.file, lateChecks: file.lateChecks, into: &core)
      {
        first = checkpoint.checkpoint.moment.sequence.next
      }
      journal = ReplayedFile(file, from: first)
    }
    let defect: PayloadDefect?
    do throws(JournalError) {
      // A whole replay builds the indexes at its end. After a checkpoint there are indexes already,
      // and the few transactions after it update them.
      defect =
        first == 1
        ? try runFromStart(journal, into: &core) : try run(journal, from: first, into: &core)
    } catch {
      throw StoreError(.journal(error), path: log.path)
    }
    if let defect {
      // Before the first transaction, the invalid payload is a part of the base, which has the
      // base's number.
      let sequence = max(core.editor.state.sequence.next, journal.base)
      throw StoreError(defect, in: sequence, path: log.path)
    }
  }

  /// Applies a whole journal.
  ///
  /// The first pass applies inserts without a search for an existing record, because this is
  /// faster. If the end of the pass finds that a record was inserted twice, a second pass with
  /// searches finds the transaction.
  private static func runFromStart(
    _ journal: ReplayedFile, into core: inout StoreCore
  ) throws(JournalError) -> PayloadDefect? {
    precondition(core.catalog.names.isEmpty, "a replay needs a store without entities")
    for isBlind in [true, false] {
      core = StoreCore()
      core.startReplay(isBlind: isBlind)
      let result: Result<PayloadDefect?, JournalError>
      do throws(JournalError) {
        result = .success(try run(journal, from: 1, into: &core))
      } catch { result = .failure(error) }
      core.endReplay()
      if !core.hasDuplicates { return try result.get() }
    }
    preconditionFailure("a deferred record was inserted twice")
  }

  /// Replaces the empty state by that of a checkpoint, if the journal's file can be mapped. The
  /// checkpoint contains locations of rows in that file.
  private static func start(
    with opened: CheckpointFile.Opened, of file: JournalFile, lateChecks: LateChecks?,
    into core: inout StoreCore
  ) -> Bool {
    let checkpoint = opened.checkpoint
    guard let lateChecks, let file = file.mapped(through: checkpoint.start.end.endOffset)
    else { return false }
    core.start(with: checkpoint, in: opened.space, file: file, lateChecks: lateChecks)
    return true
  }

  /// The file of a journal, and the part of it that a replay reads.
  struct ReplayedFile {
    let path: String
    let file: JournalFile
    let base: SequenceNumber
    let frames: FrameReader
    let last: SequenceNumber
    let endOffset: UInt64
    /// The number of absorptions up to the end; 0 if the journal is not shared.
    let absorptionCount: Int
    /// The number of restarts of the file; 0 if the journal is not shared.
    let restartCount: Int
    let progress: ReadingProgress?

    init(_ journal: FileJournal, from first: SequenceNumber) {
      progress = nil
      path = journal.path
      if journal.link == nil {
        (file, base) = (journal.file, journal.header.base.sequence)
        (frames, last, endOffset) = journal.frames(from: first)
        (absorptionCount, restartCount) = (0, 0)
      } else {
        let written = journal.writtenFrames(from: first)
        (file, base, frames) = (written.file, written.header.base.sequence, written.reader)
        (last, endOffset) = (written.last, written.endOffset)
        (absorptionCount, restartCount) = (written.absorptionCount, written.restartCount)
      }
    }

    /// The part of a replica up to a written transaction.
    init(_ journal: FileJournal, through last: SequenceNumber) {
      let written = journal.writtenFrames(from: 1)
      (path, progress) = (journal.path, nil)
      (file, base, frames) = (written.file, written.header.base.sequence, written.reader)
      (self.last, endOffset) = (min(last, written.last), written.endOffset)
      (absorptionCount, restartCount) = (written.absorptionCount, written.restartCount)
    }

    init(_ journal: JournalReader, from first: SequenceNumber) {
      progress = journal.progress
      (path, file, base) = (journal.path, journal.file, journal.header.base.sequence)
      (frames, last, endOffset) = journal.frames(from: first)
      (absorptionCount, restartCount) = (0, 0)
    }
  }

  /// Applies the transactions of a journal from a sequence number on. If the number is 1, also
  /// applies the base.
  ///
  /// - Returns: The defect of the first invalid payload; nil if all payloads are valid.
  static func run(
    _ journal: ReplayedFile, from first: SequenceNumber, into core: inout StoreCore
  ) throws(JournalError) -> PayloadDefect? {
    var reader = journal.frames
    let file = journal.file.mapped(through: journal.endOffset)
    if let file { core.extend(file) }
    var steps = journal.progress?.steps(.reading, of: journal.endOffset)
    while reader.chain.sequence < journal.last || !reader.chain.isPastBase {
      let isUndamaged: Bool
      do { isUndamaged = try reader.advance() } catch {
        throw JournalError(error, path: journal.path)
      }
      guard isUndamaged else {
        throw JournalError(
          .damagedFrame, path: journal.path, offset: reader.offset,
          lastReadable: reader.chain.lastReadable)
      }
      let header = reader.header
      steps?.pass(reader.offset)
      // A checkpoint's state contains the base, so the base is applied only in a replay from
      // transaction 1.
      let isNeeded = header.kind == .transaction ? header.sequence >= first : first == 1
      guard isNeeded, header.kind == .transaction || header.kind == .base else { continue }
      let sequence = header.kind == .base ? journal.base : header.sequence
      let defect = reader.payload.withSpan { payload in
        let location =
          file == nil
          ? core.store(payload, sequence: header.sequence, time: header.time)
          : RowLocation(rawValue: reader.headerOffset + UInt64(Frame.headerByteCount))
        return core.replay(
          payload, at: location, sequence: sequence, time: header.time,
          base: header.kind == .base ? header.sequence : nil)
      }
      if let defect { return defect }
    }
    return nil
  }

  /// Applies all transactions of a journal in memory.
  private static func run(_ journal: MemoryJournal, into core: inout StoreCore) -> PayloadDefect? {
    var reader = journal.transactions(from: 1)
    // Reading from memory cannot fail.
    while let transaction = try? reader.next() {
      let defect = transaction.payload.withSpan { payload in
        let location = core.store(payload, sequence: transaction.sequence, time: transaction.time)
        return core.replay(
          payload, at: location, sequence: transaction.sequence, time: transaction.time)
      }
      if let defect { return defect }
    }
    return nil
  }
}
