import DaybookPlatform

/// A journal opened for reading only. It takes no lock and never changes a byte.
///
/// ```swift
/// let reader = try JournalReader(at: "banks.daybook")
/// print(reader.report)
/// var transactions = try reader.transactions(from: 1)
/// ```
///
/// It shows the journal as it was when it was opened; ``FileFollower`` goes on. A journal that is
/// torn or damaged opens, with what is intact, and ``report`` says so.
public final class JournalReader: Sendable {
  /// The file, as the caller named it.
  public let path: String
  /// What was found.
  public let report: RecoveryReport
  /// The last transaction shown.
  public var head: ChainPoint { end.chain.point }
  /// Which journal this is, for ever.
  public var identity: JournalIdentity { header.identity }

  /// The bytes at the beginning of every journal.
  public static var magic: [UInt8] { JournalHeader.magic }

  package let file: JournalFile
  package let header: JournalHeader
  package let place: JournalPlace
  package let disk: any Disk
  /// Who is told how far it is read.
  package let progress: ReadingProgress?
  private let index: FrameIndex
  let end: FramePosition

  /// How often a journal that is being written is looked at again when a part of it was read
  /// before, and another after, it was written.
  private static let attemptMax = 10

  /// Opens a journal on a disk for reading.
  package convenience init(
    at path: String, on disk: any Disk, reading: JournalReading = .mapped
  ) throws(JournalError) {
    var options = JournalOptions(on: disk)
    options.reading = reading
    try self.init(at: path, options: options)
  }

  /// Opens a journal for reading.
  ///
  /// - Parameters:
  ///   - path: The journal.
  ///   - options: How its bytes are brought into memory, and the progress to report.
  /// - Throws: ``JournalError`` if it is no journal, needs a newer build, or cannot be opened.
  /// - Complexity: O(*n*) in the size of the file
  public init(
    at path: String, options: JournalOptions = JournalOptions()
  ) throws(JournalError) {
    let (disk, reading, progress) = (options.disk, options.reading, options.progress)
    let place = try JournalPlace(path, on: disk)
    let opened = try JournalOpening.open(place, for: .reading, on: disk)
    let (file, verdict) = try JournalError.translating(path) { () throws(DiskError) in
      let file = try JournalFile(opened, reading: reading)
      let verdict = try JournalReader.decide(file, at: place, on: disk, progress: progress)
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
      outcome = .torn(byteCount: tornEndOffset - found.intact.endOffset, keptIn: nil)
    default:
      (journal, _) = try verdict.journal(at: place)
      outcome = .clean
    }
    let visibility = Visibility(place: place, disk: disk)
    let last = visibility.lastVisible(
      intact: journal.intact, marked: journal.newestMark?.sequence ?? .zero, file: file,
      salt: journal.header.salt)
    let position = try JournalError.translating(path) { () throws(DiskError) in
      try JournalReader.position(of: last, in: file, journal)
    }

    self.path = path
    self.place = place
    self.disk = disk
    self.progress = progress
    self.file = file
    header = journal.header
    index = journal.intact.index
    end = position
    let isBeingWritten = file.file.isLocked
    var report = RecoveryReport(path: path, outcome: outcome, journal: journal).ending(at: position)
    // What a living writer has behind the committed end is not torn, but not yet there.
    if case .torn = outcome, last < journal.intact.sequence || isBeingWritten {
      report.outcome = .clean
    }
    // It has still time to close.
    if isBeingWritten { report.wasClosed = true }
    self.report = report
  }

  /// Gives back the descriptor. Transactions that are mapped can still be read; others throw `closed`.
  package func close() { file.close() }

  /// The state that a compacted journal begins with: the payloads of its base, none if history is
  /// whole.
  public func base() throws(JournalError) -> [ByteView] {
    try BaseReader.read(file, header: header, path: path)
  }

  /// Reads transactions in order.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if compaction has dropped the first one asked for.
  /// - Complexity: O(log *n*) to begin, and at most 64 KiB to pass over.
  public func transactions(
    from first: SequenceNumber
  ) throws(JournalError) -> TransactionReader {
    try TransactionReader(
      frames(from: first).reader, from: first, through: end.sequence, base: header.base.sequence,
      path: path)
  }

  /// The frames from a place at or before a transaction on, for replay: the payload of each is looked at in
  /// place, without a value made for it.
  package func frames(
    from first: SequenceNumber
  ) -> (reader: FrameReader, last: SequenceNumber, endOffset: UInt64) {
    let reader = FrameReader(
      file, header: header, beginningAt: index.entry(before: first), endOffset: end.endOffset)
    return (reader, end.sequence, end.endOffset)
  }

  /// The place behind a transaction; nil if the journal does not know it.
  ///
  /// - Complexity: a walk over at most 64 KiB
  package func position(after sequence: SequenceNumber) throws(JournalError) -> FramePosition? {
    var (reader, last, _) = frames(from: sequence)
    guard sequence >= header.base.sequence, sequence <= last else { return nil }
    return try reader.advance(past: sequence, path: path)
  }

  /// What the bytes prove. A journal that is being written can look damaged to a reader that sees
  /// its beginning before, and its end after, an append; looking again settles that.
  static func decide(
    _ file: JournalFile, at place: JournalPlace, on disk: any Disk,
    progress: ReadingProgress? = nil
  ) throws(DiskError) -> RecoveryVerdict {
    var verdict = try RecoveryDecision.decide(
      file, hasDerivedFiles: try place.hasDerivedFiles(on: disk), progress: progress)
    for _ in 0..<attemptMax {
      guard case .damaged(let journal, _) = verdict, file.file.isLocked else { break }
      _ = try file.refresh()
      let again = try RecoveryDecision.decide(
        file, hasDerivedFiles: try place.hasDerivedFiles(on: disk))
      if case .damaged(let same, _) = again, same.intact.sequence == journal.intact.sequence {
        break
      }
      verdict = again
    }
    return verdict
  }

  /// The place behind an intact transaction.
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

/// What a reader without the lock may see of a journal.
///
/// With a writer: frames up to the committed end that it publishes, or that the journal itself
/// proves to have been synced, as a frame behind that is there may yet be taken back. Without one:
/// what recovery would keep.
struct Visibility {
  let place: JournalPlace
  let disk: any Disk

  /// The committed end published for the journal of this salt, or nil if none is to be had.
  func publishedEnd(salt: UInt64) -> CommittedEnd? {
    // Half written, or of another journal, or gone: each time as good as none.
    guard let file = try? disk.open(place.endPath, for: .reading),
      let view = try? CopiedImage(file, byteCount: UInt64(CommittedEnd.byteCount))
        .view(at: 0, atLeast: CommittedEnd.byteCount),
      let end = CommittedEnd(view), end.salt == salt
    else { return nil }
    return end
  }

  /// The last transaction to show, of the intact ones.
  func lastVisible(
    intact: IntactPrefix, marked: SequenceNumber, file: JournalFile, salt: UInt64
  ) -> SequenceNumber {
    let published = publishedEnd(salt: salt)?.end.sequence ?? .zero
    let proven = max(published, marked, intact.declaredDurable)
    if proven < intact.sequence, !file.file.isLocked { return intact.sequence }
    return min(proven, intact.sequence)
  }
}
