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
