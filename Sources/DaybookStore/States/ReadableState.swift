/// A state with everything that it is read from: one that stays as it is, or one that a context shows.
package protocol ReadableState {
  var state: StoreState { get }
  var catalog: Catalog { get }
  var memory: RowMemory { get }
  var space: PageSpace { get }
}

extension FrozenState: ReadableState {}

extension ReadableState {
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
  func records<R: Record>(at locations: [RowLocation], _ codec: RecordCodec<R>) -> [R] {
    locations.compactMap { location in
      memory.withWholeRow(at: location, catalog.layouts) { codec.record($0) }
    }
  }

  /// The records in rows of an entity.
  func records(at locations: [RowLocation], _ entity: Int) -> [DynamicRecord] {
    let history = catalog.history[entity]
    return locations.compactMap { location in
      memory.withWholeRow(at: location, catalog.layouts) { DynamicRecord($0, history: history) }
    }
  }
}
