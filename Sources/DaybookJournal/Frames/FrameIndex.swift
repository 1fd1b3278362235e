/// Where to begin reading for a transaction, without reading everything before it.
package struct FrameIndex: Sendable {
  /// One entry each so many bytes.
  static let interval: UInt64 = 64 << 10

  /// Those that were noted before, by whoever has written them down.
  private var packed = PackedPlaces()
  /// Those that were noted since.
  private var noted: [FramePosition] = []

  package init() {}

  /// Places that were written down before: so many, from an offset of some bytes on, which are kept. Nil if these are no places in
  /// order.
  ///
  /// - Complexity: O(*n*) in the places, of which nothing but the offsets is looked at
  package init?(_ bytes: [UInt8], at start: Int, count: Int) {
    guard let packed = PackedPlaces(bytes, at: start, count: count) else { return nil }
    self.packed = packed
  }

  /// How many bytes are written down of a place.
  package static var entryByteCount: Int { PackedPlaces.entryByteCount }

  /// What is written down of all places.
  package var bytes: [UInt8] { packed.bytes(with: noted) }

  package var count: Int { packed.count + noted.count }

  subscript(place: Int) -> FramePosition {
    place < packed.count ? packed[place] : noted[place - packed.count]
  }

  /// Where the frame behind a place begins.
  @inline(__always)
  func offset(_ place: Int) -> UInt64 {
    place < packed.count ? packed.offset(place) : noted[place - packed.count].endOffset
  }

  /// Notes a place, if the last one noted is far enough before it.
  @inline(__always)
  mutating func note(_ position: FramePosition) {
    if count > 0, position.endOffset < offset(count - 1) + FrameIndex.interval { return }
    noted.append(position)
  }

  /// Notes the places of another index, as far as they lie behind those of this one.
  mutating func note(_ other: FrameIndex) {
    for place in 0..<other.count { note(other[place]) }
  }

  /// Where to begin reading to come upon a transaction: the last entry before it.
  ///
  /// - Complexity: O(log *n*)
  func entry(before sequence: SequenceNumber) -> FramePosition? {
    guard count > 0 else { return nil }
    // Those of a base come first.
    let place = placeCount {
      let chain = self[$0].chain
      return !chain.isPastBase || chain.sequence < sequence
    }
    if place > 0, self[place - 1].chain.isPastBase { return self[place - 1] }
    // Without an entry before it, the transaction stands behind the first one, if anywhere.
    return self[0]
  }

  /// Forgets the places at or beyond an offset, whose frames have been cut.
  ///
  /// - Complexity: O(log *n*)
  mutating func cut(at offset: UInt64) {
    let kept = placeCount { self.offset($0) < offset }
    noted.removeLast(min(noted.count, count - kept))
    packed.keep(min(packed.count, kept))
  }

  /// How many places from the first on are what those before others are.
  private func placeCount(_ isBefore: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// Two are equal if they have the same places, whether or not these were written down before.
extension FrameIndex: Hashable {
  package static func == (one: FrameIndex, other: FrameIndex) -> Bool {
    one.count == other.count && (0..<one.count).allSatisfy { one[$0] == other[$0] }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    if count > 0 { hasher.combine(self[count - 1]) }
  }
}
