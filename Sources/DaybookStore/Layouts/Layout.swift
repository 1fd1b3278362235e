/// The positions of an entity's attributes in its rows.
///
/// A row is:
///
/// ```
///   0  head            u16   bits 0 to 13 the layout's number, 14 "has stored values", 15 "is
///   wide"
///   2  payload offset  u32   the offset of the row in its payload
///   6  creation        u64   the number that the record received when it was first inserted
///  14  identifier      8 or 16 bytes; 0 bytes if it is a string
///   …  nil bits        one for each attribute, the lowest bit first
///   …  fixed part      the attributes of fixed width, in the order of the schema, zeros if nil
///   …  ends            u16 (u32 if wide) for each other value: the offset of its end in the
///                      variable part; an identifier that is a string is the first one
///   …  stored bits     if it has stored values: one for each of the ends
///   …  variable part   those values, in the order of the schema
/// ```
///
/// Every attribute is found without reading another one. The journal contains a layout before the
/// first row with its number.
///
/// A layout is passed with every row, so it is one reference to immutable storage.
package struct Layout: Hashable, Sendable {
  package static let numberMax: UInt16 = RowShape.numberMask
  /// The highest creation number. Higher numbers are for unsaved records, so that they are sorted
  /// after the others.
  package static let creationMax: UInt64 = (1 << 63) - 1
  static let creationOffset = 6
  package static let headByteCount = 14
  private static let usualValueByteCount = 32
  private static let searchedAttributesMax = 8

  private final class Parts: Sendable {
    let number: UInt16
    let entity: EntityDefinition
    let identifierKind: IdentifierKind
    let identifierByteCount: Int
    let places: [AttributePlace]
    let storageOrder: [Int]
    let nilBitsOffset: Int
    let fixedOffset: Int
    let endsOffset: Int
    let variableCount: Int
    let shape: RowShape
    let emptyRow: [UInt8]
    let attributePlaces: PlaceList
    let storagePlaces: PlaceList
    /// The indexes of the attributes by name; empty if there are so few that a linear search is
    /// faster.
    let attributeIndexes: [String: Int]
    let hasEarlierNames: Bool

    deinit {
      attributePlaces.deallocate()
      storagePlaces.deallocate()
    }

    init(number: UInt16, entity: EntityDefinition) {
      self.number = number
      self.entity = entity
      identifierKind = entity.identifierKind
      identifierByteCount = entity.identifierKind.byteCount ?? 0
      nilBitsOffset = Layout.headByteCount + identifierByteCount
      fixedOffset = nilBitsOffset + (entity.attributes.count + 7) / 8
      var places: [AttributePlace] = []
      var fixedEnd = fixedOffset
      var variableCount = identifierByteCount == 0 ? 1 : 0
      for (index, attribute) in entity.attributes.enumerated() {
        let nilOffset = nilBitsOffset + index / 8
        let nilBit = 1 << UInt8(index % 8)
        if let byteCount = attribute.type.byteCount {
          places.append(
            AttributePlace(
              offset: fixedEnd, byteCount: byteCount, nilOffset: nilOffset, nilBit: UInt8(nilBit)))
          fixedEnd += byteCount
        } else {
          places.append(
            AttributePlace(
              offset: variableCount, byteCount: nil, nilOffset: nilOffset, nilBit: UInt8(nilBit)))
          variableCount += 1
        }
      }
      self.places = places
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
        places.indices.filter { places[$0].byteCount != nil }
        + places.indices.filter { places[$0].byteCount == nil }
      attributePlaces = PlaceList(places)
      storagePlaces = PlaceList(storageOrder.map { places[$0] })
      var attributeIndexes: [String: Int] = [:]
      if entity.attributes.count > Layout.searchedAttributesMax {
        attributeIndexes.reserveCapacity(entity.attributes.count)
        for (index, attribute) in entity.attributes.enumerated().reversed() {
          attributeIndexes[attribute.name] = index
        }
      }
      self.attributeIndexes = attributeIndexes
      hasEarlierNames = entity.attributes.contains { $0.earlierName != nil }
    }
  }

  private let parts: Parts

  package init(number: UInt16, of entity: EntityDefinition) {
    precondition(number <= Layout.numberMax, "layout \(number) of \(Layout.numberMax)")
    parts = Parts(number: number, entity: entity)
  }

  package var number: UInt16 { parts.number }
  package var entity: EntityDefinition { parts.entity }
  /// Returns the index of an attribute in the schema, or nil.
  ///
  /// - Complexity: O(1)
  package func index(of attribute: String) -> Int? {
    parts.attributeIndexes.isEmpty
      ? parts.entity.index(of: attribute) : parts.attributeIndexes[attribute]
  }
  /// A Boolean value that indicates whether an attribute had another name in an earlier layout.
  var hasEarlierNames: Bool { parts.hasEarlierNames }
  /// The kind of the records' identifiers.
  package var identifierKind: IdentifierKind { parts.identifierKind }
  /// The byte count of an identifier; 0 if it depends on the identifier.
  var identifierByteCount: Int { parts.identifierByteCount }
  /// The position of each attribute, in the order of the schema.
  package var places: [AttributePlace] { parts.places }
  /// The indexes of the attributes, in the order of their bytes in a row.
  package var storageOrder: [Int] { parts.storageOrder }
  /// The elements of ``places``. The list is valid while the layout lives.
  var attributePlaces: PlaceList { parts.attributePlaces }
  /// The positions of the attributes in the order of ``storageOrder``. The list is valid while the
  /// layout lives.
  var storagePlaces: PlaceList { parts.storagePlaces }
  package var nilBitsOffset: Int { parts.nilBitsOffset }
  package var fixedOffset: Int { parts.fixedOffset }
  package var endsOffset: Int { parts.endsOffset }
  /// The number of values with an entry in the table of ends, including an identifier that is a
  /// string.
  package var variableCount: Int { parts.variableCount }
  /// The start of every row: the layout's number, and zeros up to the variable part. More zeros
  /// follow, for a variable part of usual size.
  var emptyRow: [UInt8] { parts.emptyRow }
  /// The numbers that determine the end of a row.
  var shape: RowShape { parts.shape }

  package static func == (one: Layout, other: Layout) -> Bool {
    one.parts === other.parts || one.number == other.number && one.entity == other.entity
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(entity)
  }
}

/// The position of an attribute in a row.
package struct AttributePlace: Hashable, Sendable {
  /// The offset in the row, if the attribute has a fixed width; otherwise the index in the table of
  /// ends.
  package let offset: Int
  /// The attribute's width in bytes, or nil if it depends on the value.
  package let byteCount: Int?
  package let nilOffset: Int
  package let nilBit: UInt8
}

/// A list of positions of attributes that can be read without retaining it. Each access to an array
/// would retain it.
///
/// The owner that creates the list deallocates it, and must not use it after that.
struct PlaceList: @unchecked Sendable, BitwiseCopyable {
  // The memory is never written after the initializer, so all threads may read it. That is the
  // reason for `@unchecked`.
  private let start: UnsafeMutablePointer<AttributePlace>
  let count: Int

  init(_ places: [AttributePlace]) {
    count = places.count
    start = .allocate(capacity: max(count, 1))
    start.initialize(from: places, count: count)
  }

  func deallocate() { start.deallocate() }

  @inline(__always)
  subscript(index: Int) -> AttributePlace {
    precondition(index >= 0 && index < count, "place \(index) of \(count)")
    return start[index]
  }
}
