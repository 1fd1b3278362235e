/// What a ``PageTree`` has: a word and half of one, the word first in order.
package struct TreePair: Hashable, Comparable, BitwiseCopyable, Sendable {
  package var first: UInt64
  package var second: UInt32

  @inline(__always)
  package init(_ first: UInt64, _ second: UInt32) {
    self.first = first
    self.second = second
  }

  /// The first pair there can be.
  package static var zero: TreePair { TreePair(0, 0) }

  /// The last pair there can be.
  static var greatest: TreePair { TreePair(.max, .max) }

  /// Whether a pair's first word is less, or that is equal and its second one is less.
  @inline(__always)
  package static func < (one: TreePair, other: TreePair) -> Bool {
    one.first < other.first || one.first == other.first && one.second < other.second
  }

  /// The pair next in order; nil after the last.
  var following: TreePair? {
    if second < .max { return TreePair(first, second + 1) }
    return first < .max ? TreePair(first + 1, 0) : nil
  }
}
