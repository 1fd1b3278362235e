/// A place between two frames: how far the chain has come, and the offset.
struct FramePosition: Hashable, Sendable {
  var chain: FrameChain
  var endOffset: UInt64

  var sequence: SequenceNumber { chain.sequence }
  var head: JournalHead { JournalHead(chain) }
}
