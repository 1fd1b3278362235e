/// Where an attribute stands in a row.
package struct AttributePlace: Hashable, Sendable {
  /// From the row's beginning, if the attribute has a width; else its place in the table of ends.
  package let offset: Int
  /// The attribute's width, or nil if that depends on the value.
  package let byteCount: Int?
  package let nilOffset: Int
  package let nilBit: UInt8
}
