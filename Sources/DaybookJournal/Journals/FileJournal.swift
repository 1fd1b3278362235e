import DaybookPlatform
import Synchronization

/// A journal in a file. With full durability, a transaction is on disk when `append` returns.
///
/// ```swift
/// let journal = try FileJournal(at: "banks.daybook")
/// guard case .appended(let receipt) = try await journal.append(bytes, at: nil, expecting: nil)
/// else { … }
/// ```
///
/// One append passes through these steps:
///
/// 1. The journal gives the payload the next sequence number, and adds it as a frame to the
///    *forming group*. The thread holds a lock only for this step.
/// 2. If no thread is the *leader*, the calling thread or a worker thread becomes the leader. The
///    leader takes the forming group. Later appends join the next group.
/// 3. The leader makes sure that the space for the group is filled with zeros. So the sync need not
///    change the size of the file. The leader then writes all frames of the group with one call.
///    With full durability, it syncs the file once.
/// 4. The leader publishes the new durable position for other processes, and reports the outcome to
///    all appends of the group. If a next group has formed, the leader takes that group.
///
/// So a single append waits for one sync, and any number of concurrent appends share one sync.
///
/// The two forms of append differ only in the thread that becomes the leader. In
/// ``appendAndWait(_:at:expecting:)``, the calling thread writes its own group as the leader, and a
/// worker thread writes the later groups. In ``append(_:at:expecting:)``, a worker thread writes
/// all groups. So no thread of Swift's concurrency pool waits for the disk.
///
/// If the disk has no space for a group, the appends of the group throw `diskFull`. The appends of
/// the group that formed meanwhile throw `precedingRefused`. Later appends can succeed. If any
/// other write or sync fails, the outcome of the group's appends is *unknown*: the file may contain
/// them or not. Then the accepted head moves back to the durable head, and no append is possible
/// until ``recover()`` has examined the file. Reads remain possible.
public final class FileJournal: Journal {
  // Shared state
  //
  // - `queue`: guarded by its mutex. No thread calls the disk while it holds this mutex.
  // - `writer`, which contains the marks: used only by the leader, or by the thread that holds the
  //   lock `recovery`. The field `isLed` of `queue` records whether there is a leader.
  // - `openFile`: guarded by its mutex. Only the leader changes it. A thread that needs this mutex
  //   and that of `queue` locks this one first.
  // - `file`, `lateChecks` and `housekeeper`: each of these objects guards its own state.
  //
  // No other property changes after `init`.

  /// The path of the file, as the caller passed it.
  public var path: String { location.path }
  /// The report of what opening the journal found and did.
  public let report: RecoveryReport
  /// The permanent identity of the journal.
  public var identity: JournalIdentity { header.identity }

  package let location: JournalLocation
  /// The header of the file. It changes its base when a replica restarts.
  package var header: JournalHeader { openFile.withLock { $0.header } }
  /// The file. A restart of a replica replaces it.
  package var file: JournalFile { openFile.withLock { $0.file } }
  let openFile: Mutex<OpenFile>

  /// A file and its header.
  struct OpenFile {
    var file: JournalFile
    var header: JournalHeader
  }

  /// The verification of the frames that opening did not read; nil if it read all.
  package let lateChecks: LateChecks?
  let options: JournalOptions

  /// The derived files beside the journal.
  package var derivedFiles: DerivedFiles { DerivedFiles(beside: location, options) }

  /// The threads that perform blocking work for tasks.
  package var workers: WorkerThreads { options.workers }

  /// A Boolean value that indicates whether threads of Daybook perform the background work. If the
  /// value is false, the owner of the journal calls ``tend()``.
  package var worksInBackground: Bool { options.worksInBackground }

  /// A Boolean value that indicates whether the store writes checkpoints.
  package var keepsCheckpoints: Bool { options.keepsCheckpoints }
  package var checkpointRule: CheckpointRule { options.checkpointRule }

  /// The clock that times transactions and delays.
  package var clock: any JournalClock { options.clock }
  /// The source of random numbers.
  package var random: @Sendable () -> UInt64 { options.random }
  let queue: Mutex<CommitQueue>
  let writer: CommitWriter
  /// The lock that a thread holds while it recovers or closes the journal. At most one thread does
  /// so at a time.
  let recovery = Mutex(())
  let housekeeper: Housekeeper?
  /// The connection to the shared log; nil if the journal is not a replica.
  package let link: SharedLink?

  /// Creates a journal by opening its file for writing, or by creating the file.
  ///
  /// - Throws: ``JournalError``; its reason says why the journal cannot be opened. A file that is
  ///   damaged, of a newer format, or not a journal is left unchanged.
  /// - Complexity: O(*n*) in the size of the file
  public convenience init(
    at path: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) {
    try self.init(at: path, options: options) { _, _, _ in nil }
  }

