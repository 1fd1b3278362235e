/// Some of the attributes of an entity.
package struct AttributeSet: Hashable, Sendable {
  /// A bit for each attribute, the lowest first.
  package private(set) var bytes: [UInt8]

  package init(count: Int) { bytes = Array(repeating: 0, count: (count + 7) / 8) }

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// All of so many attributes.
  package init(all count: Int) {
    self.init(count: count)
    for attribute in 0..<count { insert(attribute) }
  }

  package mutating func formUnion(_ other: AttributeSet) {
    precondition(bytes.count == other.bytes.count, "sets of attributes of two entities")
    for index in bytes.indices { bytes[index] |= other.bytes[index] }
  }

  package func contains(_ attribute: Int) -> Bool {
    attribute / 8 < bytes.count && bytes[attribute / 8] & 1 << UInt8(attribute % 8) != 0
  }

  package mutating func insert(_ attribute: Int) {
    bytes[attribute / 8] |= 1 << UInt8(attribute % 8)
  }

  package var isEmpty: Bool { bytes.allSatisfy { $0 == 0 } }
}
