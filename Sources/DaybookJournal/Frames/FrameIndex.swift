/// An index of frame positions, at most one in 64 KiB. With it, a reader starts close to a
/// transaction, and does not read the whole file before it.
package struct FrameIndex: Sendable {
  /// The smallest number of bytes between two positions of the index.
  static let interval: UInt64 = 64 << 10

  /// The first positions, which were loaded from a checkpoint in their stored form.
  private var packed = PackedPositions()
  /// The positions after ``packed``, which were added after the journal was opened.
  private var recorded: [FramePosition] = []

  package init() {}

  /// Creates an index from stored positions; nil if the bytes do not contain positions in ascending
  /// order.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that contain the positions. The index keeps them.
  ///   - start: The offset of the first position in the bytes.
  ///   - count: The number of positions.
  /// - Complexity: O(*n*) in the number of positions; only their offsets are read
  package init?(_ bytes: [UInt8], at start: Int, count: Int) {
    guard let packed = PackedPositions(bytes, at: start, count: count) else { return nil }
    self.packed = packed
  }

  /// The number of bytes in the stored form of one position.
  package static var entryByteCount: Int { PackedPositions.entryByteCount }

  /// The stored form of all positions.
  package var bytes: [UInt8] { packed.bytes(with: recorded) }

  package var count: Int { packed.count + recorded.count }

  subscript(index: Int) -> FramePosition {
    index < packed.count ? packed[index] : recorded[index - packed.count]
  }

  /// Returns the start offset of the frame after the position with an index.
  @inline(__always)
  func offset(_ index: Int) -> UInt64 {
    index < packed.count ? packed.offset(index) : recorded[index - packed.count].endOffset
  }

  /// Adds a position, if it is at least ``interval`` bytes after the last position.
  @inline(__always)
  mutating func record(_ position: FramePosition) {
    if count > 0, position.endOffset < offset(count - 1) + FrameIndex.interval { return }
    recorded.append(position)
  }

  /// Adds the positions of a second index that are at least ``interval`` bytes after the last
  /// position.
  mutating func record(_ other: FrameIndex) {
    for index in 0..<other.count { record(other[index]) }
  }

  /// Returns the start position for a reader of a transaction: the last position before the
  /// transaction.
  ///
  /// - Complexity: O(log *n*)
  func entry(before sequence: SequenceNumber) -> FramePosition? {
    guard count > 0 else { return nil }
    // The positions inside the base are before all other positions.
    let index = positionCount {
      let chain = self[$0].chain
      return !chain.isPastBase || chain.sequence < sequence
    }
    if index > 0, self[index - 1].chain.isPastBase { return self[index - 1] }
    // If no position after the base is before the transaction, the reader starts at the first
    // frame.
    return self[0]
  }

  /// Removes the positions at or after an offset, because the frames there were dropped.
  ///
  /// - Complexity: O(log *n*)
  mutating func cut(at offset: UInt64) {
    let remaining = positionCount { self.offset($0) < offset }
    recorded.removeLast(min(recorded.count, count - remaining))
    packed.truncate(to: min(packed.count, remaining))
  }

  /// Returns the number of positions that satisfy a predicate, by binary search. The predicate must
  /// be true for the first positions and false for all later ones.
  private func positionCount(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Two indexes are equal if they contain the same positions, in the stored form or not.
extension FrameIndex: Hashable {
  package static func == (one: FrameIndex, other: FrameIndex) -> Bool {
    one.count == other.count && (0..<one.count).allSatisfy { one[$0] == other[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if count > 0 { hasher.combine(self[count - 1]) }
  }
}
