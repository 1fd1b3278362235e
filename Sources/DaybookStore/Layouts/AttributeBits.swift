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
