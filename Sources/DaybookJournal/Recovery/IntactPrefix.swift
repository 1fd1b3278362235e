/// The frames at the beginning of a journal that are whole and follow each other.
package struct IntactPrefix: Hashable, Sendable {
  /// The last transaction, its time, and the check that ends the last frame.
  package var chain: FrameChain
  /// Where the last frame ends: the place called *g*.
  package var endOffset: UInt64
  /// The highest sequence that one of these frames says was synced.
  package var declaredDurable: SequenceNumber
  /// Why no frame stands there.
  package var misfit: FrameMisfit
  /// Where the frames begin, one entry each 64 KiB.
  package var index: FrameIndex

  package var sequence: SequenceNumber { chain.sequence }
  /// The last transaction that can be read: none if the state before the first one cannot be.
  package var lastReadable: SequenceNumber { chain.lastReadable }
}
