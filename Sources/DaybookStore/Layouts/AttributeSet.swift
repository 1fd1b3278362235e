/// Some of the attributes of an entity.
///
/// The first 64 are bits of one word, as most entities have no more: a set of those takes no memory of its own.
package struct AttributeSet: Hashable, Sendable {
  private var first: UInt64 = 0
  /// A bit for each attribute behind the 64th, in further words.
  private var others: [UInt64] = []
  /// How many bytes have a bit for each attribute.
  package let byteCount: Int

  /// None of so many attributes.
  package init(count: Int) { self.init(byteCount: (count + 7) / 8) }

  private init(byteCount: Int) {
    self.byteCount = byteCount
    if byteCount > 8 { others = Array(repeating: 0, count: (byteCount - 1) / 8) }
  }

  /// Those that bytes tell of: a bit for each attribute, the lowest first.
  package init(_ bytes: [UInt8]) {
    self.init(byteCount: bytes.count)
    for (index, byte) in bytes.enumerated() { self[index / 8] |= UInt64(byte) << (index % 8 * 8) }
  }

  /// All of so many attributes.
  package init(all count: Int) {
    self.init(count: count)
    for word in 0..<(count + 63) / 64 { self[word] = .max >> max(0, 64 - (count - word * 64)) }
  }

  /// One of the bytes that have a bit for each attribute, the lowest first.
  package func byte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: self[index / 8] >> (index % 8 * 8))
  }

  private subscript(word: Int) -> UInt64 {
    get { word == 0 ? first : others[word - 1] }
    set { if word == 0 { first = newValue } else { others[word - 1] = newValue } }
  }

  package mutating func formUnion(_ other: AttributeSet) {
    precondition(byteCount == other.byteCount, "sets of attributes of two entities")
    first |= other.first
    for index in others.indices { others[index] |= other.others[index] }
  }

  package func contains(_ attribute: Int) -> Bool {
    attribute < byteCount * 8 && self[attribute / 64] & 1 << UInt64(attribute % 64) != 0
  }

  package mutating func insert(_ attribute: Int) {
    precondition(attribute < byteCount * 8, "attribute \(attribute) of \(byteCount * 8)")
    self[attribute / 64] |= 1 << UInt64(attribute % 64)
  }

  /// A bit for each attribute, and one for all behind the 63rd.
  var bits: UInt64 { others.allSatisfy { $0 == 0 } ? first : first | 1 << 63 }

  package var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }
}

/// What of a record's row somebody reads, or has changed, in one word: so it can be seen at once that the two have
/// nothing in common.
///
/// There is a bit for each of the first 63 attributes of the newest layout. The last bit stands for all others, and for
/// everything that is no attribute: the creation number, and what nobody knows. Two that have something in common
/// always say so; two that share no more than that bit say so as well.
package struct AttributeBits: Hashable, Sendable, BitwiseCopyable {
  private var word: UInt64

  private init(_ word: UInt64) { self.word = word }

  /// Nothing at all.
  package static let none = AttributeBits(0)
  /// Everything, or what is not known.
  package static let all = AttributeBits(.max)
  /// What is no attribute.
  package static let others = AttributeBits(1 << 63)

  /// Some attributes, and nothing else.
  package init(_ attributes: AttributeSet) { word = attributes.bits }

  package mutating func insert(_ attribute: Int) { word |= 1 << UInt64(min(attribute, 63)) }

  /// Whether the two may have something in common.
  package func meets(_ other: AttributeBits) -> Bool { word & other.word != 0 }
}
