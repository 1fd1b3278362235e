import DaybookPlatform

/// The writer of a new journal file: its base, and then its transactions. Compaction, salvage and
/// the import of text use it.
///
/// The caller writes payloads in order, those of the base first. The caller can read the written
/// bytes, because later payloads may refer to these bytes.
package final class JournalOutput {
  private let file: any DiskFile
  private let image: JournalFile
  package private(set) var header: JournalHeader
  /// The position after the last frame written.
  package private(set) var end: FramePosition
  private var frames = FrameWriter()
  private var baseFrameCount: UInt64 = 0

  /// Creates an output without frames.
  ///
  /// - Parameter file: An empty file with no other writer.
  package init(
    to file: any DiskFile, _ header: JournalHeader, reading: JournalReading
  ) throws(DiskError) {
    self.file = file
    self.header = header
    image = try JournalFile(file, reading: reading)
    end = FramePosition(before: header)
  }

  private var chain: FrameChain { end.chain }

  /// Starts the journal with the state after a transaction. The caller must append the payloads of
  /// that state next.
  package func start(with base: ChainPoint) {
    precondition(
      end.endOffset == JournalLayout.firstFrameOffset && chain.sequence == .zero,
      "the base was written after transaction \(chain.sequence)")
    header = JournalHeader(
      identity: header.identity, salt: header.salt, created: header.created, base: base)
    end = FramePosition(before: header)
  }

  /// The written part of the file, if it can be mapped.
  package var written: ByteView? { image.mapped(through: end.endOffset) }

  /// The number of bytes before the next frame.
  package var byteCount: UInt64 { end.endOffset }

  /// Writes a piece of the base, or after the base the next transaction, and returns the offset of
  /// the payload.
  ///
  /// - Parameter time: The time of the transaction. A piece of the base gets the time of the base.
  package func append(_ payload: RawSpan, at time: JournalTime) throws(DiskError) -> UInt64 {
    let isBase = !chain.isPastBase
    if isBase { baseFrameCount += 1 }
    return try append(
      payload, as: isBase ? .base : .transaction, at: isBase ? header.base.time : time)
  }

  /// Ends the base. The caller calls this once, and only for a journal that starts with a base.
  package func endBase() throws(DiskError) {
    precondition(!chain.isPastBase, "the base has already ended")
    var count = PageWriter()
    count.append(baseFrameCount)
    _ = try append(count.bytes.span.bytes, as: .baseEnd, at: header.base.time)
  }

  private func append(
    _ payload: RawSpan, as kind: FrameKind, at time: JournalTime
  ) throws(DiskError) -> UInt64 {
    let isTransaction = kind == .transaction
    // The file gets its name only after all of it is synced. So when a reader finds the file, all
    // transactions are durable, and a frame may record the transaction before it as durable.
    let header = FrameHeader(
      payloadByteCount: payload.byteCount, kind: kind,
      sequence: isTransaction ? chain.sequence.next : .zero, time: time,
      durable: isTransaction ? chain.sequence : .zero, previousChecksum: chain.point.checksum)
    let checksum = frames.append(header, payload: payload, salt: self.header.salt)
    let start = end.endOffset
    try frames.withBytes { (bytes) throws(DiskError) in try file.writeAll(bytes, at: start) }
    frames.removeAll()
    end.advance(over: header, checksum: checksum)
    image.grow(to: end.endOffset)
    return start + UInt64(Frame.headerByteCount)
  }

  /// Writes the pages before the frames. The file is then a journal that was closed in order.
  package func finish() throws(DiskError) {
    precondition(chain.isPastBase, "the base has not ended")
    let beginning = JournalCreation.beginning(header, markedEnd: end.end)
    try file.writeAll(beginning.span.bytes, at: 0)
  }
}
