import DaybookPlatform

extension JournalBeginning {
  /// Creates the beginning that the first group of a shared log contains.
  init(_ group: FrameGroup) throws(PulledFrames.Defect) {
    let pageByteCount = JournalLayout.pageByteCount
    guard group.first == .zero, group.bytes.count >= pageByteCount else {
      throw .invalid("its first group does not contain the header of a journal")
    }
    let page = Array(group.bytes[..<pageByteCount])
    guard case .good(let header) = JournalHeader.read(ByteView(page)) else {
      throw .invalid("its first group does not contain the header of a journal")
    }
    // The replica writes the header again, so a header with fields of a newer version would change.
    guard header.page() == page else {
      throw .invalid("its header has a format that only a newer build reads")
    }
    let base = Array(group.bytes[pageByteCount...])
    var reader = FrameReader(
      MappedImage(base), header: header,
      beginningAt: FramePosition(chain: FrameChain(before: header), endOffset: 0))
    while (try? reader.advance()) == true {}
    guard reader.offset == UInt64(base.count), reader.chain.isPastBase,
      reader.chain.sequence.next == group.next, reader.chain.point.checksum == group.checksum
    else { throw .invalid("its first group contains an invalid base") }
    self.init(
      header, base: base,
      end: FramePosition(
        chain: reader.chain, endOffset: JournalLayout.firstFrameOffset + UInt64(base.count)))
  }

  /// The group that starts a shared log.
  func group(nonce: UInt64) -> FrameGroup {
    FrameGroup(
      first: .zero, next: end.sequence.next, previousChecksum: 0,
      checksum: end.chain.point.checksum,
      bytes: header.page() + base, nonce: nonce)
  }

  /// The end of a log that contains only this beginning.
  var head: SharedHead { SharedHead(next: end.sequence.next, checksum: end.chain.point.checksum) }
}
