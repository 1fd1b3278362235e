import DaybookPlatform

/// A journal that is opened for reading only. The reader takes no lock and never changes the file.
///
/// ```swift
/// let reader = try JournalReader(at: "banks.daybook")
/// print(reader.report)
/// var transactions = try reader.transactions(from: 1)
/// ```
///
/// The reader returns the transactions that were visible at its opening; ``FileFollower`` also
/// returns later ones. A torn or damaged journal can be opened too. The reader then returns the
/// intact transactions, and ``report`` describes the problem.
public final class JournalReader: Sendable {
  /// The path of the file, as the caller passed it.
  public let path: String
  /// The report of what opening found.
  public let report: RecoveryReport
  /// The last transaction that the reader returns.
  public var head: ChainPoint { end.chain.point }
  /// The permanent identity of the journal.
  public var identity: JournalIdentity { header.identity }

  /// The bytes at the start of every journal.
  public static var magic: [UInt8] { JournalHeader.magic }

  package let file: JournalFile
  package let header: JournalHeader
  package let location: JournalLocation
  package let disk: any Disk
  /// The progress to report while the journal is read.
  package let progress: ReadingProgress?
  /// The verification of the frames that opening did not read; nil if opening read all frames.
  package let lateChecks: LateChecks?
  private let index: FrameIndex
  let end: FramePosition

  /// The number of attempts to read a journal while a writer changes it. In one attempt, parts that
  /// were read before and after a write may contradict each other.
  private static let attemptMax = 10

  /// Creates a reader by opening a journal on a disk.
  package convenience init(
    at path: String, on disk: any Disk, reading: JournalReading = .mapped
  ) throws(JournalError) {
    var options = JournalOptions(on: disk)
    options.reading = reading
    try self.init(at: path, options: options)
  }

  /// Creates a reader by opening a journal.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - options: The options; only the disk, the reading method and the progress are used.
  /// - Throws: ``JournalError`` if the file is not a journal, needs a newer build, or cannot be
  ///   opened.
  /// - Complexity: O(*n*) in the size of the file
  public convenience init(
    at path: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) {
    try self.init(at: path, options: options) { _, _, _ in nil }
  }

  /// Creates a reader by opening a journal. Opening does not read the frames that were verified
  /// before a checkpoint was written.
  ///
  /// - Parameter start: A search for the position after these verified frames. If the search
  ///   returns nil or a position that does not fit the journal, opening reads all frames.
  /// - Complexity: O(*n*) in the size of the file after the position
  package init(
    at path: String, options: JournalOptions, from start: JournalStart.Search
  ) throws(JournalError) {
    let (disk, reading, progress) = (options.disk, options.reading, options.progress)
    let location = try JournalLocation(path, on: disk)
    let opened = try JournalOpening.open(location, for: .reading, on: disk)
    var known: JournalStart?
    let (file, verdict) = try JournalError.translating(path) { () throws(DiskError) in
      let file = try JournalFile(opened, reading: reading)
      let verdict = try JournalReader.decide(file, at: location, on: disk, progress: progress) {
        known = JournalStart.found(
          by: start, in: file, of: $0, beside: DerivedFiles(beside: location, options))
        return known
      }
      return (file, verdict)
    }

    let outcome: RecoveryReport.Outcome
    let journal: EvidentJournal
    switch verdict {
    case .creationInterrupted:
      throw JournalError(.notAJournal(.unwritten(byteCount: file.byteCount)), path: path)
    case .damaged(let found, let damage):
      journal = found
      outcome = .damaged(highestSynced: damage.highestSynced)
    case .torn(let found, let tornEndOffset):
      journal = found
      outcome = .torn(byteCount: tornEndOffset - found.intact.endOffset, copiedTo: nil)
    default:
      (journal, _) = try verdict.journal(at: location)
      outcome = .clean
    }
    let visibility = Visibility(location: location, disk: disk)
    let last = visibility.lastVisible(
      intact: journal.intact,
      // A checkpoint is always of a durable transaction.
      marked: max(journal.newestMark?.sequence ?? .zero, known?.end.sequence ?? .zero), file: file,
      salt: journal.header.salt)
    let position = try JournalError.translating(path) { () throws(DiskError) in
      try JournalReader.position(of: last, in: file, journal)
    }

    self.path = path
    self.location = location
    self.disk = disk
    self.progress = progress
    self.file = file
    header = journal.header
    lateChecks = known.map { start in
      LateChecks(
        file, salt: journal.header.salt, path: path, through: start.end, index: start.index)
    }
    index = journal.intact.index
    end = position
    let isBeingWritten = file.file.isLocked
    var report = RecoveryReport(path: path, outcome: outcome, journal: journal).ending(at: position)
    // Bytes after the committed end of an active writer are not torn: the writer has not finished
    // them.
    if case .torn = outcome, last < journal.intact.sequence || isBeingWritten {
      report.outcome = .clean
    }
    // An active writer can still close the journal, so an open journal is not a problem.
    if isBeingWritten { report.wasClosed = true }
    self.report = report
  }

  /// Closes the descriptor. Transactions in mapped memory stay readable. Reading any other
  /// transaction throws `closed`.
  package func close() { file.close() }

