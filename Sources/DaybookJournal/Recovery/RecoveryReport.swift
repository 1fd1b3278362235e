/// A report of the findings and the actions of opening or recovering a journal.
///
/// Programs use the properties. ``description`` is for people: it has a line for each difference
/// from a journal that was closed in order.
public struct RecoveryReport: Hashable, Sendable {
  /// The possible states of a journal at its opening.
  @nonexhaustive
  public enum Outcome: Hashable, Sendable {
    /// No file existed, and an empty journal was created.
    case created
    /// Every frame was whole, and only zeros followed the last frame. A reader also reports this
    /// value if an active writer has not finished its last frames.
    case clean
    /// The file existed and contained nothing, because a crash interrupted its creation. An empty
    /// journal replaced the file.
    case creationInterrupted
    /// A crash left bytes after the last whole transaction. No transaction in these bytes was
    /// reported as durable. Opening for writing copies the bytes to the side file `copiedTo`, and
    /// overwrites them with zeros. Read-only opening ignores the bytes, and `copiedTo` is nil.
    case torn(byteCount: UInt64, copiedTo: String?)
    /// Transactions that were synced, up to `highestSynced`, are not readable. If `highestSynced`
    /// is nil, the durability marks are not readable, so that it is unknown which transactions were
    /// synced. Only read-only opening is possible.
    case damaged(highestSynced: SequenceNumber?)
  }

  /// The path of the file, as the caller passed it.
  public var path: String
  /// The state of the journal at its opening.
  public var outcome: Outcome
  /// The last intact transaction; 0 if there is none.
  public var lastTransaction: SequenceNumber
  /// The last transaction that compaction dropped; 0 for a journal with its whole history.
  public var base = SequenceNumber.zero
  /// The end offset of the intact frames.
  public var endOffset: UInt64
  /// The number of bytes at the end of the intact frames that opening wrote again and synced.
  /// Opening does this because no durability mark proved that these bytes were on disk.
  public var rewrittenByteCount: UInt64 = 0
  /// The offset of a header copy that is not usable; nil if both are usable.
  public var badHeaderOffset: UInt64?
  /// The offsets of the marks that are not usable.
  public var badMarkOffsets: [UInt64] = []
  /// A Boolean value that indicates whether the last writer closed the journal.
  ///
  /// If the value is false, no mark proves that the last transaction in the file is the last one
  /// that was saved. That transaction is the last saved one, unless the disk has lost synced bytes.
  /// A reader also reports true while a writer is active.
  public var wasClosed = true
  /// The number of nanoseconds from the clock's time to the later time of the last transaction; nil
  /// if that is at most a day.
  public var aheadOfClockNanoseconds: Int64?

  package init(
    path: String, outcome: Outcome, lastTransaction: SequenceNumber, endOffset: UInt64
  ) {
    self.path = path
    self.outcome = outcome
    self.lastTransaction = lastTransaction
    self.endOffset = endOffset
  }

  package init(path: String, outcome: Outcome, journal: EvidentJournal) {
    self.init(
      path: path, outcome: outcome, lastTransaction: journal.intact.lastReadable,
      endOffset: journal.intact.endOffset)
    base = journal.header.base.sequence
    badHeaderOffset = journal.pages.badHeaderOffset
    badMarkOffsets = journal.pages.badMarkOffsets
    wasClosed = journal.newestMark.map { !$0.isInUse } ?? true
  }

  private var isDamaged: Bool {
    if case .damaged = outcome { true } else { false }
  }

  /// A Boolean value that indicates whether the journal was created, or was closed in order and
  /// needed no repair.
  public var isUneventful: Bool {
    (outcome == .clean || outcome == .created) && badHeaderOffset == nil && badMarkOffsets.isEmpty
      && wasClosed && rewrittenByteCount == 0 && aheadOfClockNanoseconds == nil
  }
}

extension RecoveryReport: CustomStringConvertible {
  /// One line for each finding. Each line starts with the path.
  public var description: String {
    lines.map { "\(path): \($0)" }.joined(separator: "\n")
  }

  private var lines: [String] {
    let intact = JournalError.intact(through: lastTransaction, base: base)
    var lines: [String] = []
    switch outcome {
    case .created: lines.append("a new journal was created.")
    case .clean where lastTransaction == .zero: lines.append("the journal is empty and clean.")
    case .clean: lines.append("the journal is clean. \(intact)")
    case .creationInterrupted:
      lines.append(
        "the file was empty because its creation was interrupted. A journal was created in it.")
    case .torn(let byteCount, let side):
      let copy = side.map { "A copy is kept in \($0)." } ?? "The file was not changed."
      let (bytes, follow) =
        byteCount == 1 ? ("1 byte", "follows") : ("\(byteCount) bytes", "follow")
      lines.append(
        """
        byte \(endOffset): \(bytes) of an unfinished save \(follow) the last transaction. \
        \(copy) \(intact)
        """)
    case .damaged(let highest?):
      lines.append(
        """
        byte \(endOffset): transactions up to \(highest) were saved, but from here on they can no \
        longer be read. \(intact)
        """)
    case .damaged(nil):
      lines.append(
        "the durability marks, which record how far the journal was saved, cannot be read. \(intact)"
      )
    }
    if let badHeaderOffset {
      lines.append(
        """
        byte \(badHeaderOffset): this copy of the header has a wrong checksum. The other copy is \
        valid and was used.
        """)
    }
    for offset in badMarkOffsets {
      // A crash damages only the mark that is being written. The other mark is then readable.
      let why = isDamaged ? "" : " because a crash interrupted its writing"
      lines.append("byte \(offset): this durability mark has a wrong checksum\(why).")
    }
    if !wasClosed, !isDamaged {
      let what =
        lastTransaction == .zero
        ? "nothing had been saved" : "transaction \(lastTransaction) was the last"
      lines.append("the journal was not closed, so it is not certain that \(what).")
    }
    if rewrittenByteCount > 0 {
      lines.append("the last \(rewrittenByteCount) bytes were rewritten and synced.")
    }
    if let ahead = aheadOfClockNanoseconds {
      let day: Int64 = 86_400_000_000_000
      lines.append(
        """
        the last transaction is \(ahead < 2 * day ? "a day" : "\(ahead / day) days") or more ahead of \
        the clock. New transactions keep its time until the clock has caught up.
        """)
    }
    return lines
  }
}

