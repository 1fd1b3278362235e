/// The decision of what the bytes of a journal file prove. Opening a journal uses the decision to
/// recover after a crash. The decision depends only on the bytes and, for a file of zeros, on the
/// names of the files beside the file. So tests can make the decision for any bytes.
///
/// - The *intact frames* are the frames from the start of the file on that are whole and continue
///   the chain. The first other bytes end them.
/// - *n* is the last transaction of the intact frames.
/// - *g* is the end offset of the intact frames.
/// - A *later header* is a frame header at or after *g* with a valid checksum, a sequence above
///   *n*, and a `durable` below its own sequence.
/// - *D* is the highest transaction that a mark or a later header records as synced.
///
/// | order | test | verdict |
/// | ----- | ---- | ------- |
/// | 1 | no bytes, or at most 1 MiB of zeros, and no derived file exists | creation interrupted |
/// | 2 | the same, and a derived file exists | not a journal |
/// | 3 | a header copy contains an oldest reader above this build's version | newer format |
/// | 4 | neither header copy is usable, or the file ends before 16384 | not a journal |
/// | 5 | a mark contradicts the frame that it records | damaged |
/// | 6 | a whole frame follows at *g* that only a newer build can read | newer format |
/// | 7 | the base is not whole, or *D* > *n* | damaged |
/// | 8 | both marks are unreadable, or one is and the journal has no transactions | damaged |
/// | 9 | only zeros from *g* to the end | clean |
/// | 10 | anything else | torn |
///
/// The first row that applies decides. In row 4, two copies that contradict each other are not
/// usable, unless the marks or the first frame show which copy is right.
///
/// Row 8 detects a file that was truncated and then filled with zeros. Such a file looks like a
/// journal without transactions. A crash does not cause such a file. A crash can damage only the
/// mark that is being written. The writer writes a mark only with or after a transaction, and that
/// transaction is then readable.
package enum RecoveryDecision {
  /// The largest number of zero bytes that an interrupted creation can leave.
  package static let interruptedByteCountMax: UInt64 = 1 << 20

  /// Decides what the bytes of a file prove.
  ///
  /// - Parameters:
  ///   - image: The bytes of the file.
  ///   - hasDerivedFiles: A Boolean value that indicates whether files of a used journal exist
  ///     beside the file. The expression lists the directory, so the function evaluates it only for
  ///     a file of zeros.
  ///   - start: A closure that returns a position, for example from a checkpoint. All frames before
  ///     the position were verified earlier. The scan starts at the position; if the closure
  ///     returns nil, at the first frame.
  /// - Complexity: O(*n*) in the size of the file after that position
  package static func decide(
    _ image: any JournalImage,
    hasDerivedFiles: @autoclosure () throws(DiskError) -> Bool, progress: ReadingProgress? = nil,
    start: (JournalHeader) -> JournalStart? = { _ in nil }
  ) throws(DiskError) -> RecoveryVerdict {
    if image.byteCount <= interruptedByteCountMax, try isZero(image) {
      return try hasDerivedFiles()
        ? .notAJournal(.emptied(byteCount: image.byteCount)) : .creationInterrupted
    }
    let found: (header: JournalHeader, badOffset: UInt64?)
    switch try chooseHeader(image) {
    case .failure(let none): return none.verdict
    case .success(let choice): found = choice
    }
    let marks = try readMarks(image, of: found.header)
    let start = start(found.header)
    let pages = EvidentPages(
      header: found.header, badHeaderOffset: found.badOffset, marks: marks.good,
      badMarkOffsets: marks.badOffsets)
    return try decide(
      image, after: pages, from: start?.end ?? FramePosition(before: found.header),
      index: start?.index ?? FrameIndex(), progress: progress)
  }

  /// Returns the readable marks, and the offsets of the unreadable ones.
  package static func readMarks(
    _ image: any JournalImage, of header: JournalHeader
  ) throws(DiskError) -> (good: [DurableMark], badOffsets: [UInt64]) {
    var good: [DurableMark] = []
    var badOffsets: [UInt64] = []
    for offset in JournalLayout.markOffsets {
      let page = try image.view(at: offset, atLeast: DurableMark.byteCount)
      // A mark never records a transaction before the base.
      if let mark = DurableMark(page, salt: header.salt), mark.pageOffset == offset,
        mark.sequence >= header.base.sequence
      {
        good.append(mark)
      } else {
        badOffsets.append(offset)
      }
    }
    return (good, badOffsets)
  }

  /// Decides what the frames from a position on prove. All frames before the position were verified
  /// earlier.
  package static func decide(
    _ image: any JournalImage, after pages: EvidentPages, from start: FramePosition,
    index: FrameIndex = FrameIndex(), progress: ReadingProgress? = nil
  ) throws(DiskError) -> RecoveryVerdict {
    var scan = IntactScan(image, after: pages, from: start, index: index, progress: progress)
    let intact = try scan.run()
    let journal = EvidentJournal(pages: pages, intact: intact)
    if let mark = scan.disagreeing {
      return .damaged(journal, Damage(proof: .markDisagrees(mark)))
    }
    if intact.defect.isOfNewerFormat { return .newerFrame(journal, intact.defect) }

    guard intact.position.chain.isPastBase else {
      return .damaged(journal, Damage(proof: .base(pages.header.base.sequence)))
    }
    if let mark = journal.newestMark, mark.sequence > intact.sequence {
      return .damaged(journal, Damage(proof: .mark(mark)))
    }
    let later = try LaterFrames.search(
      image, salt: pages.header.salt, from: intact.endOffset, above: intact.sequence)
    if let proof = later.highestDurable, proof.durable > intact.sequence {
      return .damaged(
        journal, Damage(proof: .laterFrame(offset: proof.offset, durable: proof.durable)))
    }
    let hasTransactions = intact.sequence > pages.header.base.sequence
    if pages.marks.isEmpty || (!pages.badMarkOffsets.isEmpty && !hasTransactions) {
      return .damaged(journal, Damage(proof: .marksUnreadable))
    }
    guard let tornEndOffset = later.endOffset else { return .clean(journal) }
    return .torn(journal, tornEndOffset: tornEndOffset)
  }

  private static func isZero(_ image: any JournalImage) throws(DiskError) -> Bool {
    try LaterFrames.lastNonZeroEnd(image, from: 0) == nil
  }

  /// The verdict for a file without a usable header.
  package struct NoHeader: Error { package var verdict: RecoveryVerdict }

  /// Returns the header to use, and the offset of the copy that is not usable; nil if both copies
  /// are usable.
  package static func chooseHeader(
    _ image: any JournalImage
  ) throws(DiskError) -> Result<(header: JournalHeader, badOffset: UInt64?), NoHeader> {
    var copies: [HeaderCopy] = []
    for offset in JournalLayout.headerOffsets {
      let page = try image.view(at: offset, atLeast: JournalLayout.pageByteCount)
      copies.append(JournalHeader.read(page))
    }
    let choice = try choose(copies[0], or: copies[1], for: image)
    if case .success = choice, image.byteCount < JournalLayout.firstFrameOffset {
      return .failure(NoHeader(verdict: .notAJournal(.short(byteCount: image.byteCount))))
    }
    return choice
  }

  private static func choose(
    _ first: HeaderCopy, or second: HeaderCopy, for image: any JournalImage
  ) throws(DiskError) -> Result<(header: JournalHeader, badOffset: UInt64?), NoHeader> {
    switch (first, second) {
    case (.good(let first), .good(let second)) where first == second:
      return .success((first, nil))
    case (.good(let first), .good(let second)):
      let fits = (try explainsFrames(first, in: image), try explainsFrames(second, in: image))
      if fits == (true, false) { return .success((first, JournalLayout.headerOffsets[1])) }
      if fits == (false, true) { return .success((second, JournalLayout.headerOffsets[0])) }
      return .failure(NoHeader(verdict: .notAJournal(.headersDisagree)))
    case (.good(let first), .bad):
      return .success((first, JournalLayout.headerOffsets[1]))
    case (.bad, .good(let second)):
      return .success((second, JournalLayout.headerOffsets[0]))
    case (.newer(let versions), _), (_, .newer(let versions)):
      return .failure(NoHeader(verdict: .newerFormat(versions)))
    case (.bad(let first), .bad(let second)):
      let begins = try image.view(at: 0, atLeast: JournalHeader.magic.count)
      let firstBytes = begins[0..<min(begins.count, JournalHeader.magic.count)].copy()
      // The first bytes show whether the file was a journal, even if the file is short.
      if first != .checksum, second != .checksum, !JournalHeader.magic.starts(with: firstBytes) {
        return .failure(NoHeader(verdict: .notAJournal(.foreign(firstBytes: firstBytes))))
      }
      if first == .short {
        return .failure(NoHeader(verdict: .notAJournal(.short(byteCount: image.byteCount))))
      }
      return .failure(NoHeader(verdict: .notAJournal(.headersDamaged)))
    }
  }

  /// Returns a Boolean value that indicates whether a mark or the first frame has a correct
  /// checksum for the salt of a header.
  private static func explainsFrames(
    _ header: JournalHeader, in image: any JournalImage
  ) throws(DiskError) -> Bool {
    for offset in JournalLayout.markOffsets {
      let page = try image.view(at: offset, atLeast: DurableMark.byteCount)
      if DurableMark(page, salt: header.salt) != nil { return true }
    }
    var reader = FrameReader(image, header: header)
    return try reader.advance()
  }
}

