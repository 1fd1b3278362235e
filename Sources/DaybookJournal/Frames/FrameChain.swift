/// How far a reader has come, and so what the next frame must be to continue.
package struct FrameChain: Hashable, Sendable {
  /// The part of the file that the next frame belongs to.
  package enum Part: Hashable, Sendable {
    /// In a compacted journal: the state as of the base, so many frames of it read.
    case base(frameCount: UInt64)
    case transactions
  }

  package var part: Part
  /// The last transaction read, or the base, or 0; and the check that ended the last frame, which
  /// before the first one is the check of the journal's header page.
  package var point: ChainPoint

  package init(part: Part, point: ChainPoint) {
    self.part = part
    self.point = point
  }

  /// Before the first frame of a journal.
  package init(before header: JournalHeader) {
    part = header.base.sequence > .zero ? .base(frameCount: 0) : .transactions
    point = header.base
    point.check = header.pageCheck
  }

  /// Why a frame whose checks hold does not continue this chain, or nil if it does.
  @inline(__always)
  package func misfit(of header: FrameHeader) -> FrameMisfit? {
    guard header.previousCheck == point.check else {
      return .chain(expected: point.check, found: header.previousCheck)
    }
    switch part {
    case .transactions where header.kind == .transaction:
      guard header.sequence == sequence.next else {
        return .sequence(expected: sequence.next, found: header.sequence)
      }
      guard header.durable < header.sequence else { return .durable(header.durable) }
    case .base where header.kind == .base || header.kind == .baseEnd:
      guard header.sequence == .zero else {
        return .sequence(expected: .zero, found: header.sequence)
      }
    default:
      guard header.kind.isSkippable else { return .kind(header.kind) }
      guard header.sequence == sequence else {
        return .sequence(expected: sequence, found: header.sequence)
      }
    }
    guard header.flags == 0, header.reserved == 0 else {
      return .reserved(flags: header.flags, reserved: header.reserved)
    }
    return nil
  }

  /// Goes past a frame that fits.
  @inline(__always)
  package mutating func advance(over header: FrameHeader, check: UInt64) {
    point.check = check
    switch header.kind {
    case .transaction:
      point.sequence = header.sequence
      point.time = header.time
    case .base:
      if case .base(let frameCount) = part { part = .base(frameCount: frameCount + 1) }
    case .baseEnd:
      part = .transactions
    default:
      break
    }
  }

  package var sequence: SequenceNumber { point.sequence }

  /// Whether the base, if there is one, has been read whole.
  package var isPastBase: Bool { part == .transactions }

  /// The last transaction that can be read: none if the state before the first one cannot be.
  package var lastReadable: SequenceNumber { isPastBase ? sequence : .zero }
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

/// Why no frame stands where one was looked for.
package enum FrameMisfit: Hashable, Sendable {
  /// The file ends here.
  case end
  /// The file ends within the frame, which needs so many bytes.
  case short(needed: Int, available: Int)
  /// The header says that the payload has this many bytes.
  case length(Int)
  /// The 48 bytes are no header: their check is another.
  case headerCheck(stored: UInt64, computed: UInt64)
  /// The header is whole and the frame is not.
  case frameCheck(stored: UInt64, computed: UInt64)
  /// The frame follows another frame than the one before it.
  case chain(expected: UInt64, found: UInt64)
  case sequence(expected: SequenceNumber, found: SequenceNumber)
  /// The frame says that it was synced before it was written.
  case durable(SequenceNumber)
  /// A frame of a kind that this build does not know, or that does not belong here.
  case kind(FrameKind)
  /// Bits that this version leaves zero.
  case reserved(flags: UInt8, reserved: UInt16)

  /// Whether the frame is whole and only a newer build could say what it means.
  package var isOfNewerFormat: Bool {
    switch self {
    case .kind(let kind): kind.rawValue > FrameKind.baseEnd.rawValue
    case .reserved: true
    default: false
    }
  }
}
