import DaybookPlatform

/// The frames of a journal that is being made: the state that it begins with, and what came after that.
///
/// Payloads are written in order, those of the base first. What was written can be read back, as what comes
/// later may refer to it.
package final class JournalOutput {
  private let file: any DiskFile
  private let image: JournalFile
  package private(set) var header: JournalHeader
  /// The position after the last frame written.
  package private(set) var end: FramePosition
  private var frames = FrameWriter()
  private var baseFrameCount: UInt64 = 0

  /// - Parameter file: An empty file, which nobody else writes.
  package init(
    to file: any DiskFile, _ header: JournalHeader, reading: JournalReading
  ) throws(DiskError) {
    self.file = file
    self.header = header
    image = try JournalFile(file, reading: reading)
    end = FramePosition(before: header)
  }

  private var chain: FrameChain { end.chain }

  /// Says that the journal begins with the state as of a transaction, whose payloads come next.
  package func begin(with base: ChainPoint) {
    precondition(
      end.endOffset == JournalLayout.firstFrameOffset && chain.sequence == .zero,
      "a base behind transaction \(chain.sequence)")
    header = JournalHeader(
      identity: header.identity, salt: header.salt, created: header.created, base: base)
    end = FramePosition(before: header)
  }

  /// The file as far as it is written, if it can be mapped.
  package var written: ByteView? { image.mapped(through: end.endOffset) }

  /// How many bytes it has so far.
  package var byteCount: UInt64 { end.endOffset }

  /// Writes a piece of the base, or the next transaction behind it, and says where its payload stands.
  ///
  /// - Parameter time: The transaction's; pieces of the base have that of the base.
  package func append(_ payload: RawSpan, at time: JournalTime) throws(DiskError) -> UInt64 {
    let isBase = !chain.isPastBase
    if isBase { baseFrameCount += 1 }
    return try append(
      payload, as: isBase ? .base : .transaction, at: isBase ? header.base.time : time)
  }

  /// Ends the base. It is for files that begin with one.
  package func endBase() throws(DiskError) {
    precondition(!chain.isPastBase, "the base ended before")
    var count = PageWriter()
    count.append(baseFrameCount)
    _ = try append(count.bytes.span.bytes, as: .baseEnd, at: header.base.time)
  }

  private func append(
    _ payload: RawSpan, as kind: FrameKind, at time: JournalTime
  ) throws(DiskError) -> UInt64 {
    let isTransaction = kind == .transaction
    // The file gets its name only when all of it is synced, so that for whoever finds it each
    // transaction was durable before the next.
    let header = FrameHeader(
      payloadByteCount: payload.byteCount, kind: kind,
      sequence: isTransaction ? chain.sequence.next : .zero, time: time,
      durable: isTransaction ? chain.sequence : .zero, previousCheck: chain.point.check)
    let check = frames.append(header, payload: payload, salt: self.header.salt)
    let start = end.endOffset
    try frames.withBytes { (bytes) throws(DiskError) in try file.writeAll(bytes, at: start) }
    frames.removeAll()
    end.advance(over: header, check: check)
    image.grow(to: end.endOffset)
    return start + UInt64(Frame.headerByteCount)
  }

  /// Writes what stands before the frames: then the file is a journal, which was closed in order.
  package func finish() throws(DiskError) {
    precondition(chain.isPastBase, "the base did not end")
    let beginning = JournalCreation.beginning(header, markedEnd: end.end)
    try file.writeAll(beginning.span.bytes, at: 0)
  }
}
