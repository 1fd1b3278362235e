/// A point in the history of a journal: its last transaction so far.
///
/// The head of a journal is one, and so is the base of a compacted one.
public struct ChainPoint: Hashable, Sendable {
  /// The last transaction, 0 if there is none.
  public var sequence: SequenceNumber
  /// Its time.
  public var time: JournalTime
  /// The check that ends its frame, which covers everything before it: two journals that agree in
  /// it agree in all their history.
  public var check: UInt64

  /// Creates a point, for journals of your own.
  public init(sequence: SequenceNumber, time: JournalTime, check: UInt64) {
    self.sequence = sequence
    self.time = time
    self.check = check
  }

  /// The base of a journal that has its whole history.
  package static let noBase = ChainPoint(sequence: .zero, time: .distantPast, check: 0)
}

/// A position between two frames: the offset at which one frame ends and the next begins, and the chain up to there.
package struct FramePosition: Hashable, Sendable {
  package var chain: FrameChain
  /// The offset at which the last frame of the chain ends.
  package var endOffset: UInt64

  package init(chain: FrameChain, endOffset: UInt64) {
    self.chain = chain
    self.endOffset = endOffset
  }

  /// The position before the first frame of a journal.
  package init(before header: JournalHeader) {
    self.init(chain: FrameChain(before: header), endOffset: JournalLayout.firstFrameOffset)
  }

  package var sequence: SequenceNumber { chain.point.sequence }

  /// The end that a mark of this position names.
  package var end: FrameEnd {
    FrameEnd(sequence: sequence, offset: endOffset, check: chain.point.check)
  }

  /// Moves past a frame that fits.
  @inline(__always)
  package mutating func advance(over header: FrameHeader, check: UInt64) {
    chain.advance(over: header, check: check)
    endOffset += UInt64(header.frameByteCount)
  }
}

/// The end of a transaction's frame, as durable marks and the committed end name it.
///
/// It is a point of the chain without the time, which neither of them stores, and with the offset.
package struct FrameEnd: Hashable, Sendable {
  /// The transaction; the base, or 0, if there is none yet.
  package var sequence: SequenceNumber
  /// The offset at which its frame ends.
  package var offset: UInt64
  /// The check that ends its frame; the check of the header's page if there is no frame yet.
  package var check: UInt64

  package init(sequence: SequenceNumber, offset: UInt64, check: UInt64) {
    self.sequence = sequence
    self.offset = offset
    self.check = check
  }
}
