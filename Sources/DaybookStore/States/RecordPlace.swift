/// Where a record is in a state: in which slot, and where its row stands.
package struct RecordPlace: Hashable, Sendable {
  package var slot: UInt32
  package var location: RowLocation

  package init(_ slot: UInt32, _ location: RowLocation) {
    self.slot = slot
    self.location = location
  }

  /// Where a record is that is not there.
  static var none: RecordPlace { RecordPlace(.max, .none) }
}

extension EntityTable {
  /// Whether a row stands in a slot: then the record is there whose row it is.
  func isRow(_ place: RecordPlace, in space: PageSpace) -> Bool {
    place.location != .none && Int(place.slot) < slotCount
      && row(place.slot, in: space).location == place.location
  }
}
