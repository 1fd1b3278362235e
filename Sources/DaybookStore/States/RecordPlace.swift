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
