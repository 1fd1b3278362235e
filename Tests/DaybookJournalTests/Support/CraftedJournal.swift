import DaybookJournal

/// A crafted journal file, with contents that no journal of this build would write.
///
/// Its checksums are correct unless a test changes them.
struct CraftedJournal {
  let header: JournalHeader
  private let page: [UInt8]
  private(set) var chain: FrameChain
  private(set) var frames: [UInt8] = []
  /// The offsets of the frames.
  private(set) var offsets: [Int] = []

  /// Creates an empty journal with these versions in its header.
  init(
    version: UInt16 = 1, oldestReader: UInt16 = 1, oldestWriter: UInt16 = 1,
    base: ChainPoint = .noBase, salt: UInt64 = 0x5A17
  ) {
    var header = JournalHeader(
      identity: JournalIdentity(high: 1, low: 2), salt: salt, created: JournalTime(nanoseconds: 0),
      base: base)
    header.versions = FormatVersions(
      version: version, oldestReader: oldestReader, oldestWriter: oldestWriter)
    page = header.page()
    if case .good(let read) = JournalHeader.read(ByteView(page)) { header = read }
    self.header = header
    chain = FrameChain(before: header)
  }

  /// The end of the last frame in the file.
  var endOffset: Int { Int(JournalLayout.firstFrameOffset) + frames.count }

  /// Adds a frame that continues the chain, unless `adjust` changes that.
  mutating func append(
    _ payload: [UInt8], kind: FrameKind = .transaction, at nanoseconds: Int64 = 1000,
    _ adjust: (inout FrameHeader) -> Void = { _ in }
  ) {
    let isTransaction = kind == .transaction
    let isInBase = kind == .base || kind == .baseEnd
    var frame = FrameHeader(
      payloadByteCount: payload.count, kind: kind,
      sequence: isTransaction ? chain.sequence.next : isInBase ? .zero : chain.sequence,
      time: JournalTime(nanoseconds: nanoseconds),
      durable: isTransaction ? chain.sequence : .zero, previousChecksum: chain.point.checksum)
    adjust(&frame)
    var writer = FrameWriter()
    let checksum = writer.append(frame, payload: payload.span.bytes, salt: header.salt)
    offsets.append(endOffset)
    writer.withBytes { bytes in frames += bytes.withUnsafeBytes { [UInt8]($0) } }
    chain.advance(over: frame, checksum: checksum)
  }

  /// Adds the frame that ends a base of `count` frames.
  mutating func appendBaseEnd(count: UInt8) {
    append([count, 0, 0, 0, 0, 0, 0, 0], kind: .baseEnd)
  }

  /// The end of the last frame.
  var end: FrameEnd { FramePosition(chain: chain, endOffset: UInt64(endOffset)).end }

  /// Returns the closed file: both marks contain the end of the last frame, or another given end.
  func bytes(
    marked: FrameEnd? = nil, zeros: Int = 4096
  ) -> [UInt8] {
    let end = marked ?? self.end
    var bytes = page + page
    for generation in 0..<2 as Range<UInt64> {
      let mark = DurableMark(generation: generation, end: end).bytes(salt: header.salt)
      bytes += mark + [UInt8](repeating: 0, count: JournalLayout.pageByteCount - mark.count)
    }
    return bytes + frames + [UInt8](repeating: 0, count: zeros)
  }
}
