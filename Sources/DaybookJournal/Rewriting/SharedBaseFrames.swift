/// The frames of a base that replaces the first transactions of a shared log.
///
/// ```
///   the log       header │ 1 … 7 │ 8 │ 9 …
///   with a base   header with base 7, what is needed of 1 … 7 │ 8 │ 9 …
/// ```
///
/// The later frames keep their bytes, and their payloads can refer to earlier payloads by number
/// and offset. So a base frame contains the payload of a dropped transaction at its old offsets, as
/// far as the payload is still needed, and has the transaction's number.
package struct SharedBaseFrames: ~Copyable {
  private let header: JournalHeader
  private var frames = FrameWriter()
  private var end: FramePosition
  private var frameCount: UInt64 = 0
  private var lastSequence = SequenceNumber.zero

  /// The last dropped transaction.
  package var base: ChainPoint { header.base }

  /// Creates a base that a header describes.
  package init(_ header: JournalHeader) {
    self.header = header
    end = FramePosition(before: header)
  }

  /// Appends what is needed of a payload.
  ///
  /// - Parameter sequence: The transaction of the payload; 0 for a payload of an earlier base that
  ///   has no number. Numbers increase.
  package mutating func append(_ payload: RawSpan, of sequence: SequenceNumber) {
    precondition(
      sequence > lastSequence || (sequence == .zero && lastSequence == .zero),
      "transaction \(sequence) was written after \(lastSequence)")
    lastSequence = sequence
    frameCount += 1
    let frame = FrameHeader(
      payloadByteCount: payload.byteCount, kind: .base, sequence: sequence, time: header.base.time,
      durable: .zero, previousChecksum: end.chain.point.checksum)
    end.advance(over: frame, checksum: frames.append(frame, payload: payload, salt: header.salt))
  }

  /// Ends the base, and returns the group that replaces the first groups of the log.
  package consuming func finish(nonce: UInt64) -> FrameGroup {
    let frame = frames.appendSharedBaseEnd(
      of: header, frameCount: frameCount, after: end.chain.point.checksum)
    end.advance(over: frame, checksum: header.base.checksum)
    let bytes = frames.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
    return JournalBeginning(header, base: bytes, end: end).group(nonce: nonce)
  }
}

extension FileJournal {
  /// Starts a base that replaces the transactions up to a written one.
  ///
  /// - Throws: ``JournalError`` with `belowBase` if the journal does not contain the transaction.
  package func sharedBase(
    after last: SequenceNumber
  ) throws(JournalError) -> SharedBaseFrames {
    let frames = writtenFrames(from: last)
    var reader = frames.reader
    let position = try reader.advance(past: last, path: path)
    guard position.sequence == last, last > frames.header.base.sequence else {
      throw JournalError(.belowBase(frames.header.base.sequence), path: path)
    }
    return SharedBaseFrames(
      JournalHeader(
        identity: identity, salt: frames.header.salt, created: frames.header.created,
        base: position.chain.point))
  }

  /// A random number, such as the nonce of a group.
  package func randomNumber() -> UInt64 { options.random() }
}
