/// Identifiers of one width of the records of one entity, as its table has them.
struct IdentifierWords {
  /// Those of one word.
  private(set) var words: [UInt64] = []
  /// Those of two.
  private(set) var pairs: [PagePair] = []

  var count: Int { max(words.count, pairs.count) }

  /// Adds the identifier that stands at an offset.
  ///
  /// - Parameter byteCount: How wide those of the entity are: 8 or 16 bytes.
  /// - Returns: False if the bytes end before it does.
  @inline(__always)
  mutating func append(_ bytes: RawSpan, at offset: Int, byteCount: Int) -> Bool {
    guard let first = bytes.number(at: offset, as: UInt64.self) else { return false }
    if byteCount == 8 {
      words.append(first)
      return true
    }
    guard let second = bytes.number(at: offset &+ 8, as: UInt64.self) else { return false }
    pairs.append(PagePair(first, second))
    return true
  }

  /// An identifier as a pair, the second word being 0 if it has one.
  @inline(__always)
  subscript(place: Int) -> PagePair { pairs.isEmpty ? PagePair(words[place], 0) : pairs[place] }

  /// The hash by which the record is found.
  @inline(__always)
  func hash(_ place: Int) -> UInt64 {
    pairs.isEmpty
      ? SlotHash.hash(near: words[place]) : SlotHash.hash(pairs[place].first, pairs[place].second)
  }

  mutating func removeAll() {
    words.removeAll(keepingCapacity: true)
    pairs.removeAll(keepingCapacity: true)
  }
}
