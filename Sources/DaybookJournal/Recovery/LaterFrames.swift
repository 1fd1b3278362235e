/// The search for frames after the intact frames, which end at the first bytes that do not continue
/// the chain.
///
/// A frame after damaged bytes does not continue the chain. But its header has a checksum of its
/// own, so that the search finds the header. Such a *later header* records the last transaction
/// that was durable when its frame was built. If this transaction is not among the intact frames, a
/// durable transaction was lost. If no later header records a lost transaction, the bytes may be a
/// torn end that was never reported as durable.
///
/// Frames start at multiples of eight, so only one offset in eight is tested. The search does not
/// validate payloads. So it is linear in the number of bytes.
package enum LaterFrames {
  package struct Findings: Hashable, Sendable {
    /// The highest `durable` in a header of a later frame, with the offset of that header.
    package var highestDurable: (offset: UInt64, durable: SequenceNumber)? {
      proof.map { ($0.offset, $0.durable) }
    }
    /// The end offset of the last byte that is not zero; nil if all bytes are zero.
    package var endOffset: UInt64?

    fileprivate var proof: Proof?
    fileprivate struct Proof: Hashable, Sendable {
      var offset: UInt64
      var durable: SequenceNumber
    }
  }

  /// Searches the bytes from an offset on for headers of later frames, and for the last byte that
  /// is not zero.
  ///
  /// - Complexity: O(*n*) in the number of bytes from the offset on
  package static func search(
    _ image: any JournalImage, salt: UInt64, from start: UInt64, above sequence: SequenceNumber
  ) throws(DiskError) -> Findings {
    var findings = Findings()
    try walk(image, from: start) { bytes, offset, position in
      guard
        let header = header(in: bytes, at: position, salt: salt, above: sequence)
      else { return }
      if let proof = findings.proof, proof.durable >= header.durable { return }
      findings.proof = Findings.Proof(offset: offset + UInt64(position), durable: header.durable)
    } lastNonZeroEnd: {
      findings.endOffset = $0
    }
    return findings
  }

  /// Returns the offset of the next header of a later frame, so that a reader can continue after
  /// damaged bytes.
  package static func next(
    _ image: any JournalImage, salt: UInt64, from start: UInt64, above sequence: SequenceNumber
  ) throws(DiskError) -> UInt64? {
    var offset = start
    while offset < image.byteCount {
      let view = try image.view(at: offset, atLeast: Frame.headerByteCount)
      let last = view.count - Frame.headerByteCount
      guard last >= 0 else { return nil }
      let found = view.withSpan { (bytes: RawSpan) -> Int? in
        for position in stride(from: 0, through: last, by: Frame.alignment)
        where word(bytes, at: position) != 0
          && header(in: bytes, at: position, salt: salt, above: sequence) != nil
        {
          return position
        }
        return nil
      }
      if let found { return offset + UInt64(found) }
      offset += UInt64(last / Frame.alignment * Frame.alignment + Frame.alignment)
    }
    return nil
  }

  /// Returns the end offset of the last byte that is not zero; nil if all bytes are zero.
  package static func lastNonZeroEnd(
    _ image: any JournalImage, from start: UInt64
  ) throws(DiskError) -> UInt64? {
    var end: UInt64?
    try walk(image, from: start, visit: { _, _, _ in }, lastNonZeroEnd: { end = $0 })
    return end
  }

  /// Visits each offset that can be the start of a header, and finds the last byte that is not
  /// zero.
  ///
  /// - Parameters:
  ///   - visit: A closure that is called for each word of 8 bytes that is not zero. A header never
  ///     starts with a zero word. The closure receives a window of bytes, the window's offset in
  ///     the file, and the position of the word in the window. The window contains the bytes of a
  ///     whole header from that position on.
  ///   - found: A closure that is called with the end offset of the last byte that is not zero. The
  ///     search calls it for each word that is not zero, and the last call has the result.
  @inline(__always)
  private static func walk(
    _ image: any JournalImage, from start: UInt64,
    visit: (RawSpan, UInt64, Int) -> Void, lastNonZeroEnd found: (UInt64) -> Void
  ) throws(DiskError) {
    var offset = start
    while offset < image.byteCount {
      let view = try image.view(at: offset, atLeast: Frame.headerByteCount)
      // If a different program truncates the file during the search, the file ends early.
      guard view.count > 0 else { return }
      let isLast = offset + UInt64(view.count) >= image.byteCount || view.count < 48
      // The last bytes of a window are too few for a header, so they are read again with the next
      // window.
      let words = isLast ? view.count / 8 : (view.count - Frame.headerByteCount) / 8 + 1
      view.withSpan { bytes in
        for index in 0..<words {
          let position = index * 8
          let value = word(bytes, at: position)
          guard value != 0 else { continue }
          found(offset + UInt64(position + 8 - value.leadingZeroBitCount / 8))
          if position + Frame.headerByteCount <= bytes.byteCount { visit(bytes, offset, position) }
        }
        guard isLast else { return }
        for position in words * 8..<bytes.byteCount
        where bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self) != 0 {
          found(offset + UInt64(position + 1))
        }
      }
      if isLast { return }
      offset += UInt64(words * 8)
    }
  }

  /// Returns the header of a later frame at a position; nil if the bytes are not such a header.
  ///
  /// The cheap tests are first. Nearly all positions fail them, so that few checksums are computed.
  @inline(__always)
  private static func header(
    in bytes: RawSpan, at position: Int, salt: UInt64, above sequence: SequenceNumber
  ) -> FrameHeader? {
    let header = FrameHeader(bytes, at: position)
    guard header.payloadByteCount >= 1, header.payloadByteCount <= Frame.payloadByteCountMax,
      header.kind.rawValue != 0, header.sequence > sequence, header.durable < header.sequence
    else { return nil }
    let end = position + Frame.checkedHeaderByteCount
    guard word(bytes, at: end) == XXH64.checksum(bytes.extracting(position..<end), seed: salt)
    else { return nil }
    return header
  }

  @inline(__always)
  private static func word(_ bytes: RawSpan, at position: Int) -> UInt64 {
    UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self))
  }
}
