/// What a journal's bytes prove. A pure function of them, so that every image can be tried.
///
/// *n* is the last frame that continues sequence and chain, *g* where it ends, and *D* the highest
/// sequence that anything readable in the file says was synced: the marks, and the `durable` field
/// of every later frame header whose check holds, whose sequence is above *n*, and whose `durable`
/// is below its own sequence.
///
/// | order | test | verdict |
/// | ----- | ---- | ------- |
/// | 1 | no bytes, or at most 1 MiB of zeros, and no file named after it beside it | creation interrupted |
/// | 2 | the same, with a file named after it beside it | not a journal |
/// | 3 | a header copy names an oldest reader above this build's version | newer format |
/// | 4 | neither header copy can be used, or the file ends before 16384 | not a journal |
/// | 5 | a mark disagrees with the frame it tells of | damaged |
/// | 6 | at *g* stands a whole frame that follows, and that only a newer build can read | newer format |
/// | 7 | the base is not whole, or *D* > *n* | damaged |
/// | 8 | both marks are unreadable, or one is and there are no transactions | damaged |
/// | 9 | only zeros from *g* to the end | clean |
/// | 10 | anything else | torn |
///
/// The first row that fits decides. Row 8 is about files cut short and filled with zeros: such a
/// file looks like a journal to which nothing was ever written. A crash can break one mark, the one
/// being written; but a mark is written only with or after a transaction, which then is there to be
/// read.
package enum RecoveryDecision {
  /// The most bytes of zeros that creation may have left.
  package static let interruptedByteCountMax: UInt64 = 1 << 20

  /// - Complexity: O(*n*) in the size of the file
  ///
  /// - Parameters:
  ///   - hasDerivedFiles: Whether there is a file that is named after the journal. It is evaluated
  ///     only for a file of zeros, as that takes a listing of the directory.
  ///   - start: Returns a position up to which the frames are known to be right, if there is one.
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

  /// The marks that can be read, and where those stand that cannot.
  package static func readMarks(
    _ image: any JournalImage, of header: JournalHeader
  ) throws(DiskError) -> (good: [DurableMark], badOffsets: [UInt64]) {
    var good: [DurableMark] = []
    var badOffsets: [UInt64] = []
    for offset in JournalLayout.markOffsets {
      let page = try image.view(at: offset, atLeast: DurableMark.byteCount)
      // Before a base there is nothing to mark.
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

  /// The decision about the frames from a place on, where everything before is known to be right.
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
    if intact.misfit.isOfNewerFormat { return .newerFrame(journal, intact.misfit) }

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

  /// A verdict that ends the choice of a header.
  package struct NoHeader: Error { package var verdict: RecoveryVerdict }

  /// The header to go by, and the offset of a copy of it that cannot be used.
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
      // Of a short file too the first bytes tell whether it ever was a journal.
      if first != .check, second != .check, !JournalHeader.magic.starts(with: firstBytes) {
        return .failure(NoHeader(verdict: .notAJournal(.foreign(firstBytes: firstBytes))))
      }
      if first == .short {
        return .failure(NoHeader(verdict: .notAJournal(.short(byteCount: image.byteCount))))
      }
      return .failure(NoHeader(verdict: .notAJournal(.headersDamaged)))
    }
  }

  /// Whether the marks or the first frame were written under this header.
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

/// Goes through the frames from a place on and holds the marks against them.
private struct IntactScan {
  private var reader: FrameReader
  private let start: FramePosition
  private var index: FrameIndex
  /// The marks that have not been met.
  private var unmet: [DurableMark]
  /// The mark that tells of another frame than the one that is there.
  private(set) var disagreeing: DurableMark?
  private var steps: ReadingProgress.Steps?

  init(
    _ image: any JournalImage, after pages: EvidentPages, from start: FramePosition,
    index: FrameIndex, progress: ReadingProgress?
  ) {
    self.index = index
    steps = progress?.steps(.checking, of: image.byteCount)
    reader = FrameReader(image, salt: pages.header.salt, at: start)
    self.start = start
    unmet = pages.marks
  }

  mutating func run() throws(DiskError) -> IntactPrefix {
    // Behind the last frame, and behind the last one before this transaction.
    var place = start
    var settled = start
    var declaredDurable = SequenceNumber.zero
    index.note(place)
    meet(place)
    while true {
      let isWhole = try reader.advance()
      // A mark stands for the end of its transaction, or of a frame behind it that readers may
      // skip: it is met before the next transaction, or never.
      if !isWhole || reader.header.kind == .transaction {
        disagreeing = unmet.first {
          place.chain.isPastBase && $0.sequence == place.sequence
        }
        if disagreeing != nil { place = settled }
        if disagreeing != nil || !isWhole { break }
        settled = place
      }
      place = reader.position
      steps?.pass(place.endOffset)
      meet(place)
      declaredDurable = max(declaredDurable, reader.header.durable)
      index.note(place)
    }
    index.cut(at: place.endOffset + 1)
    return IntactPrefix(
      position: place, declaredDurable: declaredDurable, misfit: reader.misfit ?? .end, index: index
    )
  }

  /// Ticks off the marks that tell of the place just reached.
  @inline(__always)
  private mutating func meet(_ place: FramePosition) {
    if unmet.isEmpty { return }
    unmet.removeAll {
      place.chain.isPastBase && $0.end == place.end
    }
  }
}
