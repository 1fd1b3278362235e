import DaybookJournal

/// A state that stays as it is, with everything that it is read from.
///
/// Any thread may read it. A class, as whoever looks at a row hands it on, and to copy what is in it would
/// cost more than the look.
@usableFromInline
package final class FrozenState: Sendable {
  package let reader: StateReader
  private let pin: PagePin
  // The bytes of the file, which the memory keeps. Each row is cut out of them with its bounds checked.
  @usableFromInline nonisolated(unsafe) let file: UnsafeRawBufferPointer
  @usableFromInline let checked: CheckedRange

  /// Creates the state that a reader has now. It is an act of the writer of the space.
  package init(_ reader: consuming StateReader) {
    pin = reader.space.pin()
    file = reader.memory.file.withSpan { bytes in bytes.withUnsafeBytes { $0 } }
    checked = reader.memory.checked
    self.reader = reader
  }

  package var state: StoreState { reader.state }
  package var catalog: Catalog { reader.catalog }
  package var memory: RowMemory { reader.memory }
  package var space: PageSpace { reader.space }
  package var sequence: SequenceNumber { reader.state.sequence }

  /// Hands out the bytes from a location on; a row that has been found whole there is at their
  /// beginning. The closure is a part of the caller, also in other modules.
  @inlinable @inline(__always)
  package func withRow<Result>(at location: RowLocation, _ body: (RawSpan) -> Result) -> Result {
    withExtendedLifetime(self) {
      if checked.contains(location) {
        return body(file.bytes.extracting(Int(location.rawValue)..<file.count))
      }
      return body(otherBytes(at: location).bytes)
    }
  }

  /// The bytes from a location in memory on, or in what is checked late, which the state keeps.
  @usableFromInline
  func otherBytes(at location: RowLocation) -> UnsafeRawBufferPointer {
    // Chunks of heaps and payloads on their way stay where they are for as long as the memory is there.
    memory.withBytes(at: location) { bytes in bytes.withUnsafeBytes { $0 } }
  }

  /// Throws if anything that was read so far, by whomever, was found to be damaged: what was made of it cannot
  /// be relied upon.
  ///
  /// - Throws: ``StoreError`` with `journal`
  package func checkWhole(_ path: @autoclosure () -> String) throws(StoreError) {
    if let damage = memory.damage { throw StoreError(.journal(damage), path: path()) }
  }

  /// Whether another is a state of the same store, read from the same journal.
  package func isOfSameStore(as other: FrozenState) -> Bool {
    // Contexts and earlier moments have spaces of their own, over the store's.
    space.lower.chunks == other.space.lower.chunks
  }

  /// A space that begins as this state is, for what is not saved.
  package func fork() -> PageSpace { PageSpace(over: pin) }

  /// The records of an entity that are there, are others, or are no more, against another state of
  /// the same store; each once.
  ///
  /// - Complexity: O(pages that the two do not share)
  func changed(in entity: Int, since other: FrozenState) -> [EntityKey] {
    var keys: Set<EntityKey> = []
    var found: [EntityKey] = []
    func note(_ slot: UInt32, of state: FrozenState) {
      let key = EntityKey(entity, id: state.reader.identifier(ofSlot: slot, in: entity))
      if keys.insert(key).inserted { found.append(key) }
    }
    forEachDifference(in: entity, from: other) { slot, row, otherRow in
      if row != .none { note(slot, of: self) }
      if otherRow != .none { note(slot, of: other) }
    }
    return found
  }

  /// Hands out each slot of an entity in which another record stands than in another state of the same store, or
  /// another row of one, or in which one of the two has none.
  ///
  /// - Complexity: O(pages that the two do not share)
  package func forEachDifference(
    in entity: Int, from other: FrozenState,
    _ body: (_ slot: UInt32, _ location: RowLocation, _ other: RowLocation) -> Void
  ) {
    let table = entity < state.tables.count ? state.tables[entity] : nil
    let otherTable = entity < other.state.tables.count ? other.state.tables[entity] : nil
    guard let table, let otherTable else {
      // There was no such entity yet on one side.
      table?.forEach(in: space) { slot, row, _ in body(slot, row, .none) }
      otherTable?.forEach(in: other.space) { slot, row, _ in body(slot, .none, row) }
      return
    }
    table.forEachDifference(in: space, from: otherTable, in: other.space, body)
  }

  /// Hands out the row of a record, or answers nil if there is none.
  package func withRow<Result, Failure: Error>(
    of key: IdentifierBytes, in entity: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let location = reader.location(of: key, in: entity)
    if location == .none { return nil }
    return try memory.withWholeRow(at: location, layouts: catalog.layouts, body)
  }
}

