/// A place in a journal up to which somebody has gone through the frames before, and found them to be right.
package struct JournalStart: Hashable, Sendable {
  /// Behind the last of these frames.
  package var end: FramePosition
  /// Where that frame begins.
  package var lastFrameOffset: UInt64
  /// Where frames begin, one entry each 64 KiB.
  package var index: FrameIndex

  package init(end: FramePosition, lastFrameOffset: UInt64, index: FrameIndex) {
    self.end = end
    self.lastFrameOffset = lastFrameOffset
    self.index = index
  }

  /// Whether the last of the frames stands in a journal as it is said to. It tells of all before it, by the
  /// chain of checks; whether their bytes are still those that it tells of is seen when they are read.
  package func fits(_ image: any JournalImage, _ header: JournalHeader) throws(DiskError) -> Bool {
    guard end.chain.isPastBase, lastFrameOffset >= JournalLayout.firstFrameOffset,
      end.endOffset > lastFrameOffset, end.endOffset <= image.byteCount,
      end.endOffset - lastFrameOffset
        <= UInt64(Frame.byteCount(payload: Frame.payloadByteCountMax)),
      index.count > 0, index.offset(0) == JournalLayout.firstFrameOffset
    else { return false }
    let byteCount = Int(end.endOffset - lastFrameOffset)
    let view = try image.view(at: lastFrameOffset, atLeast: byteCount)
    guard view.count >= byteCount, byteCount >= Frame.headerByteCount else { return false }
    return view.withSpan { bytes in
      let frame = FrameReader.frame(in: bytes, at: 0, salt: header.salt)
      return frame.misfit == nil && frame.check == end.chain.check
        && frame.header.frameByteCount == byteCount && frame.header.kind == .transaction
        && frame.header.sequence == end.sequence && frame.header.time == end.chain.time
    }
  }
}
