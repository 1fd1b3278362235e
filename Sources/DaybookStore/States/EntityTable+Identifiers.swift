import DaybookEssentials

/// Reading the identifiers of many records.
extension EntityTable {
  /// The identifiers of the records in some slots, in their order; nil if they are texts.
  func identifiers(of slots: [UInt32], in space: PageSpace) -> [RecordIdentifier]? {
    switch kind {
    case .int:
      return identifiers.elements(at: slots, as: UInt64.self, in: space)
        .map { .int(Int64(bitPattern: $0)) }
    case .uint: return identifiers.elements(at: slots, as: UInt64.self, in: space).map { .uint($0) }
    case .uuid:
      return identifiers.elements(at: slots, as: PagePair.self, in: space)
        .map { .uuid(IdentifierBytes.uuid($0)) }
    case .string: return nil
    }
  }

  /// The same as an array of the type that records have; nil if they do not stand in pages as such.
  func identifiers<ID>(of slots: [UInt32], as type: ID.Type, in space: PageSpace) -> [ID]? {
    // Of what is known to be an array each element would be cast.
    let found: Any?
    switch kind {
    case .int where type == Int.self:
      found = identifiers.elements(at: slots, as: Int.self, in: space)
    case .int where type == Int64.self:
      found = identifiers.elements(at: slots, as: Int64.self, in: space)
    case .uint where type == UInt.self:
      found = identifiers.elements(at: slots, as: UInt.self, in: space)
    case .uint where type == UInt64.self:
      found = identifiers.elements(at: slots, as: UInt64.self, in: space)
    case .uuid where type == UUID.self:
      found = identifiers.elements(at: slots, as: PagePair.self, in: space) {
        IdentifierBytes.uuid($0)
      }
    default: found = nil
    }
    return found as? [ID]
  }
}

/// Where a record is in a state: in which slot, and where its row stands.
package struct RecordPlace: Hashable, Sendable {
  package var slot: UInt32
  package var location: RowLocation

  package init(_ slot: UInt32, at location: RowLocation) {
    self.slot = slot
    self.location = location
  }

  /// Where a record is that is not there.
  static var none: RecordPlace { RecordPlace(.max, at: .none) }
}

extension EntityTable {
  /// Whether a row stands in a slot: then the record is there whose row it is.
  func isRow(_ place: RecordPlace, in space: PageSpace) -> Bool {
    place.location != .none && Int(place.slot) < slotCount
      && row(place.slot, in: space).location == place.location
  }
}
