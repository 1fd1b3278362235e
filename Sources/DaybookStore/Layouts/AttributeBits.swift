/// What of a record's row somebody reads, or has changed, in one word: so it can be seen at once that the two have
/// nothing in common.
///
/// There is a bit for each attribute of the newest layout but those behind the 63rd. The last bit stands for these, and
/// for everything that is no attribute: the creation number, and what nobody knows. Two that have nothing in common
/// never say that they have; two that do say so also where it is only that bit that they share.
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

  package mutating func formUnion(_ other: AttributeBits) { word |= other.word }

  /// Whether the two may have something in common.
  package func meets(_ other: AttributeBits) -> Bool { word & other.word != 0 }
}
