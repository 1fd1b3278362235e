/// A reader of the frames of a journal, which validates each frame before returning it.
///
/// ```swift
/// var reader = FrameReader(image, header: header)
/// while try reader.advance() { use(reader.header, reader.payload) }
/// // reader.defect is the reason why it stopped
/// ```
package struct FrameReader {
  private let image: any JournalImage
  private let salt: UInt64
  /// The check that the end of a shared base must have; nil if the reader does not know the header.
  private var baseChecksum: UInt64?
  private let endOffset: UInt64
  // Some bytes of the file that were loaded, and their offset in the file.
  private var window = ByteView()
  private var windowOffset: UInt64

  /// The position before the next frame.
  package private(set) var position: FramePosition
  /// The header of the last frame that was read.
  package private(set) var header: FrameHeader
  private var frameOffset: UInt64
  /// The reason why ``advance()`` returned false; nil if it did not.
  package private(set) var defect: FrameDefect?

  /// Creates a reader before the frame at a position.
  ///
  /// - Parameter endOffset: The end offset of reading; nil for the end of the file. For example, a
  ///   reader of a growing file stops at the durable position.
  package init(
    _ image: any JournalImage, salt: UInt64, at position: FramePosition, endOffset: UInt64? = nil
  ) {
    self.image = image
    self.salt = salt
    self.position = position
    self.endOffset = min(endOffset ?? .max, image.byteCount)
    frameOffset = position.endOffset
    windowOffset = position.endOffset
    header = FrameHeader(
      payloadByteCount: 0, kind: .base, sequence: .zero, time: .distantPast, durable: .zero,
      previousChecksum: 0)
  }

  /// Creates a reader before the first frame of a journal, or at a position of the journal's index.
  package init(
    _ image: any JournalImage, header: JournalHeader, beginningAt entry: FramePosition? = nil,
    endOffset: UInt64? = nil
  ) {
    self.init(
      image, salt: header.salt, at: entry ?? FramePosition(before: header), endOffset: endOffset)
    baseChecksum = header.base.checksum
  }

  package var chain: FrameChain { position.chain }

  /// The start offset of the next frame.
  package var offset: UInt64 { position.endOffset }

  /// Advances over the next frame, if it is whole and continues the chain.
  ///
  /// - Complexity: O(*n*) in the size of the frame
  package mutating func advance() throws(DiskError) -> Bool {
    guard let checksum = plainChecksum() else { return try advanceWithCare() }
    frameOffset = offset
    position.chain.point = ChainPoint(
      sequence: header.sequence, time: header.time, checksum: checksum)
    position.endOffset += UInt64(header.frameByteCount)
    return true
  }

  /// Validates the next frame in the common case: the frame is the next transaction, and all its
  /// bytes are in the window. Stores the header of the frame and returns its checksum.
  ///
  /// In all other cases, the method returns nil, and ``advanceWithCare()`` examines the frame. The
  /// result of ``advance()`` is the same without this method, which only saves time.
  @inline(__always)
  private mutating func plainChecksum() -> UInt64? {
    let frameStart = Int(offset &- windowOffset)
    // The bytes are valid until `window` is replaced, so `withSpan` is not needed. For small
    // frames, its closure would take as long as the checksum.
    let bytes = window.bytes.bytes
    guard frameStart &+ Frame.headerByteCount <= bytes.byteCount else { return nil }
    let next = FrameHeader(bytes, at: frameStart)
    guard next.previousChecksum == chain.point.checksum, next.kind == .transaction,
      chain.isPastBase,
      next.sequence.rawValue == chain.sequence.rawValue &+ 1, next.durable < next.sequence,
      next.flags == 0, next.reserved == 0, next.payloadByteCount >= 1,
      next.payloadByteCount <= Frame.payloadByteCountMax
    else { return nil }
    let end = frameStart &+ next.frameByteCount &- Frame.checksumByteCount
    guard end &+ Frame.checksumByteCount <= bytes.byteCount else { return nil }
    let checksum = FrameReader.number(bytes, at: end)
    guard checksum == XXH64.checksum(bytes.extracting(frameStart..<end), seed: salt) else {
      return nil
    }
    header = next
    return checksum
  }

  /// Advances over the next frame in the general case. Loads the bytes of the frame, validates it,
  /// and records the defect if it is not the next frame.
  private mutating func advanceWithCare() throws(DiskError) -> Bool {
    if Int(offset - windowOffset) + Frame.headerByteCount > window.count {
      guard try load(Frame.headerByteCount) else { return stop(.end) }
    }
    var frameStart = Int(offset - windowOffset)
    var frame = FrameReader.frame(in: window.bytes.bytes, at: frameStart, salt: salt)
    if case .short(let needed, _) = frame.defect {
      let soundness = FrameReader.isSound(window.bytes.bytes, at: frameStart, salt: salt)
      // The file may end within the frame. A different program may also have truncated the file
      // after this reader had read its size.
      let available = Int(clamping: endOffset - offset)
      guard try load(needed) else {
        return stop(
          soundness.isSound
            ? .short(needed: needed, available: available)
            : .headerChecksum(stored: soundness.stored, computed: soundness.computed))
      }
      frameStart = 0
      frame = FrameReader.frame(in: window.bytes.bytes, at: frameStart, salt: salt)
    }
    if let defect = frame.defect ?? chain.defect(of: frame.header) { return stop(defect) }
    if frame.header.kind.endsBase, let defect = defect(ofEnd: frame.header.kind, at: frameStart) {
      return stop(defect)
    }
    header = frame.header
    frameOffset = offset
    position.advance(over: frame.header, checksum: frame.checksum)
    return true
  }

  /// The payload of the last frame that was read.
  package var payload: ByteView {
    let start = Int(frameOffset - windowOffset) + Frame.headerByteCount
    return window[start..<start + header.payloadByteCount]
  }

  /// The start offset of the last frame that was read.
  package var headerOffset: UInt64 { frameOffset }

  /// A Boolean value that indicates whether the header checksum of the last frame is valid.
  ///
  /// A frame is whole if the checksum at its end is correct, because that checksum covers the
  /// header too. The header's own checksum has two other purposes: finding the next header after
  /// damaged bytes, and distinguishing a damaged header from a damaged payload.
  package var isHeaderSound: Bool {
    let frameStart = Int(frameOffset - windowOffset)
    return window.withSpan { FrameReader.isSound($0, at: frameStart, salt: salt).isSound }
  }

  /// Validates the bytes at an offset as one frame, without comparing the frame with a chain.
  package static func frame(
    in bytes: RawSpan, at offset: Int, salt: UInt64
  ) -> (header: FrameHeader, checksum: UInt64, defect: FrameDefect?) {
    let header = FrameHeader(bytes, at: offset)
    let soundness = isSound(bytes, at: offset, salt: salt)
    let unsound = FrameDefect.headerChecksum(stored: soundness.stored, computed: soundness.computed)
    guard header.payloadByteCount >= 1, header.payloadByteCount <= Frame.payloadByteCountMax,
      header.kind.rawValue != 0
    else {
      return (header, 0, soundness.isSound ? .length(header.payloadByteCount) : unsound)
    }
    let needed = header.frameByteCount
    guard offset + needed <= bytes.byteCount else {
      return (header, 0, .short(needed: needed, available: bytes.byteCount - offset))
    }
    let checksumOffset = offset + needed - Frame.checksumByteCount
    var end = checksumOffset
    if header.kind == .sharedBaseEnd {
      guard header.payloadByteCount == Frame.sharedBaseEndByteCount else {
        return (header, 0, soundness.isSound ? .length(header.payloadByteCount) : unsound)
      }
      end -= Frame.checksumByteCount
    }
    let stored = number(bytes, at: end)
    let computed = XXH64.checksum(bytes.extracting(offset..<end), seed: salt)
    guard stored == computed else {
      let defect = FrameDefect.frameChecksum(stored: stored, computed: computed)
      return (header, 0, soundness.isSound ? defect : unsound)
    }
    return (header, number(bytes, at: checksumOffset), nil)
  }

  private static func isSound(
    _ bytes: RawSpan, at offset: Int, salt: UInt64
  ) -> (isSound: Bool, stored: UInt64, computed: UInt64) {
    let end = offset + Frame.checkedHeaderByteCount
    let stored = number(bytes, at: end)
    let computed = XXH64.checksum(bytes.extracting(offset..<end), seed: salt)
    return (stored == computed, stored, computed)
  }

  private mutating func stop(_ defect: FrameDefect) -> Bool {
    self.defect = defect
    return false
  }

  /// Returns a defect if the base end contains a number different from the number of base frames
  /// that were read. The chain already detects a lost frame. This test detects a base that was
  /// written incompletely. No checksum covers the frame check of a shared base end, so it is
  /// compared with the header.
  private func defect(ofEnd kind: FrameKind, at frameStart: Int) -> FrameDefect? {
    guard case .base(let frameCount) = chain.part else { return nil }
    let start = frameStart + Frame.headerByteCount
    let counted = window.count - start >= 8 ? window.load(start, as: UInt64.self) : 0
    guard counted == frameCount else {
      return .baseCount(recorded: counted, found: frameCount)
    }
    if kind == .sharedBaseEnd, let baseChecksum {
      let stored = window.load(start + Frame.sharedBaseEndByteCount, as: UInt64.self)
      if stored != baseChecksum { return .frameChecksum(stored: stored, computed: baseChecksum) }
    }
    return nil
  }

  /// Loads at least a number of bytes from ``offset`` on into the window.
  ///
  /// - Returns: False if fewer bytes are available before the end of reading.
  private mutating func load(_ byteCount: Int) throws(DiskError) -> Bool {
    let available = endOffset > offset ? endOffset - offset : 0
    guard UInt64(byteCount) <= available else { return false }
    let view = try image.view(at: offset, atLeast: byteCount)
    window = UInt64(view.count) > available ? view[0..<Int(available)] : view
    windowOffset = offset
    return window.count >= byteCount
  }

  @inline(__always)
  private static func number(_ bytes: RawSpan, at offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension FrameReader {
  /// Advances over the frames up to a transaction that must exist.
  ///
  /// - Returns: The position after the transaction.
  mutating func advance(
    past sequence: SequenceNumber, path: String
  ) throws(JournalError) -> FramePosition {
    while chain.sequence < sequence || !chain.isPastBase {
      let hasAdvanced: Bool
      do { hasAdvanced = try advance() } catch { throw JournalError(error, path: path) }
      guard hasAdvanced else {
        throw JournalError(
          .damagedFrame, path: path, offset: offset, lastReadable: chain.lastReadable)
      }
    }
    return position
  }
}