  /// Returns the state at the start of a compacted journal: the payloads of its base. The array is
  /// empty if the journal has its whole history.
  public func base() throws(JournalError) -> [ByteView] {
    try BaseReader.read(file, header: header, path: path)
  }

  /// Returns a reader of the transactions, in order.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if compaction has dropped the first requested
  ///   transaction.
  /// - Complexity: O(log *n*) to find the start. The reader then skips less than 64 KiB of frames.
  ///   If the transaction is close to the base, the reader skips the whole base.
  public func transactions(
    from first: SequenceNumber
  ) throws(JournalError) -> TransactionReader {
    try TransactionReader(
      frames(from: first).reader, from: first, through: end.sequence, base: header.base.sequence,
      path: path)
  }

  /// Returns a reader of the frames that starts at or before a transaction. A store replays its
  /// journal with this reader. The store reads each payload in place, so that no value is allocated
  /// for a transaction.
  package func frames(
    from first: SequenceNumber
  ) -> (reader: FrameReader, last: SequenceNumber, endOffset: UInt64) {
    let reader = FrameReader(
      file, header: header, beginningAt: index.entry(before: first), endOffset: end.endOffset)
    return (reader, end.sequence, end.endOffset)
  }

  /// Returns the position after a transaction; nil if the journal does not contain the transaction.
  ///
  /// - Complexity: O(log *n*) to find the start. Then less than 64 KiB of frames before the
  ///   transaction are read. If the transaction is close to the base, the whole base is read.
  package func position(after sequence: SequenceNumber) throws(JournalError) -> FramePosition? {
    var (reader, last, _) = frames(from: sequence)
    guard sequence >= header.base.sequence, sequence <= last else { return nil }
    return try reader.advance(past: sequence, path: path)
  }

  /// Decides what the bytes of a journal prove.
  ///
  /// If the method reads the start of the file before an append and the end after the append, the
  /// journal seems to be damaged. So if a writer is active, the method reads a damaged journal
  /// again, until two attempts have the same result.
  static func decide(
    _ file: JournalFile, at location: JournalLocation, on disk: any Disk,
    progress: ReadingProgress? = nil, start: (JournalHeader) -> JournalStart? = { _ in nil }
  ) throws(DiskError) -> RecoveryVerdict {
    var verdict = try RecoveryDecision.decide(
      file, hasDerivedFiles: try location.hasDerivedFiles(on: disk), progress: progress,
      start: start)
    for _ in 0..<attemptMax {
      guard case .damaged(let journal, _) = verdict, file.file.isLocked else { break }
      _ = try file.refresh()
      let again = try RecoveryDecision.decide(
        file, hasDerivedFiles: try location.hasDerivedFiles(on: disk), start: start)
      if case .damaged(let same, _) = again, same.intact.sequence == journal.intact.sequence {
        break
      }
      verdict = again
    }
    return verdict
  }

  /// Returns the position after an intact transaction.
  private static func position(
    of last: SequenceNumber, in file: JournalFile, _ journal: EvidentJournal
  ) throws(DiskError) -> FramePosition {
    let intact = journal.intact
    guard last < intact.sequence, let entry = intact.index.entry(before: last.next) else {
      return intact.position
    }
    var reader = FrameReader(file, salt: journal.header.salt, at: entry)
    while reader.chain.sequence < last || !reader.chain.isPastBase, try reader.advance() {}
    return reader.position
  }
}

extension RecoveryReport {
  fileprivate func ending(at position: FramePosition) -> RecoveryReport {
    var report = self
    report.lastTransaction = position.chain.lastReadable
    report.endOffset = position.endOffset
    return report
  }
}

/// The rule for the part of a journal that a reader without the lock returns.
///
/// - While a writer has the lock: the frames up to the last transaction that is recorded as synced.
///   The committed end, a mark, or a later frame can record this. The writer may still roll back
///   the frames after this transaction.
/// - Without a writer: all intact frames, because recovery would keep them.
struct Visibility {
  let location: JournalLocation
  let disk: any Disk

  /// Returns the committed end that a writer has published for the journal with a salt; nil if it
  /// is not available.
  func publishedEnd(salt: UInt64) -> CommittedEnd? {
    // A file that is half-written, belongs to a different journal, or is missing counts as no
    // published end.
    guard let file = try? disk.open(location.endPath, for: .reading),
      let view = try? CopiedImage(file, byteCount: UInt64(CommittedEnd.byteCount))
        .view(at: 0, atLeast: CommittedEnd.byteCount),
      let end = CommittedEnd(view), end.salt == salt
    else { return nil }
    return end
  }

  /// Returns the last of the intact transactions that a reader may return.
  func lastVisible(
    intact: IntactPrefix, marked: SequenceNumber, file: JournalFile, salt: UInt64
  ) -> SequenceNumber {
    let published = publishedEnd(salt: salt)?.end.sequence ?? .zero
    let proven = max(published, marked, intact.declaredDurable)
    if proven < intact.sequence, !file.file.isLocked { return intact.sequence }
    return min(proven, intact.sequence)
  }
}
