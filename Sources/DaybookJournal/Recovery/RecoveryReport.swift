/// What opening a journal found and did.
///
/// A program reads the properties; a person reads ``description``, a sentence or two for each thing
/// that was not as it would be after an orderly close.
public struct RecoveryReport: Hashable, Sendable {
  /// How the journal was found.
  @nonexhaustive
  public enum Outcome: Hashable, Sendable {
    /// There was none, and an empty one was made.
    case created
    /// Every frame was whole and nothing stood behind the last.
    case clean
    /// The file was there and nothing had ever been written to it; an empty journal was put there.
    case creationInterrupted
    /// What a crash left behind the last whole transaction had never been acknowledged as durable.
    /// It was cut and kept in a file of its own, or, where nothing may be changed, passed over.
    case torn(byteCount: UInt64, keptIn: String?)
    /// Transactions that had been synced cannot be read. Only read-only opening goes on from here.
    case damaged(highestSynced: SequenceNumber?)
  }

  /// The file, as the caller named it.
  public var path: String
  /// How the journal was found.
  public var outcome: Outcome
  /// The last transaction that is intact; 0 if there is none.
  public var lastTransaction: SequenceNumber
  /// The transaction with whose state a compacted journal begins; 0 if history is whole.
  public var base = SequenceNumber.zero
  /// Where the intact frames end.
  public var endOffset: UInt64
  /// How many bytes at the end of the intact frames had not been proven to be on disk, and were
  /// written again and synced.
  public var rewrittenByteCount: UInt64 = 0
  /// Where a copy of the header stands that cannot be used, while the other can.
  public var badHeaderOffset: UInt64?
  /// Where marks stand that cannot be used.
  public var badMarkOffsets: [UInt64] = []
  /// Whether whoever appended last had closed the journal. If not, nothing proves that the last
  /// transaction found was the last one saved. It was, if the disk keeps to what is assumed of it.
  public var wasClosed = true
  /// How many nanoseconds the last transaction is ahead of the clock, if that is more than a day.
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

  /// Whether there is nothing to tell.
  public var isUneventful: Bool {
    (outcome == .clean || outcome == .created) && badHeaderOffset == nil && badMarkOffsets.isEmpty
      && wasClosed && rewrittenByteCount == 0 && aheadOfClockNanoseconds == nil
  }
}

extension RecoveryReport: CustomStringConvertible {
  /// One line for each thing found, each beginning with the path.
  public var description: String {
    lines.map { "\(path): \($0)" }.joined(separator: "\n")
  }

  private var lines: [String] {
    let intact = JournalError.intact(through: lastTransaction, base: base)
    var lines: [String] = []
    switch outcome {
    case .created: lines.append("a new journal was made.")
    case .clean where lastTransaction == .zero: lines.append("the journal is empty and clean.")
    case .clean: lines.append("the journal is clean. \(intact)")
    case .creationInterrupted:
      lines.append(
        "the file was empty, as an interrupted creation leaves it; a journal was put there.")
    case .torn(let byteCount, let side):
      let kept = side.map { "A copy is kept in \($0)." } ?? "The file was not changed."
      let follow = byteCount == 1 ? "1 byte follows" : "\(byteCount) bytes follow"
      lines.append(
        """
        byte \(endOffset): \(follow) that no save had acknowledged as durable. \
        \(kept) \(intact)
        """)
    case .damaged(let highest?):
      lines.append(
        """
        byte \(endOffset): transactions up to \(highest) were synced, and from here on they cannot \
        be read. \(intact)
        """)
    case .damaged(nil):
      lines.append("the marks that say how far the journal was synced cannot be read. \(intact)")
    }
    if let badHeaderOffset {
      lines.append(
        """
        byte \(badHeaderOffset): this copy of the header fails its check; the other one is whole and \
        was used.
        """)
    }
    for offset in badMarkOffsets {
      // A crash breaks the one that is being written, and then the other proves what there is.
      let why = isDamaged ? "" : ", as a crash while it is written leaves it"
      lines.append("byte \(offset): this mark fails its check\(why).")
    }
    if !wasClosed, !isDamaged {
      let what =
        lastTransaction == .zero
        ? "nothing had been saved" : "transaction \(lastTransaction) was the last"
      lines.append("the journal was not closed: nothing proves that \(what).")
    }
    if rewrittenByteCount > 0 {
      lines.append("the last \(rewrittenByteCount) bytes were written again and synced.")
    }
    if let ahead = aheadOfClockNanoseconds {
      let day: Int64 = 86_400_000_000_000
      lines.append(
        """
        the last transaction is \(ahead < 2 * day ? "a day" : "\(ahead / day) days") or more ahead of \
        the clock; times stand still until the clock has caught up.
        """)
    }
    return lines
  }
}