/// Reading many records by their slots, in any order.
extension FrozenState {
  /// The identifiers of the records in some slots, in their order.
  ///
  /// - Complexity: O(slots)
  package func identifiers(ofSlots slots: [UInt32], in entity: Int) -> [RecordIdentifier] {
    state.tables[entity].identifiers(of: slots, in: space)
      ?? slots.map { reader.identifier(ofSlot: $0, in: entity) }
  }

  /// The identifiers of the records in some slots, in their order, as values of the type that these have.
  ///
  /// - Complexity: O(slots)
  package func identifiers<ID: RecordIdentifierConvertible>(
    ofSlots slots: [UInt32], in entity: Int, as type: ID.Type
  ) -> [ID] {
    if let found = state.tables[entity].identifiers(of: slots, as: type, in: space) {
      return found
    }
    return identifiers(ofSlots: slots, in: entity).map { identifier in
      guard let id = ID(identifier) else { preconditionFailure("\(identifier) is no \(type)") }
      return id
    }
  }

  /// The records in some slots, in their order.
  ///
  /// Rows lie anywhere: that all of them are looked up, and touched, before the first is read lets the
  /// machine wait for many at a time.
  ///
  /// - Complexity: O(slots)
  package func records<R: Record>(
    _ codec: RecordCodec<R>, of entity: Int, in slots: [UInt32]
  ) -> [R] {
    let rows = locations(of: slots, in: entity)
    touch(rows)
    let layouts = catalog.layouts
    return [R](unsafeUninitializedCapacity: rows.count) { records, count in
      guard let first = records.baseAddress else { return }
      for row in rows {
        let record = first + count
        let isThere = withRow(at: row) { bytes in
          Layout.hasStoredValues(bytes)
            ? memory.withWholeRow(at: row, layouts: layouts) { codec.initialize(record, with: $0) }
            : codec.initialize(record, with: bytes)
        }
        precondition(isThere, "slot \(slots[count]) of \(catalog.names[entity]) has no row")
        count += 1
      }
    }
  }

  /// Returns the records in slots of an entity's table, in order, for programs that do not know their type.
  ///
  /// - Complexity: O(slots)
  func dynamicRecords(of entity: Int, in slots: [UInt32]) -> [DynamicRecord] {
    let catalog = catalog
    return locations(of: slots, in: entity).map { row in
      let record = memory.withWholeRow(at: row, layouts: catalog.layouts) {
        DynamicRecord($0, of: entity, in: catalog)
      }
      guard let record else {
        preconditionFailure("a row of \(catalog.names[entity]) cannot be read as a record")
      }
      return record
    }
  }

  private func locations(of slots: [UInt32], in entity: Int) -> [RowLocation] {
    let table = state.tables[entity]
    let space = space
    return slots.map { table.row($0, in: space).location }
  }

  /// Reads a byte of each row that lies in the file.
  private func touch(_ rows: [RowLocation]) {
    var sum: UInt8 = 0
    for row in rows where row.rawValue < UInt64(file.count) { sum ^= file[Int(row.rawValue)] }
    FrozenState.note(sum)
  }

  /// Keeps the optimizer from leaving out reads whose result nobody needs.
  @inline(never) @_optimize(none)
  private static func note(_ byte: UInt8) {}
}
