/// One pass over a journal that reports every problem. After damaged bytes, it continues with the
/// next frame.
struct VerificationRun {
  let path: String
  let file: JournalFile
  let isBeingWritten: Bool
  let now: JournalTime
  var steps: ReadingProgress.Steps?
  let report: (VerificationProblem) -> Void

  private(set) var summary = VerificationSummary()

  /// Reports all problems of a file with a verdict, and returns the totals.
  mutating func run(_ verdict: RecoveryVerdict) throws(DiskError) -> VerificationSummary {
    switch verdict {
    case .clean(let journal):
      try read(journal, damage: nil)
    case .torn(let journal, _):
      try read(journal, damage: nil)
    case .damaged(let journal, let damage):
      try read(journal, damage: damage)
      if summary.problemCount == 0 {
        // The journal is damaged, so the result must contain at least one problem.
        report(
          .missingTail(highestSynced: damage.highestSynced ?? journal.intact.sequence),
          at: journal.intact.endOffset)
      }
    case .newerFrame(let journal, _):
      try read(journal, damage: nil, endsWith: refusal(verdict))
    case .creationInterrupted, .notAJournal, .newerFormat:
      report(refusal(verdict), at: 0)
    }
    return summary
  }

  /// Returns the problem of a file that this build cannot read.
  private func refusal(_ verdict: RecoveryVerdict) -> VerificationProblem.Kind {
    let reason: JournalError.Reason =
      switch verdict {
      case .creationInterrupted: .notAJournal(.unwritten(byteCount: file.byteCount))
      case .notAJournal(let why): .notAJournal(why)
      case .newerFormat(let versions):
        .newerFormat(version: versions.version, oldestReader: versions.oldestReader)
      case .newerFrame(_, .kind(let kind)): .newerFrame(kind: kind.rawValue)
      default: .newerFrame(kind: 0)
      }
    return .unreadable(JournalError(reason, path: path).happened)
  }

  private mutating func report(_ kind: VerificationProblem.Kind, at offset: UInt64) {
    summary.problemCount += 1
    report(VerificationProblem(path: path, offset: offset, kind: kind))
  }

  // MARK: Frames

  private mutating func read(
    _ journal: EvidentJournal, damage: Damage?, endsWith end: VerificationProblem.Kind? = nil
  ) throws(DiskError) {
    if let offset = journal.pages.badHeaderOffset { report(.header, at: offset) }
    for offset in JournalLayout.markOffsets {
      if journal.pages.badMarkOffsets.contains(offset) {
        report(.mark, at: offset)
      } else if let mark = journal.marks.first(where: { $0.pageOffset == offset }),
        case .markDisagrees(let other)? = damage?.proof, mark.hasSameEnd(as: other)
      {
        report(.markDisagrees(mark.sequence), at: offset)
      }
    }
    summary.intactThrough = journal.intact.lastReadable

    // The verdict contains only one proof of damage. The newest mark may record a later transaction
    // than that proof.
    let highestSynced = damage?.highestSynced.map { max($0, journal.newestMark?.sequence ?? $0) }
    var reader = FrameReader(file, header: journal.header)
    while true {
      try readRun(&reader)
      guard let defect = reader.defect, let highest = highestSynced,
        highest > reader.chain.sequence || !reader.chain.isPastBase
      else { break }
      guard try resume(&reader, after: defect, of: journal) else { break }
    }
    if let end {
      report(end, at: reader.offset)
    } else if !reader.chain.isPastBase {
      // The base was already reported as unreadable, and no frame follows it.
      return
    } else if let highest = highestSynced, highest > reader.chain.sequence {
      report(.missingTail(highestSynced: highest), at: reader.offset)
    } else if !isBeingWritten,
      let tornEndOffset = try LaterFrames.lastNonZeroEnd(file, from: reader.offset)
    {
      report(.tornTail(byteCount: tornEndOffset - reader.offset), at: reader.offset)
    }
  }

  /// Reads consecutive frames up to the next bytes that do not continue the chain.
  private mutating func readRun(_ reader: inout FrameReader) throws(DiskError) {
    var first: SequenceNumber?
    var timeBefore = reader.chain.point.time
    var isAhead = false
    while try reader.advance() {
      steps?.pass(reader.offset)
      guard reader.header.kind == .transaction else { continue }
      let header = reader.header
      first = first ?? header.sequence
      summary.transactionCount += 1
      summary.payloadByteCount += UInt64(header.payloadByteCount)
      if !reader.isHeaderSound {
        report(.frameHeader(header.sequence), at: reader.headerOffset)
      }
      if header.time < timeBefore {
        report(.timeBackwards(header.sequence), at: reader.headerOffset)
      }
      timeBefore = header.time
      // Later transactions have the same time or a later one, so one report is enough.
      if !isAhead, now.nanoseconds(until: header.time) > 86_400_000_000_000 {
        report(.timeAhead(header.sequence), at: reader.headerOffset)
        isAhead = true
      }
    }
    if let first { summary.readable.append(first...reader.chain.sequence) }
  }

