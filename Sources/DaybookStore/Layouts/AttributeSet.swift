/// A set of attributes of one entity, for example the attributes that an update changes. An
/// attribute is represented by its index in the entity's newest layout.
///
/// The first 64 attributes are bits of one integer. Most entities have at most 64 attributes, so
/// their sets allocate no memory.
package struct AttributeSet: Hashable, Sendable {
  /// One bit for each of the first 64 attributes.
  private var first: UInt64 = 0
  /// One bit for each attribute after the 64th, with 64 bits in each element.
  private var others: [UInt64] = []
  /// The number of bytes that contain one bit for each attribute of the entity.
  package let byteCount: Int

  /// Creates an empty set for an entity that has a number of attributes.
  package init(count: Int) { self.init(byteCount: (count + 7) / 8) }

  private init(byteCount: Int) {
    self.byteCount = byteCount
    if byteCount > 8 { others = Array(repeating: 0, count: (byteCount - 1) / 8) }
  }

  /// Creates a set from bytes with one bit for each attribute, the lowest bit first.
  package init(_ bytes: [UInt8]) {
    self.init(byteCount: bytes.count)
    for (index, byte) in bytes.enumerated() { self[index / 8] |= UInt64(byte) << (index % 8 * 8) }
  }

  /// Creates the set of all attributes, for an entity that has a number of attributes.
  package init(all count: Int) {
    self.init(count: count)
    for word in 0..<(count + 63) / 64 { self[word] = .max >> max(0, 64 - (count - word * 64)) }
  }

  /// Returns one byte of the set. Byte 0 contains attributes 0 to 7, and its lowest bit is
  /// attribute 0.
  package func byte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: self[index / 8] >> (index % 8 * 8))
  }

  private subscript(word: Int) -> UInt64 {
    get { word == 0 ? first : others[word - 1] }
    set { if word == 0 { first = newValue } else { others[word - 1] = newValue } }
  }

  package mutating func formUnion(_ other: AttributeSet) {
    precondition(byteCount == other.byteCount, "the attribute sets belong to different entities")
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

  /// One bit for each of the first 63 attributes, and a last bit for all further attributes
  /// together.
  var bits: UInt64 { others.allSatisfy { $0 == 0 } ? first : first | 1 << 63 }

  package var isEmpty: Bool { first == 0 && others.allSatisfy { $0 == 0 } }
}

/// A set of parts of a row, in one integer. A reader, such as a list, has a set of the parts that
/// it reads. A change has a set of the parts that it modifies. `meets` compares the two sets with
/// one operation, so that a list can ignore most changes quickly.
///
/// Each of the first 63 attributes of the newest layout has a bit. The last bit represents all
/// further attributes, and the parts of a row that are not attributes, such as the creation number.
/// Because of this shared bit, `meets` may return true for sets without a common part. For sets
/// with a common part, `meets` always returns true.
package struct AttributeBits: Hashable, Sendable, BitwiseCopyable {
  private var word: UInt64

  private init(_ word: UInt64) { self.word = word }

  /// No part of the row.
  package static let none = AttributeBits(0)
  /// Every part of the row. A caller that does not know the parts also uses it.
  package static let all = AttributeBits(.max)
  /// The parts of the row that are not attributes.
  package static let others = AttributeBits(1 << 63)

  /// Creates the set of the parts that are attributes of a set.
  package init(_ attributes: AttributeSet) { word = attributes.bits }

  package mutating func insert(_ attribute: Int) { word |= 1 << UInt64(min(attribute, 63)) }

  /// Returns whether the two sets may have a part in common.
  package func meets(_ other: AttributeBits) -> Bool { word & other.word != 0 }
}