/// What the bytes of a journal prove, and so what opening it has to do.
package enum RecoveryVerdict: Hashable, Sendable {
  /// Nothing was ever written: an empty journal is put there.
  case creationInterrupted
  /// The file is left alone: it holds no journal, or none whose beginning can be read.
  case notAJournal(NotAJournal)
  /// The file is left alone: this build is too old to read it.
  case newerFormat(FormatVersions)
  /// The file is left alone: a frame whose checks hold is of a kind this build does not know.
  case newerFrame(EvidentJournal, FrameMisfit)
  /// The file is left alone: transactions that had been synced cannot be read.
  case damaged(EvidentJournal, Damage)
  /// Nothing to do.
  case clean(EvidentJournal)
  /// What stands behind the intact frames, up to an offset, was never acknowledged, and is cut.
  case torn(EvidentJournal, tornEndOffset: UInt64)
}

/// The pages before the first frame of a journal, as far as they can be read.
package struct EvidentPages: Hashable, Sendable {
  package var header: JournalHeader
  /// The offset of a header copy that cannot be used while the other can.
  package var badHeaderOffset: UInt64?
  /// The marks that can be read, and the offsets of those that cannot.
  package var marks: [DurableMark]
  package var badMarkOffsets: [UInt64]
}

/// A journal whose beginning can be read, with what its bytes prove.
package struct EvidentJournal: Hashable, Sendable {
  package var pages: EvidentPages
  package var intact: IntactPrefix

  package var header: JournalHeader { pages.header }
  package var marks: [DurableMark] { pages.marks }

  /// The mark that tells of the most; of two that tell of the same, the one written later.
  package var newestMark: DurableMark? { DurableMark.newest(of: marks) }

  /// From here to the end of the intact frames nothing proves that the bytes have been synced.
  ///
  /// The newest mark tells up to where they have; the decision has held it against the frames.
  package var provenOffset: UInt64 {
    newestMark?.end.offset ?? JournalLayout.firstFrameOffset
  }
}

/// The frames at the beginning of a journal that are whole and follow each other.
package struct IntactPrefix: Hashable, Sendable {
  /// The position after the last frame. Its offset is the place called *g*.
  package var position: FramePosition
  /// The highest sequence that one of these frames says was synced.
  package var declaredDurable: SequenceNumber
  /// Why no frame stands there.
  package var misfit: FrameMisfit
  /// Where the frames begin, one entry each 64 KiB.
  package var index: FrameIndex

  package var endOffset: UInt64 { position.endOffset }
  package var sequence: SequenceNumber { position.sequence }
  /// The last transaction that can be read: none if the state before the first one cannot be.
  package var lastReadable: SequenceNumber { position.chain.lastReadable }
}

/// How it is known that synced transactions cannot be read.
package struct Damage: Hashable, Sendable {
  package enum Proof: Hashable, Sendable {
    /// The mark at an offset tells of a later transaction.
    case mark(DurableMark)
    /// The header of a later frame, at an offset, says that a later transaction was synced.
    case laterFrame(offset: UInt64, durable: SequenceNumber)
    /// The mark tells of a frame that ends with another check, or elsewhere, than the one that is
    /// there.
    case markDisagrees(DurableMark)
    /// The journal begins with a base that cannot be read whole.
    case base(SequenceNumber)
    /// Neither mark can be read, or one cannot and there is no transaction that it could have told
    /// of.
    case marksUnreadable
  }

  package var proof: Proof

  /// The highest transaction known to have been synced, if that is known.
  package var highestSynced: SequenceNumber? {
    switch proof {
    case .mark(let mark), .markDisagrees(let mark): mark.sequence
    case .laterFrame(_, let durable): durable
    case .base(let sequence): sequence
    case .marksUnreadable: nil
    }
  }
}
