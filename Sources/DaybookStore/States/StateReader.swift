/// A state of a store, with everything that is needed to read its records.
///
/// ```
///   state ──▶ pages of the space ──▶ locations in the memory ──▶ rows ──▶ layouts in the catalog
/// ```
///
/// The reader is passed by borrowing, so that reading a record changes no reference count. The
/// reader of a ``FrozenState`` never changes. The reader of a ``StateEditor`` changes with each
/// edit.
package struct StateReader: ~Copyable, Sendable {
  package internal(set) var state: StoreState
  package internal(set) var catalog: Catalog
  package internal(set) var memory: RowMemory
  package let space: PageSpace

  package init(
    _ state: StoreState = StoreState(), catalog: Catalog = Catalog(),
    memory: RowMemory = RowMemory(), space: PageSpace = PageSpace()
  ) {
    self.state = state
    self.catalog = catalog
    self.memory = memory
    self.space = space
  }

  // MARK: Records

  /// Returns the slot of a record of an entity; nil if the record does not exist.
  package func slot(of key: IdentifierBytes, in entity: Int) -> UInt32? {
    entity < state.tables.count ? state.tables[entity].slot(of: key, in: self) : nil
  }

  /// Returns the location of the row in a slot of an entity, and the record's creation number. The
  /// location is none if the slot is free.
  @inline(__always)
  package func row(
    inSlot slot: UInt32, of entity: Int
  ) -> (location: RowLocation, creation: UInt64) {
    state.tables[entity].row(slot, in: space)
  }

  /// Returns the position of a record; nil if the record does not exist.
  package func position(of key: IdentifierBytes, in entity: Int) -> RecordPosition? {
    slot(of: key, in: entity).map { RecordPosition($0, at: row(inSlot: $0, of: entity).location) }
  }

  /// Returns the location of a record's row; none if the record does not exist.
  package func location(of key: IdentifierBytes, in entity: Int) -> RowLocation {
    slot(of: key, in: entity).map { row(inSlot: $0, of: entity).location } ?? .none
  }

  /// Returns the identifier of the record in a slot of an entity.
  package func identifier(ofSlot slot: UInt32, in entity: Int) -> RecordIdentifier {
    if let identifier = state.tables[entity].identifier(of: slot, in: space) { return identifier }
    return withRow(at: row(inSlot: slot, of: entity).location) { layout, row, range in
      RecordIdentifier(layout.identifierKind, bytes: row.extracting(range))
    }
  }

  /// Returns the identifier of the record whose row is at a location, as the key of a lookup.
  package func key(at location: RowLocation) -> IdentifierBytes {
    withRow(at: location) { layout, row, range in
      IdentifierBytes(layout.identifierKind, bytes: row.extracting(range))
    }
  }

  /// Returns the identifier of the record whose row is at a location.
  package func identifier(at location: RowLocation) -> RecordIdentifier {
    withRow(at: location) { layout, row, range in
      RecordIdentifier(layout.identifierKind, bytes: row.extracting(range))
    }
  }

  /// Calls a closure with the row at a location, its layout, and the range of its identifier.
  @inline(__always)
  private func withRow<Result>(
    at location: RowLocation, _ body: (Layout, RawSpan, Range<Int>) -> Result?
  ) -> Result {
    memory.withBytes(at: location) { row in
      guard let number = Layout.number(of: row), let layout = catalog.layouts[number],
        let range = layout.identifierRange(in: row), let result = body(layout, row, range)
      else { preconditionFailure("no row at \(location)") }
      return result
    }
  }

  /// Returns the locations of the rows of an entity, in the order of creation.
  ///
  /// - Complexity: O(*n* log *n*)
  func locations(of entity: Int) -> [RowLocation] {
    var rows: [(creation: UInt64, location: RowLocation)] = []
    rows.reserveCapacity(state.tables[entity].count)
    state.tables[entity].forEach(in: space) { _, location, creation in
      rows.append((creation, location))
    }
    rows.sort { $0.creation < $1.creation }
    return rows.map(\.location)
  }

  /// Returns the records of the rows at locations. A row that is not of the codec's entity is left
  /// out.
  ///
  /// - Throws: ``StoreError`` with `unknownValue`
  func records<R: Record>(
    at locations: [RowLocation], _ codec: RecordCodec<R>, path: String
  ) throws(StoreError) -> [R] {
    var records: [R] = []
    records.reserveCapacity(locations.count)
    for location in locations {
      let record = try memory.withCompleteRow(at: location, layouts: catalog.layouts) {
        (row) throws(StoreError) in try codec.record(row, path: path)
      }
      if let record { records.append(record) }
    }
    return records
  }

  /// Returns the records of the rows at locations, for programs that have no record type for the
  /// entity.
  func records(at locations: [RowLocation], of entity: Int) -> [DynamicRecord] {
    locations.compactMap { location in
      memory.withCompleteRow(at: location, layouts: catalog.layouts) {
        DynamicRecord($0, of: entity, in: catalog)
      }
    }
  }

  // MARK: Damage

  /// Throws an error if the data that a transaction depends on is damaged. A save calls it before
  /// the transaction gets a number.
  ///
  /// - Throws: ``StoreError`` with `journal`
  func checkReadable(_ payload: [UInt8], path: @autoclosure () -> String) throws(StoreError) {
    guard memory.hasLateRows else { return }
    // The call reads the data. The memory records any damage that the reads find.
    _ = hasWhatIsRead(by: payload.span.bytes)
    if let damage = memory.damage { throw StoreError(.journal(damage), path: path()) }
  }

  /// Returns whether the data that applying a payload reads is undamaged: the rows that the payload
  /// replaces, and the stored values that its rows refer to.
  private func hasWhatIsRead(by bytes: RawSpan) -> Bool {
    var reader = PayloadReader(bytes, layouts: catalog.layouts)
    while let change = reader.next(in: bytes) {
      // The payload may be the first to contain the layout.
      guard let entity = catalog.entity(havingHad: change.layout), entity < state.tables.count
      else { continue }
      let row = bytes.extracting(change.row)
      if let range = change.identifierRange(in: row),
        let key = IdentifierBytes(change.layout.identifierKind, bytes: row.extracting(range))
      {
        let location = location(of: key, in: entity)
        guard location == .none || memory.isUndamaged(location) else { return false }
      }
      guard change.kind != .delete, Layout.hasStoredValues(row) else { continue }
      for (_, _, value) in change.layout.storedValues(in: row) where value.sequence != 0 {
        guard memory.withStoredValue(value, of: .none, body: { $0 != nil }) else { return false }
      }
    }
    return true
  }
}
