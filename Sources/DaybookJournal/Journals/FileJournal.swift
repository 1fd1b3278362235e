import DaybookPlatform
import Synchronization

/// A journal in a file: the one that is on disk when `append` returns.
///
/// ```swift
/// let journal = try FileJournal(at: "banks.daybook")
/// guard case .appended(let receipt) = try await journal.append(bytes, at: nil, expecting: nil) else { … }
/// ```
///
/// The story of one append. The payload is given the next number and becomes a frame in the
/// *forming group*, under a lock that is held for no longer than that. If nobody is writing, there is a new
/// leader: it takes the group, makes sure that there is space filled with zeros, writes all
/// frames in one call, syncs once, publishes the new committed end, and completes the group. Appends that came
/// meanwhile have joined the next group, which the leader takes next. So a lone saver waits for one sync, and
/// any number of savers share one sync.
///
/// A thread that waits for its append is the leader of that group itself, and hands what follows to a worker
/// thread. An append of a task is written by a worker thread: no thread that runs tasks waits for the disk.
/// ``append(_:at:expecting:)`` and ``appendAndWait(_:at:expecting:)`` differ in nothing else.
///
/// If there is no space for a group, its appends fail and the journal goes on. If any other call
/// fails while a group is written or synced, its appends are *unknown*, the position moves back to the durable one,
/// and nothing more is written until ``recover()`` has found out what is on disk. Reads go on
/// meanwhile.
public final class FileJournal: Journal {
  // Shared state
  //
  // - `queue`: guarded by its mutex, which is never held during a call of the disk.
  // - `writer`, the file's tail and marks: used by the leader alone, and leadership passes
  //   through `queue`.
  //
  // Nothing else here changes after `init`.

  /// The file, as the caller named it.
  public var path: String { place.path }
  /// What opening the journal found and did.
  public let report: RecoveryReport
  /// Which journal this is, for ever.
  public var identity: JournalIdentity { header.identity }

  package let place: JournalPlace
  package let header: JournalHeader
  package let file: JournalFile
  /// What was not looked at when it was opened; nil if all was.
  package let lateChecks: LateChecks?
  let options: JournalOptions

  /// The files beside it.
  package var derivedFiles: DerivedFiles { DerivedFiles(beside: place, options) }

  /// The threads that perform blocking work for tasks.
  package var workers: WorkerThreads { options.workers }

  /// Whether threads perform what is due in the background.
  package var tendsItself: Bool { options.tendsItself }

  /// Whether and when checkpoints are written.
  package var keepsCheckpoints: Bool { options.keepsCheckpoints }
  package var checkpointRule: CheckpointRule { options.checkpointRule }

  /// Where the journal gets the time from.
  package var clock: any JournalClock { options.clock }
  let queue: Mutex<CommitQueue>
  let writer: CommitWriter
  /// Held while one caller recovers or closes the journal.
  let recovery = Mutex(())
  let housekeeper: Housekeeper?

  /// Opens a journal for writing, or makes one.
  ///
  /// - Throws: ``JournalError``: the reasons tell what stands in the way. A journal that is
  ///   damaged, of a newer format, or no journal at all is left untouched.
  /// - Complexity: O(*n*) in the size of the file
  public convenience init(
    at path: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) {
    try self.init(at: path, options: options) { _, _, _ in nil }
  }

  /// Finds a place up to which the frames of a journal are known to be right, among the files beside it. It is
  /// told of which journal, and can ask whether a place fits it.
  package typealias StartSearch = (
    _ files: DerivedFiles, _ header: JournalHeader, _ fits: (JournalStart) -> Bool
  ) -> JournalStart?

  /// Opens a journal for writing, or makes one, and looks at its frames from a place on.
  ///
  /// - Parameter start: Finds the place, if there is one; what does not fit the journal is as good as none.
  /// - Complexity: O(*n*) in the size of the file from there on
  package init(
    at path: String, options: JournalOptions,
    from start: StartSearch
  ) throws(JournalError) {
    let place = try JournalPlace(path, on: options.disk)
    let opened = try JournalOpening.openForWriting(at: place, options)
    let found = try FileJournal.settle(
      opened.file, wasCreated: opened.wasCreated, at: place, options: options, from: start)

    self.place = place
    self.options = options
    header = found.journal.header
    file = found.file
    lateChecks = found.start.map { start in
      LateChecks(
        found.file, salt: found.journal.header.salt, path: path, through: start.end,
        index: start.index)
    }
    var report = found.report
    let position = found.journal.intact.position
    let ahead = options.clock.now.nanoseconds(until: position.chain.point.time)
    if position.sequence > .zero, ahead > 86_400_000_000_000 {
      report.aheadOfClockNanoseconds = ahead
    }
    self.report = report
    queue = Mutex(
      CommitQueue(
        salt: header.salt, durability: options.durability, at: position,
        marked: found.marks.newest.sequence, index: found.journal.intact.index))
    writer = CommitWriter(
      file: found.file, place: place, disk: options.disk, salt: header.salt, marks: found.marks)
    housekeeper = options.tendsItself ? Housekeeper() : nil
    writer.publish(position)
    housekeeper?.begin { [weak self] in
      guard let self else { return .gone }
      return .done(next: tend().map(nanoseconds(until:)))
    }
  }

  deinit { closeUnreferenced() }

