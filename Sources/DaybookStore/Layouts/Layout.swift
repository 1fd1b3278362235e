/// Where the attributes of an entity stand in its rows.
///
/// A row is:
///
/// ```
///   0  head            u16   bits 0 to 13 the layout's number, 14 "has stored values", 15 "is wide"
///   2  payload offset  u32   how far the row stands behind the beginning of its payload
///   6  creation        u64   the number that the record was given when it was first inserted
///  14  identifier      8 or 16 bytes; 0 if it is a text
///   …  nil bits        one for each attribute, the lowest bit first
///   …  fixed part      the attributes of one width, in the order of the schema, zeros if nil
///   …  ends            u16 (u32 if wide) for each other value: where it ends, from the end of this
///                      table; an identifier that is a text comes first
///   …  stored bits     if it has stored values: one for each of the ends
///   …  variable part   those values, in the order of the schema
/// ```
///
/// Every attribute is found without looking at another. A layout is written into the journal before
/// the first row that has its number.
///
/// Layouts are handed about with every row, so a layout is one reference to what never changes.
package struct Layout: Hashable, Sendable {
  package static let numberMax: UInt16 = RowShape.numberMask
  /// The highest creation number; those above are for what is not saved, to keep it behind the rest.
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
    /// The attributes by their names, where there are so many that looking through them is slower.
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
  /// Returns the place of an attribute in the schema, or nil.
  ///
  /// - Complexity: O(1)
  package func index(of attribute: String) -> Int? {
    parts.attributeIndexes.isEmpty
      ? parts.entity.index(of: attribute) : parts.attributeIndexes[attribute]
  }
  /// A Boolean value that indicates whether an attribute had another name in an earlier layout.
  var hasEarlierNames: Bool { parts.hasEarlierNames }
  /// What identifies the records of the entity.
  package var identifierKind: IdentifierKind { parts.identifierKind }
  /// How many bytes an identifier takes, 0 if that depends on it.
  var identifierByteCount: Int { parts.identifierByteCount }
  /// Where each attribute stands, in the order of the schema.
  package var places: [AttributePlace] { parts.places }
  /// The attributes in the order in which their bytes stand in a row.
  package var storageOrder: [Int] { parts.storageOrder }
  /// The same as ``places``, for as long as the layout is there.
  var attributePlaces: PlaceList { parts.attributePlaces }
  /// The places of the attributes in the order of ``storageOrder``, for as long as the layout is there.
  var storagePlaces: PlaceList { parts.storagePlaces }
  package var nilBitsOffset: Int { parts.nilBitsOffset }
  package var fixedOffset: Int { parts.fixedOffset }
  package var endsOffset: Int { parts.endsOffset }
  /// How many values end where the table of ends says, the identifier included if it is a text.
  package var variableCount: Int { parts.variableCount }
  /// What all rows have in common up to their variable part, the layout's number and zeros; and zeros for as much
  /// as most have there.
  var emptyRow: [UInt8] { parts.emptyRow }
  /// Where a row of it ends.
  var shape: RowShape { parts.shape }

  package static func == (one: Layout, other: Layout) -> Bool {
    one.parts === other.parts || one.number == other.number && one.entity == other.entity
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(entity)
  }
}

/// Where an attribute stands in a row.
package struct AttributePlace: Hashable, Sendable {
  /// From the row's beginning, if the attribute has a width; else its place in the table of ends.
  package let offset: Int
  /// The attribute's width, or nil if that depends on the value.
  package let byteCount: Int?
  package let nilOffset: Int
  package let nilBit: UInt8
}

/// Places of attributes that can be read without anything being retained: an array would be, for each look at it.
///
/// Whoever made it gives its memory back, and has it no longer than that.
struct PlaceList: @unchecked Sendable, BitwiseCopyable {
  // Nothing is stored into it after it was made, so that all threads may read it: that is the reason for
  // `@unchecked`.
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
