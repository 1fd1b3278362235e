/// Where to begin reading for a transaction, without reading everything before it.
package struct FrameIndex: Hashable, Sendable {
  /// One entry each so many bytes.
  package static let interval: UInt64 = 64 << 10

  /// A place between two frames and what a reader there must know of what came before.
  package struct Entry: Hashable, Sendable {
    package var offset: UInt64
    package var chain: FrameChain

    package init(offset: UInt64, chain: FrameChain) {
      self.offset = offset
      self.chain = chain
    }
  }

  package private(set) var entries: [Entry] = []

  package init() {}

  /// Places that were noted before, in order.
  package init(_ entries: [Entry]) { self.entries = entries }

  /// Notes a place, if the last one noted is far enough before it.
  @inline(__always)
  package mutating func note(_ offset: UInt64, _ chain: FrameChain) {
    if let last = entries.last, offset < last.offset + FrameIndex.interval { return }
    entries.append(Entry(offset: offset, chain: chain))
  }

  /// Where to begin reading to come upon a transaction: the last entry before it.
  ///
  /// - Complexity: O(log *n*)
  package func entry(before sequence: SequenceNumber) -> Entry? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].chain.sequence < sequence && entries[middle].chain.isPastBase {
        low = middle + 1
      } else {
        high = middle
      }
    }
    // Without an entry before it, the transaction stands behind the first one, if anywhere.
    return low > 0 ? entries[low - 1] : entries.first
  }

  /// Forgets the places at or beyond an offset, whose frames have been cut.
  package mutating func cut(at offset: UInt64) {
    while let last = entries.last, last.offset >= offset { entries.removeLast() }
  }
}
