/// Frames that were read from a shared log, verified as a continuation of a replica.
struct PulledFrames {
  /// The bytes after the start position.
  private(set) var bytes: [UInt8] = []
  /// The position after the frames.
  private(set) var end: FramePosition
  private let acknowledged: SharedHead?
  /// The positions of frames, for the journal's index.
  private(set) var index = FrameIndex()

  /// The reasons why groups do not continue a replica.
  enum Defect: Error, Hashable {
    /// The groups belong to a different history.
    case diverged
    /// The log has broken a rule. The text says which.
    case invalid(String)
  }

  /// Verifies consecutive groups of a log.
  ///
  /// The first group may contain frames that the replica already has, because a power loss can
  /// remove the last frames of a group from a replica.
  ///
  /// - Parameters:
  ///   - position: The end of the replica's frames.
  ///   - salt: The salt of the journal, which seeds the checksums.
  ///   - acknowledged: An end that the log has acknowledged earlier, which the frames must agree
  ///     with.
  init(
    _ groups: [FrameGroup], after position: FramePosition, salt: UInt64,
    expecting acknowledged: SharedHead? = nil
  ) throws(Defect) {
    end = position
    self.acknowledged = acknowledged
    for group in groups { try append(group, salt: salt) }
  }

  private mutating func append(_ group: FrameGroup, salt: UInt64) throws(Defect) {
    let next = end.sequence.next
    guard group.first <= next else {
      throw .invalid("it returned transaction \(group.first) where \(next) was expected")
    }
    var offset = 0
    if group.first < next {
      guard let start = try known(in: group, salt: salt) else { return }
      offset = start
    } else if group.previousChecksum != end.chain.point.checksum {
      throw .diverged
    }
    let start = offset
    while offset < group.bytes.count {
      index.record(end)
      offset += try PulledFrames.advance(&end, over: group, at: offset, salt: salt)
      if let acknowledged, end.sequence.next == acknowledged.next,
        end.chain.point.checksum != acknowledged.checksum
      {
        throw .diverged
      }
    }
    guard end.sequence.next == group.next, end.chain.point.checksum == group.checksum else {
      throw .invalid(
        "the group of transaction \(group.first) ends with \(end.sequence), not with its last frame"
      )
    }
    bytes += start == 0 ? group.bytes[...] : group.bytes[start...]
  }

  /// Returns the offset of the first frame of a group that the replica does not have; nil if it has
  /// all of them.
  private func known(in group: FrameGroup, salt: UInt64) throws(Defect) -> Int? {
    if group.next <= end.sequence.next {
      if group.next == end.sequence.next, group.checksum != end.chain.point.checksum {
        throw .diverged
      }
      return nil
    }
    let before = ChainPoint(
      sequence: SequenceNumber(group.first.rawValue &- 1), time: .distantPast,
      checksum: group.previousChecksum)
    var position = FramePosition(
      chain: FrameChain(part: .transactions, point: before), endOffset: 0)
    var offset = 0
    while position.sequence < end.sequence {
      offset += try PulledFrames.advance(&position, over: group, at: offset, salt: salt)
    }
    guard position.chain.point.checksum == end.chain.point.checksum else { throw .diverged }
    return offset
  }

  /// Verifies one frame of a group, and advances a position over it.
  ///
  /// - Returns: The size of the frame in bytes.
  private static func advance(
    _ position: inout FramePosition, over group: FrameGroup, at offset: Int, salt: UInt64
  ) throws(Defect) -> Int {
    let bytes = group.bytes.span.bytes
    guard offset + Frame.headerByteCount <= bytes.byteCount else {
      throw .invalid("the group of transaction \(group.first) ends within a frame")
    }
    let frame = FrameReader.frame(in: bytes, at: offset, salt: salt)
    if let defect = frame.defect ?? position.chain.defect(of: frame.header) {
      throw .invalid(
        defect.isOfNewerFormat
          ? "transaction \(position.sequence.next) has a format that only a newer build reads"
          : "the frame of transaction \(position.sequence.next) has wrong checksums or numbers")
    }
    position.advance(over: frame.header, checksum: frame.checksum)
    return frame.header.frameByteCount
  }
}
