/// One version of an entity's schema, with the positions of the attributes in rows of this version.
///
/// A row is:
///
/// ```
///   0  head            u16   bits 0 to 13: the layout's number; bit 14: "has stored values";
///                            bit 15: "is wide"
///   2  payload offset  u32   the offset of the row in its payload
///   6  creation        u64   the number that the record received when it was first inserted
///  14  identifier      8 or 16 bytes; 0 bytes if it is a string
///   …  nil bits        one for each attribute, the lowest bit first
///   …  fixed part      the attributes of fixed width, in the order of the schema, zeros if nil
///   …  ends            u16 (u32 if wide) for each variable-width value: the offset of its end in
///                      the variable part; an identifier that is a string is the first value
///   …  stored bits     if it has stored values: one for each of the ends, set if the variable part
///                      contains a reference to a stored value
///   …  variable part   the variable-width values, in the order of the schema
/// ```
///
/// A reader finds the bytes of an attribute without reading any other attribute. A row contains
/// only the number of its layout. The journal contains the layout before the first row with this
/// number.
///
/// Many functions receive a layout with each row. Therefore a layout is one reference to immutable
/// storage, and copying it copies no arrays.
package struct Layout: Hashable, Sendable {
  package static let numberMax: UInt16 = RowShape.numberMask
  /// The highest creation number of a saved record. Contexts give higher numbers to unsaved
  /// records, so that unsaved records are sorted after all saved ones.
  package static let creationMax: UInt64 = (1 << 63) - 1
  /// The offset of the creation number in a row.
  static let creationOffset = 6
  /// The number of bytes before the identifier: the head, the payload offset and the creation
  /// number.
  package static let headByteCount = 14
  /// The expected number of bytes of a variable-width value, for the size of ``emptyRow``.
  private static let usualValueByteCount = 32
  /// The largest number of attributes for a linear search by name.
  private static let searchedAttributesMax = 8

  /// The immutable storage of a layout, which all copies of the layout share.
  private final class Parts: Sendable {
    let number: UInt16
    let entity: EntityDefinition
    let identifierKind: IdentifierKind
    let identifierByteCount: Int
    let fields: [AttributeField]
    let storageOrder: [Int]
    let nilBitsOffset: Int
    let fixedOffset: Int
    let endsOffset: Int
    let variableCount: Int
    let shape: RowShape
    let emptyRow: [UInt8]
    let attributeFields: FieldList
    let storageFields: FieldList
    /// The indexes of the attributes by name. The dictionary is empty if the entity has at most
    /// `searchedAttributesMax` attributes, because a linear search is faster then.
    let attributeIndexes: [String: Int]

    deinit {
      attributeFields.deallocate()
      storageFields.deallocate()
    }

    init(number: UInt16, entity: EntityDefinition) {
      self.number = number
      self.entity = entity
      identifierKind = entity.identifierKind
      identifierByteCount = entity.identifierKind.byteCount ?? 0
      nilBitsOffset = Layout.headByteCount + identifierByteCount
      fixedOffset = nilBitsOffset + (entity.attributes.count + 7) / 8
      var fields: [AttributeField] = []
      var fixedEnd = fixedOffset
      var variableCount = identifierByteCount == 0 ? 1 : 0
      for (index, attribute) in entity.attributes.enumerated() {
        let nilOffset = nilBitsOffset + index / 8
        let nilBit = 1 << UInt8(index % 8)
        if let byteCount = attribute.type.byteCount {
          fields.append(
            AttributeField(
              offset: fixedEnd, byteCount: byteCount, nilOffset: nilOffset, nilBit: UInt8(nilBit)))
          fixedEnd += byteCount
        } else {
          fields.append(
            AttributeField(
              offset: variableCount, byteCount: nil, nilOffset: nilOffset, nilBit: UInt8(nilBit)))
          variableCount += 1
        }
      }
      self.fields = fields
      endsOffset = fixedEnd
      self.variableCount = variableCount
      shape = RowShape(
        number: number, identifierByteCount: identifierByteCount, endsOffset: fixedEnd,
        variableCount: variableCount)
      let room = variableCount * (2 + Layout.usualValueByteCount)
      emptyRow =
        withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
        + [UInt8](repeating: 0, count: fixedEnd + room - 2)
      storageOrder =
        fields.indices.filter { fields[$0].byteCount != nil }
        + fields.indices.filter { fields[$0].byteCount == nil }
      attributeFields = FieldList(fields)
      storageFields = FieldList(storageOrder.map { fields[$0] })
      var attributeIndexes: [String: Int] = [:]
      if entity.attributes.count > Layout.searchedAttributesMax {
        attributeIndexes.reserveCapacity(entity.attributes.count)
        for (index, attribute) in entity.attributes.enumerated().reversed() {
          attributeIndexes[attribute.name] = index
        }
      }
      self.attributeIndexes = attributeIndexes
    }
  }

  private let parts: Parts

  package init(number: UInt16, of entity: EntityDefinition) {
    precondition(number <= Layout.numberMax, "layout \(number) of \(Layout.numberMax)")
    parts = Parts(number: number, entity: entity)
  }

  package var number: UInt16 { parts.number }
  package var entity: EntityDefinition { parts.entity }
  /// Returns the index of the attribute with a name; nil if the layout has no such attribute.
  ///
  /// - Complexity: O(1)
  package func index(of attribute: String) -> Int? {
    parts.attributeIndexes.isEmpty
      ? parts.entity.index(of: attribute) : parts.attributeIndexes[attribute]
  }
  /// The kind of the records' identifiers.
  package var identifierKind: IdentifierKind { parts.identifierKind }
  /// The byte count of an identifier; 0 if identifiers are strings.
  var identifierByteCount: Int { parts.identifierByteCount }
  /// The field of each attribute in a row, in the order of the schema.
  package var fields: [AttributeField] { parts.fields }
  /// The indexes of the attributes, in the order of their bytes in a row.
  package var storageOrder: [Int] { parts.storageOrder }
  /// A list with the elements of ``fields``. It is valid while the layout exists.
  var attributeFields: FieldList { parts.attributeFields }
  /// A list of the fields of the attributes, in the order of ``storageOrder``. It is valid while
  /// the layout exists.
  var storageFields: FieldList { parts.storageFields }
  /// The offset of the nil bits in a row.
  package var nilBitsOffset: Int { parts.nilBitsOffset }
  /// The offset of the fixed part in a row.
  package var fixedOffset: Int { parts.fixedOffset }
  /// The offset of the table of ends in a row.
  package var endsOffset: Int { parts.endsOffset }
  /// The number of values with an entry in the table of ends, including an identifier that is a
  /// string.
  package var variableCount: Int { parts.variableCount }
  /// The bytes that a writer copies at the start of every row: the layout's number, and zeros up to
  /// the end of the fixed part. More zeros follow, for the ends and for a variable part of usual
  /// size.
  var emptyRow: [UInt8] { parts.emptyRow }
  /// The numbers that a reader needs to compute the end of a row.
  var shape: RowShape { parts.shape }

  package static func == (one: Layout, other: Layout) -> Bool {
    one.parts === other.parts || one.number == other.number && one.entity == other.entity
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(entity)
  }
}

