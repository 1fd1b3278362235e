/// An index of frame positions, for starting to read near a transaction without reading everything
/// before it.
package struct FrameIndex: Sendable {
  /// The number of bytes between two entries.
  static let interval: UInt64 = 64 << 10

  /// The positions that were loaded from stored bytes.
  private var packed = PackedPlaces()
  /// The positions that were added after that.
  private var recorded: [FramePosition] = []

  package init() {}

  /// Creates an index from stored positions; nil if these are not positions in ascending order.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that contain the positions. The index keeps them.
  ///   - start: The offset of the first position in the bytes.
  ///   - count: The number of positions.
  /// - Complexity: O(*n*) in the number of positions; only their offsets are read
  package init?(_ bytes: [UInt8], at start: Int, count: Int) {
    guard let packed = PackedPlaces(bytes, at: start, count: count) else { return nil }
    self.packed = packed
  }

  /// The number of stored bytes per position.
  package static var entryByteCount: Int { PackedPlaces.entryByteCount }

  /// The bytes that store all positions.
  package var bytes: [UInt8] { packed.bytes(with: recorded) }

  package var count: Int { packed.count + recorded.count }

  subscript(place: Int) -> FramePosition {
    place < packed.count ? packed[place] : recorded[place - packed.count]
  }

  /// Returns the offset of the frame after a position.
  @inline(__always)
  func offset(_ place: Int) -> UInt64 {
    place < packed.count ? packed.offset(place) : recorded[place - packed.count].endOffset
  }

  /// Adds a position, if it is far enough after the last one.
  @inline(__always)
  mutating func record(_ position: FramePosition) {
    if count > 0, position.endOffset < offset(count - 1) + FrameIndex.interval { return }
    recorded.append(position)
  }

  /// Adds the positions of another index that are after those of this one.
  mutating func record(_ other: FrameIndex) {
    for place in 0..<other.count { record(other[place]) }
  }

  /// Returns the start position for reading a transaction: the last entry before it.
  ///
  /// - Complexity: O(log *n*)
  func entry(before sequence: SequenceNumber) -> FramePosition? {
    guard count > 0 else { return nil }
    // The entries of a base are first.
    let place = placeCount {
      let chain = self[$0].chain
      return !chain.isPastBase || chain.sequence < sequence
    }
    if place > 0, self[place - 1].chain.isPastBase { return self[place - 1] }
    // Without an entry before it, the transaction can only be after the first entry.
    return self[0]
  }

  /// Removes the positions at or after an offset, as their frames were cut.
  ///
  /// - Complexity: O(log *n*)
  mutating func cut(at offset: UInt64) {
    let kept = placeCount { self.offset($0) < offset }
    recorded.removeLast(min(recorded.count, count - kept))
    packed.truncate(to: min(packed.count, kept))
  }

  /// Returns the number of positions that satisfy a predicate, which must be true for a prefix of
  /// them. Binary search.
  private func placeCount(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Two indexes are equal if they contain the same positions, stored or added.
extension FrameIndex: Hashable {
  package static func == (one: FrameIndex, other: FrameIndex) -> Bool {
    one.count == other.count && (0..<one.count).allSatisfy { one[$0] == other[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if count > 0 { hasher.combine(self[count - 1]) }
  }
}
