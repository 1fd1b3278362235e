/// A state with everything that it is read from: one that stays as it is, one that a context shows, or the newest of a
/// store, until the next edit.
package protocol ReadableState: ~Copyable {
  var state: StoreState { get }
  var catalog: Catalog { get }
  var memory: RowMemory { get }
  var space: PageSpace { get }
}

extension FrozenState: ReadableState {}

extension ReadableState where Self: ~Copyable {
  /// Where the row of a record stands; none if there is no such record.
  func location(_ entity: Int, _ key: IdentifierBytes) -> RowLocation {
    guard let slot = state.slot(entity, key, in: memory, catalog, space) else { return .none }
    return state.tables[entity].row(slot, in: space).location
  }

  /// The identifier of the record in a slot.
  func identifier(_ entity: Int, _ slot: UInt32) -> RecordIdentifier {
    state.identifier(entity, slot, in: memory, catalog, space)
  }

  /// Throws if what a transaction builds upon was found to be damaged, before it has a number.
  ///
  /// - Throws: ``StoreError`` with `journal`
  func checkReadable(_ payload: [UInt8], _ path: @autoclosure () -> String) throws(StoreError) {
    guard memory.hasLateRows else { return }
    // What is not whole is known as damage from then on.
    _ = state.hasWhatIsRead(by: payload.span.bytes, in: memory, space, catalog)
    if let damage = memory.damage { throw StoreError(.journal(damage), path: path()) }
  }

  /// Where the rows of an entity stand, in the order of creation.
  ///
  /// - Complexity: O(*n* log *n*)
  func locations(_ entity: Int) -> [RowLocation] {
    var rows: [(creation: UInt64, location: RowLocation)] = []
    rows.reserveCapacity(state.tables[entity].count)
    state.tables[entity].forEach(in: space) { _, location, creation in
      rows.append((creation, location))
    }
    rows.sort { $0.creation < $1.creation }
    return rows.map(\.location)
  }

  /// Where the rows stand that refer to a record by an attribute of their entity, which is told by its
  /// place in the newest layout; in the order of creation.
  ///
  /// - Complexity: O(log *n* + *r* log *r*) in the references to the record
  func referrers(to key: EntityKey, by referrer: Int, _ attribute: Int) -> [RowLocation] {
    var rows: [(creation: UInt64, location: RowLocation)] = []
    state.forEachReferrer(of: key.entity, key.id, in: memory, catalog, space) {
      entity, place, slot in
      guard entity == referrer, place == attribute else { return }
      let row = state.tables[entity].row(slot, in: space)
      rows.append((row.creation, row.location))
    }
    rows.sort { $0.creation < $1.creation }
    return rows.map(\.location)
  }

  /// The records in rows.
  ///
  /// - Throws: ``StoreError`` with `unknownValue`
  func records<R: Record>(
    at locations: [RowLocation], _ codec: RecordCodec<R>, path: String
  ) throws(StoreError) -> [R] {
    var records: [R] = []
    records.reserveCapacity(locations.count)
    for location in locations {
      let record = try memory.withWholeRow(at: location, catalog.layouts) {
        (row) throws(StoreError) in try codec.record(row, path: path)
      }
      if let record { records.append(record) }
    }
    return records
  }

  /// The records in rows of an entity.
  func records(at locations: [RowLocation], _ entity: Int) -> [DynamicRecord] {
    let catalog = catalog
    return locations.compactMap { location in
      memory.withWholeRow(at: location, catalog.layouts) {
        DynamicRecord($0, of: entity, in: catalog)
      }
    }
  }
}

/// A state as whoever edits it reads it, until the next edit.
struct UnpinnedState: ~Copyable, ReadableState {
  let state: StoreState
  let catalog: Catalog
  let memory: RowMemory
  let space: PageSpace

  init(_ state: StoreState, _ catalog: Catalog, _ memory: RowMemory, _ space: PageSpace) {
    self.state = state
    self.catalog = catalog
    self.memory = memory
    self.space = space
  }
}
