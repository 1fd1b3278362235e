import DaybookJournal
import DaybookSimulation
import TestSupport

/// Builds a journal frame by frame, also with contents that no writer would write.
struct SampleMaker {
  /// The beginning of 2026.
  static let firstTime = JournalTime(nanoseconds: 1_767_225_600_000_000_000)
  static let payloads = ["first", "the second", "and the third"].map { Array($0.utf8) }

  var header: JournalHeader
  private(set) var chain: FrameChain
  /// The bytes of the frames, and the offset of each frame in the file.
  private(set) var frames: [UInt8] = []
  private(set) var offsets: [Int] = []
  var marks: [DurableMark]

  init(_ header: JournalHeader = SampleMaker.freshHeader()) {
    self.header = header
    chain = FrameChain(before: header)
    marks = (0..<2).map { generation in
      DurableMark(generation: generation, end: FramePosition(before: header).end)
    }
  }

  /// Starts a journal with the identity and the salt of a second one, and with a base.
  init(_ header: JournalHeader, base: ChainPoint) {
    self.init(
      JournalHeader(
        identity: header.identity, salt: header.salt, created: header.created, base: base))
  }

  /// Ends the base of a shared log.
  mutating func endSharedBase(frameCount: UInt64) {
    var writer = FrameWriter()
    let end = writer.appendSharedBaseEnd(
      of: header, frameCount: frameCount, after: chain.point.checksum)
    offsets.append(endOffset)
    frames += writer.withBytes { bytes in (0..<bytes.byteCount).map { bytes.byte($0) } }
    chain.advance(over: end, checksum: header.base.checksum)
  }

  static func freshHeader(
    identity: JournalIdentity = FixedJournal.identity, salt: UInt64 = FixedJournal.salt
  ) -> JournalHeader {
    JournalHeader(identity: identity, salt: salt, created: firstTime)
  }

  /// A journal of these payloads, each synced before the next was written, and not marked.
  static func journal(of payloads: [[UInt8]] = payloads) -> SampleMaker {
    var maker = SampleMaker()
    for payload in payloads { maker.append(payload) }
    return maker
  }

  /// The end of the last frame in the file.
  var endOffset: Int { Int(JournalLayout.firstFrameOffset) + frames.count }

  /// Appends a frame. Omitted values are those that a writer would use.
  mutating func append(
    _ payload: [UInt8], kind: FrameKind = .transaction, flags: UInt8 = 0,
    sequence: SequenceNumber? = nil, time: JournalTime? = nil, durable: SequenceNumber? = nil
  ) {
    let own = sequence ?? (kind == .transaction ? chain.sequence.next : chain.sequence)
    let sinceFirst = 1_500_000_000 &* Int64(truncatingIfNeeded: own.rawValue)
    let usualTime = JournalTime(nanoseconds: SampleMaker.firstTime.nanoseconds &+ sinceFirst)
    var header = FrameHeader(
      payloadByteCount: payload.count, kind: kind, sequence: own, time: time ?? usualTime,
      durable: durable ?? (kind == .transaction ? chain.sequence : .zero),
      previousChecksum: chain.point.checksum)
    header.flags = flags
    var writer = FrameWriter()
    let checksum = writer.append(header, payload: payload.span.bytes, salt: self.header.salt)
    offsets.append(endOffset)
    frames += writer.withBytes { bytes in (0..<bytes.byteCount).map { bytes.byte($0) } }
    chain.advance(over: header, checksum: checksum)
  }

  /// Gives the last frame a wrong header checksum and a correct frame checksum.
  mutating func breakHeaderCheck() {
    guard let last = offsets.last else { return }
    let start = last - Int(JournalLayout.firstFrameOffset)
    let checkPlace = frames.count - Frame.checksumByteCount
    frames[start + Frame.checkedHeaderByteCount] ^= 1
    let covered = Array(frames[start..<checkPlace])
    chain.point.checksum = XXH64.checksum(covered.span.bytes, seed: header.salt)
    frames.put(withUnsafeBytes(of: chain.point.checksum.littleEndian) { Array($0) }, at: checkPlace)
  }

  /// Marks the last frame in both pages, as closing does.
  mutating func mark() {
    let newest = marks.map(\.generation).max() ?? 0
    let end = FramePosition(chain: chain, endOffset: UInt64(endOffset)).end
    marks = [1, 2].map { more in DurableMark(generation: newest + more, end: end) }
  }

  /// The file: the frames in a whole number of pages.
  func file() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Int(JournalLayout.firstFrameOffset))
    let page = header.page()
    for offset in JournalLayout.headerOffsets { bytes.put(page, at: Int(offset)) }
    for mark in marks { bytes.put(mark.bytes(salt: header.salt), at: Int(mark.pageOffset)) }
    return (bytes + frames).inWholePages()
  }
}

extension RawSpan {
  fileprivate func byte(_ offset: Int) -> UInt8 {
    unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

extension [UInt8] {
  /// Writes bytes over those at an offset.
  mutating func put(_ some: [UInt8], at offset: Int) {
    replaceSubrange(offset..<offset + some.count, with: some)
  }

  /// Returns these bytes with others at an offset.
  func with(_ some: [UInt8], at offset: Int) -> [UInt8] {
    var changed = self
    changed.put(some, at: offset)
    return changed
  }

  /// Returns these bytes with some bits of one byte flipped.
  func flipped(at offset: Int, xor bits: UInt8 = 1) -> [UInt8] {
    with([self[offset] ^ bits], at: offset)
  }

  /// Returns these bytes with zeros from an offset on.
  func zeroed(from offset: Int) -> [UInt8] {
    self[..<offset] + [UInt8](repeating: 0, count: count - offset)
  }
}
