/// A place between two frames: how far the chain has come, and the offset.
package struct FramePosition: Hashable, Sendable {
  package var chain: FrameChain
  package var endOffset: UInt64

  package init(chain: FrameChain, endOffset: UInt64) {
    self.chain = chain
    self.endOffset = endOffset
  }

  package var sequence: SequenceNumber { chain.sequence }
  package var head: JournalHead { JournalHead(chain) }
}
