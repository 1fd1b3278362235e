/// A place between two frames and what a reader there must know of what came before.
package struct FramePlace: Hashable, Sendable {
  /// Where the next frame begins.
  var offset: UInt64
  var chain: FrameChain
}