/// A scan of the frames from a position on, which compares them with the marks.
private struct IntactScan {
  private var reader: FrameReader
  private let start: FramePosition
  private var index: FrameIndex
  /// The marks that do not record the end of any frame that was read.
  private var unmet: [DurableMark]
  /// The mark that contradicts the frames: it records a transaction that was read, with a different
  /// end.
  private(set) var disagreeing: DurableMark?
  private var steps: ReadingProgress.Steps?

  init(
    _ image: any JournalImage, after pages: EvidentPages, from start: FramePosition,
    index: FrameIndex, progress: ReadingProgress?
  ) {
    self.index = index
    steps = progress?.steps(.checking, of: image.byteCount)
    reader = FrameReader(image, header: pages.header, beginningAt: start)
    self.start = start
    unmet = pages.marks
  }

  /// Reads frames up to the first defect or the first mark that contradicts a frame.
  ///
  /// - Returns: The intact frames. If a mark contradicts a transaction, this transaction is not
  ///   part of them.
  mutating func run() throws(DiskError) -> IntactPrefix {
    // `position` is the end of the last frame. `settled` is the end of the frames for which no mark
    // can disagree any more: all frames before the last transaction.
    var position = start
    var settled = start
    var declaredDurable = SequenceNumber.zero
    index.record(position)
    meet(position)
    while true {
      let hasAdvanced = try reader.advance()
      // A mark records the end of its transaction, or the end of a skippable frame before the next
      // transaction. So a mark of this transaction that is still unmet here contradicts the frames.
      if !hasAdvanced || reader.header.kind == .transaction {
        disagreeing = unmet.first {
          position.chain.isPastBase && $0.sequence == position.sequence
        }
        if disagreeing != nil { position = settled }
        if disagreeing != nil || !hasAdvanced { break }
        settled = position
      }
      position = reader.position
      steps?.pass(position.endOffset)
      meet(position)
      declaredDurable = max(declaredDurable, reader.header.durable)
      index.record(position)
    }
    index.cut(at: position.endOffset + 1)
    return IntactPrefix(
      position: position, declaredDurable: declaredDurable, defect: reader.defect ?? .end,
      index: index
    )
  }

  /// Removes the marks that record a position, because these marks agree with the frames.
  @inline(__always)
  private mutating func meet(_ position: FramePosition) {
    if unmet.isEmpty { return }
    unmet.removeAll {
      position.chain.isPastBase && $0.end == position.end
    }
  }
}