/// The field of an attribute in a row: its position and its width.
package struct AttributeField: Hashable, Sendable {
  /// The offset of the value in the row, if the attribute has a fixed width. Otherwise it is the
  /// index of the value in the table of ends.
  package let offset: Int
  /// The attribute's width in bytes; nil if values have different lengths.
  package let byteCount: Int?
  /// The offset of the byte that contains the attribute's nil bit.
  package let nilOffset: Int
  /// A mask with the attribute's nil bit, which is set if the attribute is nil.
  package let nilBit: UInt8
}

/// A list of the fields of attributes, in memory without a reference count. A reader of a row
/// accesses the list many times, and each access to an array would retain the array.
///
/// The owner that creates the list must deallocate it. No copy of the list may be used after that.
struct FieldList: @unchecked Sendable, BitwiseCopyable {
  // `@unchecked` is safe: only the initializer writes the memory, so all threads may read it.
  private let start: UnsafeMutablePointer<AttributeField>
  let count: Int

  init(_ fields: [AttributeField]) {
    count = fields.count
    start = .allocate(capacity: max(count, 1))
    start.initialize(from: fields, count: count)
  }

  func deallocate() { start.deallocate() }

  @inline(__always)
  subscript(index: Int) -> AttributeField {
    precondition(index >= 0 && index < count, "place \(index) of \(count)")
    return start[index]
  }
}