  /// Creates a journal by opening or creating its file. Opening does not read the frames that were
  /// verified before a checkpoint was written.
  ///
  /// - Parameter start: A search for the position after these verified frames. If the search
  ///   returns nil or a position that does not fit the journal, opening reads all frames.
  /// - Complexity: O(*n*) in the size of the file after the position
  package convenience init(
    at path: String, options: JournalOptions,
    from start: JournalStart.Search
  ) throws(JournalError) {
    let location = try JournalLocation(path, on: options.disk)
    let replica = try JournalError.translating(path) { () throws(DiskError) in
      do throws(DiskError) { return try ReplicaFile.read(beside: location, on: options.disk) } catch
      {
        // If the journal cannot be opened either, its error is the more helpful one.
        _ = try options.disk.open(location.resolvedPath, for: .readingAndWriting)
        throw error
      }
    }
    if let replica { throw JournalError(.replica(of: replica.log), path: path) }
    try self.init(at: location, options: options, link: nil, from: start)
  }

  /// Creates a journal, or a replica of a shared log.
  ///
  /// - Parameter link: The connection to the log; nil if the journal is not a replica.
  init(
    at location: JournalLocation, options: JournalOptions, link: SharedLink?,
    from start: JournalStart.Search
  ) throws(JournalError) {
    let opened = try JournalOpening.openForWriting(at: location, options)
    let found = try FileJournal.recoverAtOpening(
      opened.file, wasCreated: opened.wasCreated, at: location, options: options, link: link,
      from: start)

    self.location = location
    self.options = options
    self.link = link
    let header = found.journal.header
    openFile = Mutex(OpenFile(file: found.file, header: header))
    lateChecks = found.start.map { start in
      LateChecks(
        found.file, salt: found.journal.header.salt, path: location.path, through: start.end,
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
        marked: found.marks.newest.sequence, index: found.journal.intact.index,
        isShared: link != nil))
    writer = CommitWriter(
      file: found.file, location: location, disk: options.disk, salt: header.salt,
      marks: found.marks)
    housekeeper = options.worksInBackground ? Housekeeper() : nil
    writer.publish(position)
    housekeeper?.start { [weak self] in
      guard let self else { return .gone }
      return .done(next: tend().map(nanoseconds(until:)))
    }
  }

  deinit { closeUnreferenced() }

  /// Decides what the bytes of an open file prove, and performs the recovery that the verdict
  /// requires.
  private static func recoverAtOpening(
    _ opened: any DiskFile, wasCreated: Bool, at location: JournalLocation, options: JournalOptions,
    link: SharedLink?, from start: JournalStart.Search
  ) throws(JournalError) -> (
    file: JournalFile, journal: EvidentJournal, report: RecoveryReport, marks: MarkPair,
    start: JournalStart?
  ) {
    var outcome: RecoveryReport.Outcome? = wasCreated ? .created : nil
    var known: JournalStart?
    var (file, verdict) = try JournalError.translating(location.path) { () throws(DiskError) in
      let file = try JournalFile(opened, reading: options.reading)
      let verdict = try RecoveryDecision.decide(
        file, hasDerivedFiles: try location.hasDerivedFiles(on: options.disk)
      ) { header in
        known = JournalStart.found(
          by: start, in: file, of: header, beside: DerivedFiles(beside: location, options))
        return known
      }
      return (file, verdict)
    }
    if verdict == .creationInterrupted {
      var options = options
      if let link, options.beginning == nil {
        options.beginning = try beginning(of: link, at: location.path, options: options)
      }
      let created = options
      (file, verdict) = try JournalError.translating(location.path) { () throws(DiskError) in
        let made = try JournalCreation.replaceEmpty(
          at: location, created, status: try opened.status())
        let file = try JournalFile(made, reading: created.reading)
        return (file, try RecoveryDecision.decide(file, hasDerivedFiles: false))
      }
      outcome = .creationInterrupted
    }
    let (journal, tornEndOffset) = try verdict.journal(at: location)
    let versions = journal.header.versions
    guard versions.oldestWriter <= JournalHeader.version else {
      throw JournalError(
        .newerWriter(version: versions.version, oldestWriter: versions.oldestWriter),
        path: location.path, lastReadable: journal.intact.sequence)
    }
    var (report, marks) = try JournalError.translating(location.path) { () throws(DiskError) in
      try Recovery(location: location, disk: options.disk, file: file).perform(
        journal, from: journal.provenOffset, tornEndOffset: tornEndOffset)
    }
    if let outcome { report.outcome = outcome }
    return (file, journal, report, marks, known)
  }
}

