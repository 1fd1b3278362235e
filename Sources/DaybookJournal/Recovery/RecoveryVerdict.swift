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