/// The verdict of ``RecoveryDecision`` about the bytes of a journal. The verdict determines the
/// actions of opening.
package enum RecoveryVerdict: Hashable, Sendable {
  /// The file contains nothing, because its creation was interrupted. Opening replaces it by an
  /// empty journal.
  case creationInterrupted
  /// The file is not a journal, or its first pages are not readable. Opening does not change it.
  case notAJournal(NotAJournal)
  /// Reading the file needs a newer build. Opening does not change it.
  case newerFormat(FormatVersions)
  /// A whole frame follows the intact frames, and only a newer build can interpret it. Opening does
  /// not change the file.
  case newerFrame(EvidentJournal, FrameDefect)
  /// Transactions that were synced are not readable, or may not be readable. Opening for writing
  /// fails and does not change the file.
  case damaged(EvidentJournal, Damage)
  /// Only zeros follow the intact frames. Recovery writes the last frames again, if no mark proves
  /// that they are synced.
  case clean(EvidentJournal)
  /// The bytes after the intact frames, up to an offset, contain no transaction that was reported
  /// as durable. Recovery copies these bytes to a side file and overwrites them with zeros.
  case torn(EvidentJournal, tornEndOffset: UInt64)
}

/// The readable part of the pages before the first frame of a journal.
package struct EvidentPages: Hashable, Sendable {
  package var header: JournalHeader
  /// The offset of a header copy that is not usable; nil if both are usable.
  package var badHeaderOffset: UInt64?
  /// The readable marks. ``badMarkOffsets`` contains the offsets of the marks that are not
  /// readable.
  package var marks: [DurableMark]
  package var badMarkOffsets: [UInt64]
}

/// The readable parts of a journal: its first pages and its intact frames.
package struct EvidentJournal: Hashable, Sendable {
  package var pages: EvidentPages
  package var intact: IntactPrefix

  package var header: JournalHeader { pages.header }
  package var marks: [DurableMark] { pages.marks }

  /// The newest readable mark; see ``DurableMark/newest(of:)``.
  package var newestMark: DurableMark? { DurableMark.newest(of: marks) }

  /// The end of the bytes that the newest mark proves to be synced. The decision has compared this
  /// mark with the frames.
  package var provenOffset: UInt64 {
    newestMark?.end.offset ?? JournalLayout.firstFrameOffset
  }
}

/// The frames at the start of a journal that are whole and follow each other.
package struct IntactPrefix: Hashable, Sendable {
  /// The position after the last of these frames. Its offset is *g* in ``RecoveryDecision``.
  package var position: FramePosition
  /// The highest sequence that one of these frames records as synced.
  package var declaredDurable: SequenceNumber
  /// The reason why no frame follows at that position.
  package var defect: FrameDefect
  /// The positions of some frames, at most one in 64 KiB.
  package var index: FrameIndex

  package var endOffset: UInt64 { position.endOffset }
  package var sequence: SequenceNumber { position.sequence }
  /// The last transaction that is readable; 0 if the base is not wholly readable.
  package var lastReadable: SequenceNumber { position.chain.lastReadable }
}

/// The proof that synced transactions are not readable, or that their number is unknown.
package struct Damage: Hashable, Sendable {
  package enum Proof: Hashable, Sendable {
    /// A mark records a transaction after the intact frames.
    case mark(DurableMark)
    /// The header of a frame after damaged bytes records that a transaction after the intact frames
    /// was synced.
    case laterFrame(offset: UInt64, durable: SequenceNumber)
    /// A mark records a frame that has a different checksum or a different end in the file.
    case markDisagrees(DurableMark)
    /// The journal starts with a base that is not wholly readable.
    case base(SequenceNumber)
    /// Neither mark is readable; or one mark is not readable and the journal has no transactions.
    case marksUnreadable
  }

  package var proof: Proof

  /// The highest transaction that is known to be synced; nil if that is unknown.
  package var highestSynced: SequenceNumber? {
    switch proof {
    case .mark(let mark), .markDisagrees(let mark): mark.sequence
    case .laterFrame(_, let durable): durable
    case .base(let sequence): sequence
    case .marksUnreadable: nil
    }
  }
}