extension RecoveryVerdict {
  /// Returns the readable part of the journal, and the end offset of the torn bytes after it; nil
  /// if there are no torn bytes. Recovery overwrites torn bytes with zeros.
  ///
  /// - Precondition: The verdict is not `creationInterrupted`.
  /// - Throws: ``JournalError`` if the verdict is neither `clean` nor `torn`.
  func journal(
    at location: JournalLocation
  ) throws(JournalError) -> (journal: EvidentJournal, tornEndOffset: UInt64?) {
    switch self {
    case .clean(let journal): return (journal, nil)
    case .torn(let journal, let tornEndOffset): return (journal, tornEndOffset)
    case .creationInterrupted:
      preconditionFailure("\(location.resolvedPath): a new journal was reported as empty")
    case .notAJournal(let why): throw JournalError(.notAJournal(why), path: location.path)
    case .newerFormat(let versions):
      throw JournalError(
        .newerFormat(version: versions.version, oldestReader: versions.oldestReader),
        path: location.path)
    case .newerFrame(let journal, let defect):
      throw JournalError(
        .newerFrame(kind: defect.kindByte), path: location.path, offset: journal.intact.endOffset,
        lastReadable: journal.intact.lastReadable, base: journal.header.base.sequence)
    case .damaged(let journal, let damage):
      throw JournalError(
        .damaged(highestSynced: damage.highestSynced), path: location.path,
        offset: damage.highestSynced == nil ? nil : journal.intact.endOffset,
        lastReadable: journal.intact.lastReadable, base: journal.header.base.sequence)
    }
  }
}

extension FrameDefect {
  fileprivate var kindByte: UInt8 {
    if case .kind(let kind) = self { kind.rawValue } else { 0 }
  }
}

extension FileJournal {
  /// Closes the journal: makes all accepted transactions durable, writes both marks, and releases
  /// the lock. The next opening has nothing to recover.
  ///
  /// A program that ends without this call loses no durable transaction. The next opening then
  /// writes the frames after the newest durability mark again, because no mark proves that these
  /// frames are on disk. Closing twice is not an error. Existing readers of a mapped file remain
  /// usable. Existing readers of a file that is read by copying throw `closed`.
  ///
  /// - Throws: ``JournalError`` with `stopped` if the last sync failed, or if writing had stopped
  ///   and was not recovered. Then it is unknown whether the transactions that were not durable are
  ///   in the file. The journal is closed nevertheless, unless a different thread recovers it at
  ///   the same time.
  public func close() async throws(JournalError) {
    let closing = await options.workers.value {
      Result { () throws(JournalError) in try self.closeAndWait() }
    }
    try closing.get()
  }

  /// Closes the journal, and blocks the thread until it is closed.
  ///
  /// This is ``close()`` for programs without tasks.
  @available(
    *, noasync, message: "use close, which does not block a thread of the cooperative pool"
  )
  public func closeAndWait() throws(JournalError) {
    defer { releaseFile() }
    do {
      if try !isClosed() { try perform(.close) }
    } catch {
      try closeAnyway(error)
    }
  }

  /// Returns a Boolean value that indicates whether the journal was closed before.
  ///
  /// - Throws: ``JournalError`` with `stopped` if writing had stopped. The method closes such a
  ///   journal before it throws.
  private func isClosed() throws(JournalError) -> Bool {
    switch recovery.withLock({ _ in queue.withLock { $0.closeUnlessOpen() } }) {
    case .open, .recovering: return false
    case .closed: return true
    case .stopped(let cause): throw JournalError(cause.refusal, path: path)
    }
  }

  /// Closes a journal after its close has failed, and throws the error of that failure.
  private func closeAnyway(_ error: JournalError) throws(JournalError) {
    // Another caller may have closed the journal meanwhile.
    if case .closed = error.reason { return }
    _ = recovery.withLock { _ in queue.withLock { $0.closeUnlessOpen() } }
    throw error
  }

  private func releaseFile() {
    // This lock makes the thread wait for other threads that close or recover the journal.
    recovery.withLock { _ in
      // Another caller may have recovered the journal, and continues to use it.
      guard queue.withLock({ $0.phase == .closed }) else { return }
      housekeeper?.end()
      endSharing()
      file.file.unlock()
      writer.close()
      file.close()
    }
  }

  /// Closes a journal that is released without a call of `close`.
  ///
  /// If there are transactions that were written and not synced, a thread of the housekeeper syncs
  /// them later. Existing readers remain usable.
  func closeUnreferenced() {
    let open = file.file
    open.unlock()
    var sync: (@Sendable () -> Void)?
    // No caller can receive an error of this sync. If the sync fails, the transactions are written
    // but not durable, as after a crash of the process.
    if queue.withLock({ $0.isUnsynced }) { sync = { try? open.sync() } }
    housekeeper?.end(after: sync)
    link?.close()
    writer.close()
    file.closeUnlessCopied()
  }
}

extension CommitQueue {
  /// The delay between the last sync and the mark that records it.
  static let markDelayNanoseconds: Int64 = 50_000_000

  /// A Boolean value that indicates whether written bytes still need a sync.
  var isUnsynced: Bool {
    if case .open = phase { unsyncedSince != nil } else { false }
  }

  /// The due time of the next background work, in nanoseconds of the clock's uptime; nil if no work
  /// is expected.
  var nextDue: Int64? {
    var next: Int64?
    forEachDue { _, at in next = min(next ?? at, at) }
    return next
  }

  /// Returns the work that is due at a time.
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

extension Int64 {
  /// Returns the sum, or the largest number if the sum overflows. A program can supply its own
  /// clock, which can return any time.
  func adding(_ interval: Int64) -> Int64 {
    let (sum, overflowed) = addingReportingOverflow(interval)
    return overflowed ? .max : sum
  }
}