  /// Looks at the bytes of an open file, and does what is to be done about them.
  private static func settle(
    _ opened: any DiskFile, wasCreated: Bool, at place: JournalPlace, options: JournalOptions,
    from start: StartSearch
  ) throws(JournalError) -> (
    file: JournalFile, journal: EvidentJournal, report: RecoveryReport, marks: MarkPair,
    start: JournalStart?
  ) {
    var outcome: RecoveryReport.Outcome? = wasCreated ? .created : nil
    var known: JournalStart?
    var (file, verdict) = try JournalError.translating(place.path) { () throws(DiskError) in
      let file = try JournalFile(opened, reading: options.reading)
      let verdict = try RecoveryDecision.decide(
        file, hasDerivedFiles: try place.hasDerivedFiles(on: options.disk)
      ) { header in
        func fits(_ start: JournalStart) -> Bool { (try? start.fits(file, of: header)) == true }
        known = start(DerivedFiles(beside: place, options), header, fits)
        known = known.flatMap { fits($0) ? $0 : nil }
        return known
      }
      return (file, verdict)
    }
    if verdict == .creationInterrupted {
      (file, verdict) = try JournalError.translating(place.path) { () throws(DiskError) in
        let made = try JournalCreation.replaceEmpty(
          at: place, options, status: try opened.status())
        let file = try JournalFile(made, reading: options.reading)
        return (file, try RecoveryDecision.decide(file, hasDerivedFiles: false))
      }
      outcome = .creationInterrupted
    }
    let (journal, tornEndOffset) = try verdict.journal(at: place)
    let versions = journal.header.versions
    guard versions.oldestWriter <= JournalHeader.version else {
      throw JournalError(
        .newerWriter(version: versions.version, oldestWriter: versions.oldestWriter),
        path: place.path, lastReadable: journal.intact.sequence)
    }
    var (report, marks) = try JournalError.translating(place.path) { () throws(DiskError) in
      try Recovery(place: place, disk: options.disk, file: file).settle(
        journal, from: journal.provenOffset, tornEndOffset: tornEndOffset)
    }
    if let outcome { report.outcome = outcome }
    return (file, journal, report, marks, known)
  }
}

extension RecoveryVerdict {
  /// The journal to go on with, and where torn bytes end that must be cut before it is written to.
  ///
  /// - Throws: ``JournalError`` for every verdict that leaves the file alone.
  func journal(
    at place: JournalPlace
  ) throws(JournalError) -> (journal: EvidentJournal, tornEndOffset: UInt64?) {
    switch self {
    case .clean(let journal): return (journal, nil)
    case .torn(let journal, let tornEndOffset): return (journal, tornEndOffset)
    case .creationInterrupted:
      preconditionFailure("\(place.resolvedPath): a new journal was found to be empty")
    case .notAJournal(let why): throw JournalError(.notAJournal(why), path: place.path)
    case .newerFormat(let versions):
      throw JournalError(
        .newerFormat(version: versions.version, oldestReader: versions.oldestReader),
        path: place.path)
    case .newerFrame(let journal, let misfit):
      throw JournalError(
        .newerFrame(kind: misfit.kindByte), path: place.path, offset: journal.intact.endOffset,
        lastReadable: journal.intact.lastReadable, base: journal.header.base.sequence)
    case .damaged(let journal, let damage):
      throw JournalError(
        .damaged(highestSynced: damage.highestSynced), path: place.path,
        offset: damage.highestSynced == nil ? nil : journal.intact.endOffset,
        lastReadable: journal.intact.lastReadable, base: journal.header.base.sequence)
    }
  }
}

extension FrameMisfit {
  fileprivate var kindByte: UInt8 {
    if case .kind(let kind) = self { kind.rawValue } else { 0 }
  }
}

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

extension CommitQueue {
  /// How long after the last sync a mark is written.
  static let markDelayNanoseconds: Int64 = 50_000_000

  /// Whether something was written that is still to be synced.
  var isUnsynced: Bool {
    if case .open = phase { unsyncedSince != nil } else { false }
  }

  /// What is to be done in the background, and when, if anything is.
  var nextDue: Int64? {
    var next: Int64?
    forEachDue { _, at in next = min(next ?? at, at) }
    return next
  }

  /// What is due at a moment.
  func work(dueAt now: Int64) -> CommitGroup.Work {
    var due: CommitGroup.Work = []
    forEachDue { work, at in if at <= now { due.insert(work) } }
    return due
  }

  private func forEachDue(_ body: (CommitGroup.Work, _ at: Int64) -> Void) {
    guard phase == .open else { return }
    if let unsyncedSince { body(.sync, unsyncedSince.adding(durability.intervalNanoseconds)) }
    if marked < durable.sequence {
      body(.mark, lastSync.adding(CommitQueue.markDelayNanoseconds))
    }
    if wantsFill { body(.fill, .min) }
  }
}

extension FileJournal {
  /// Does what is due in the background: syncs what has waited long enough, marks what has been
  /// synced, fills space ahead. The housekeeper calls it; a journal without one is tended by its
  /// owner.
  ///
  /// - Returns: When something will be due next, by the clock's uptime; nil if nothing is expected.
  @discardableResult
  package func tend() -> Int64? {
    let now = options.clock.uptimeNanoseconds
    let work = queue.withLock { $0.work(dueAt: now) }
    if !work.isEmpty {
      // A failure stops the writer, and everyone who then appends is told of it.
      try? perform(work)
    }
    return queue.withLock { $0.nextDue }
  }

  /// How long it is until something is due. A journal may have a clock of its own, so that the
  /// housekeeper, who waits by the machine's, is told how long and not until when.
  func nanoseconds(until due: Int64) -> Int64 {
    due == .min ? 0 : max(0, due &- options.clock.uptimeNanoseconds)
  }
}

extension Int64 {
  /// The sum, or the last moment there is: clocks are the user's, and may stand anywhere.
  fileprivate func adding(_ interval: Int64) -> Int64 {
    let (sum, overflowed) = addingReportingOverflow(interval)
    return overflowed ? .max : sum
  }
}
