/// The state of a reader or a writer between two frames. The chain determines the number, the
/// previous checksum and the possible kinds of the next frame.
package struct FrameChain: Hashable, Sendable {
  /// The parts of a file that the next frame can belong to.
  package enum Part: Hashable, Sendable {
    /// The frames that contain the state of the base, in a compacted journal, with the number of
    /// these frames before the position.
    case base(frameCount: UInt64)
    case transactions
  }

  package var part: Part
  /// The number and the time of the last transaction before the position; before the first
  /// transaction, those of the base. The checksum is that of the last frame of any kind; before the
  /// first frame, it is that of the header page.
  package var point: ChainPoint
  /// The number of the last base frame; 0 after the base.
  private var lastInBase = SequenceNumber.zero

  package init(part: Part, point: ChainPoint) {
    self.part = part
    self.point = point
  }

  /// Creates the chain before the first frame of a journal.
  package init(before header: JournalHeader) {
    part = header.base.sequence > .zero ? .base(frameCount: 0) : .transactions
    point = header.base
    point.checksum = header.pageChecksum
  }

  /// Returns the reason why a frame with valid checksums does not continue this chain; nil if it
  /// does.
  @inline(__always)
  package func defect(of header: FrameHeader) -> FrameDefect? {
    guard header.previousChecksum == point.checksum else {
      return .chain(expected: point.checksum, found: header.previousChecksum)
    }
    switch part {
    case .transactions where header.kind == .transaction:
      guard header.sequence == sequence.next else {
        return .sequence(expected: sequence.next, found: header.sequence)
      }
      guard header.durable < header.sequence else { return .durable(header.durable) }
    case .base where header.kind == .base:
      guard header.sequence <= sequence,
        header.sequence > lastInBase || (header.sequence == .zero && lastInBase == .zero)
      else {
        return .sequence(
          expected: lastInBase == .zero ? .zero : lastInBase.next, found: header.sequence)
      }
    case .base
    where header.kind == .sharedBaseEnd && part != .base(frameCount: 0)
      || header.kind == .baseEnd && lastInBase == .zero:
      let expected = header.kind == .sharedBaseEnd ? sequence : .zero
      guard header.sequence == expected else {
        return .sequence(expected: expected, found: header.sequence)
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

  /// Advances over a frame that continues this chain.
  @inline(__always)
  package mutating func advance(over header: FrameHeader, checksum: UInt64) {
    point.checksum = checksum
    switch header.kind {
    case .transaction:
      point.sequence = header.sequence
      point.time = header.time
    case .base:
      if case .base(let frameCount) = part { part = .base(frameCount: frameCount + 1) }
      lastInBase = header.sequence
    case .baseEnd, .sharedBaseEnd:
      part = .transactions
      lastInBase = .zero
    default:
      break
    }
  }

  package var sequence: SequenceNumber { point.sequence }

  /// A Boolean value that indicates whether the position is after the whole base. The value is true
  /// for a journal without a base.
  package var isPastBase: Bool { part == .transactions }

  /// The last transaction before the position; 0 if the position is inside the base. No state can
  /// be built from a part of the base.
  package var lastReadable: SequenceNumber { isPastBase ? sequence : .zero }
}

/// A position between two frames: the offset between the frames, and the chain at this offset.
package struct FramePosition: Hashable, Sendable {
  package var chain: FrameChain
  /// The end offset of the frame before the position, which is the start offset of the next frame.
  package var endOffset: UInt64

  package init(chain: FrameChain, endOffset: UInt64) {
    self.chain = chain
    self.endOffset = endOffset
  }

  /// Creates the position before the first frame of a journal.
  package init(before header: JournalHeader) {
    self.init(chain: FrameChain(before: header), endOffset: JournalLayout.firstFrameOffset)
  }

  package var sequence: SequenceNumber { chain.point.sequence }

  /// The end that a mark records for this position.
  package var end: FrameEnd {
    FrameEnd(sequence: sequence, offset: endOffset, checksum: chain.point.checksum)
  }

  /// Advances over a frame that continues the chain.
  @inline(__always)
  package mutating func advance(over header: FrameHeader, checksum: UInt64) {
    chain.advance(over: header, checksum: checksum)
    endOffset += UInt64(header.frameByteCount)
  }
}

/// The reasons why the bytes at a position are not the next frame.
package enum FrameDefect: Hashable, Sendable {
  /// The file ends at this position.
  case end
  /// The file ends within the frame. The frame needs more bytes than are available.
  case short(needed: Int, available: Int)
  /// The payload length in the header is invalid.
  case length(Int)
  /// The 48 bytes are not a header: their checksum is wrong.
  case headerChecksum(stored: UInt64, computed: UInt64)
  /// The header has a correct checksum, but the checksum of the whole frame is wrong.
  case frameChecksum(stored: UInt64, computed: UInt64)
  /// The frame does not follow the previous frame of this file: its previous checksum differs.
  case chain(expected: UInt64, found: UInt64)
  /// The frame has a wrong sequence number.
  case sequence(expected: SequenceNumber, found: SequenceNumber)
  /// The end of the base records a number of base frames different from the number before it.
  case baseCount(recorded: UInt64, found: UInt64)
  /// The frame records its own transaction, or a later one, as synced before the frame was written.
  case durable(SequenceNumber)
  /// This build does not recognize the kind of the frame, or the kind is not allowed here.
  case kind(FrameKind)
  /// Bits are set that are zero in this version.
  case reserved(flags: UInt8, reserved: UInt16)

  /// A Boolean value that indicates whether the frame is whole and only a newer build can interpret
  /// it.
  package var isOfNewerFormat: Bool {
    switch self {
    case .kind(let kind): kind.rawValue > FrameKind.sharedBaseEnd.rawValue
    case .reserved: true
    default: false
    }
  }
}