  /// Moves the reader over damaged bytes to the next frame, and reports the transactions between.
  ///
  /// - Returns: False if no later frame follows.
  private mutating func resume(
    _ reader: inout FrameReader, after defect: FrameDefect, of journal: EvidentJournal
  ) throws(DiskError) -> Bool {
    let salt = journal.header.salt
    let breakOffset = reader.offset
    let last = reader.chain.sequence
    let isPastBase = reader.chain.isPastBase
    if !isPastBase {
      report(.unreadableBase(last, why: VerificationRun.words(defect)), at: breakOffset)
    }
    guard let header = try reader.resume(in: file, salt: salt) else { return false }
    if header.sequence > last.next {
      report(
        .unreadableTransactions(
          from: last.next, before: header.sequence, why: VerificationRun.words(defect)),
        at: breakOffset)
    } else if isPastBase {
      report(
        .strayBytes(byteCount: reader.offset - breakOffset, before: header.sequence),
        at: breakOffset)
    }
    return true
  }

  private static func words(_ defect: FrameDefect) -> String {
    switch defect {
    case .end: "the file ends"
    case .short(let needed, let available):
      "the frame needs \(needed) bytes, but only \(available) are left"
    case .length(let length): "its length is \(length)"
    case .headerChecksum(let stored, let computed):
      """
      the computed checksum of the header is 0x\(Hexadecimal.digits(computed)), but \
      0x\(Hexadecimal.digits(stored)) is stored
      """
    case .frameChecksum(let stored, let computed):
      """
      the computed checksum of the frame is 0x\(Hexadecimal.digits(computed)), but \
      0x\(Hexadecimal.digits(stored)) is stored
      """
    case .chain(let expected, let found):
      """
      the frame follows a frame with checksum 0x\(Hexadecimal.digits(found)), but the frame before \
      it has 0x\(Hexadecimal.digits(expected))
      """
    case .sequence(let expected, let found): "expected transaction \(expected), found \(found)"
    case .baseCount(let recorded, let found):
      "the end of the base records \(recorded) frames, but \(found) are before it"
    case .durable(let durable):
      "the frame records that transaction \(durable) was durable before it was written"
    case .kind(let kind): "a frame of kind \(kind.rawValue) is not allowed there"
    case .reserved: "reserved bits are set"
    }
  }
}

extension DurableMark {
  /// Returns a Boolean value that indicates whether two marks record the same frame. The marks may
  /// be in different pages.
  fileprivate func hasSameEnd(as other: DurableMark) -> Bool {
    end == other.end
  }
}

extension FileJournal {
  /// Reads a whole journal and reports every problem, not only the first.
  ///
  /// ```swift
  /// let summary = try FileJournal.verify(at: "banks.daybook") { print($0) }
  /// if summary.problemCount == 0 { print("OK") }
  /// ```
  ///
  /// The call opens the journal read-only, and does not change it. After damaged bytes, it searches
  /// for the next frame with a header that has a correct checksum, and continues there. For
  /// example, a journal with damage at two positions has two problems. The summary contains the
  /// ranges of readable transactions before, between and after the damage.
  ///
  /// - Parameters:
  ///   - path: The path of the journal.
  ///   - options: The disk, the clock and the progress; nothing else is used.
  ///   - report: A closure that is called with each problem, in the order of the file.
  /// - Throws: ``JournalError`` if the file cannot be opened or read. A problem in a readable file
  ///   is reported, not thrown.
  /// - Complexity: O(*n*) in the size of the file. The memory is the size of the largest
  ///   transaction, and some bytes for each 64 KiB of the file.
  public static func verify(
    at path: String, options: JournalOptions = JournalOptions(),
    report: (VerificationProblem) -> Void
  ) throws(JournalError) -> VerificationSummary {
    let disk = options.disk
    let location = try JournalLocation(path, on: disk)
    let opened = try JournalOpening.open(location, for: .reading, on: disk)
    return try JournalError.translating(path) { () throws(DiskError) in
      // The file is not trusted, so it is read by copying. If a different program truncated a
      // mapped file, reading the mapping would end the process.
      let file = try JournalFile(opened, reading: .copied)
      let verdict = try JournalReader.decide(
        file, at: location, on: disk, progress: options.progress)
      // Frames that an active writer has not synced yet are not a torn end.
      let isBeingWritten = opened.isLocked
      return try withoutActuallyEscaping(report) { (report) throws(DiskError) in
        var run = VerificationRun(
          path: path, file: file, isBeingWritten: isBeingWritten, now: options.clock.now,
          steps: options.progress?.steps(.reading, of: file.byteCount), report: report)
        return try run.run(verdict)
      }
    }
  }
}
