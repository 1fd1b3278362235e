/// A position between two frames: the offset at which one frame ends and the next begins, and the chain up to there.
package struct FramePosition: Hashable, Sendable {
  package var chain: FrameChain
  /// The offset at which the last frame of the chain ends.
  package var endOffset: UInt64

  package init(chain: FrameChain, endOffset: UInt64) {
    self.chain = chain
    self.endOffset = endOffset
  }

  package var sequence: SequenceNumber { chain.sequence }
  package var head: JournalHead { JournalHead(chain) }
}
