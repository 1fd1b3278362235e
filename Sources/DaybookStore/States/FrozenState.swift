import DaybookJournal

/// An immutable state, with everything that is needed to read it.
///
/// Any thread may read it. It is a class, because each access to a row passes the state. Copying
/// its contents would cost more than the access.
@usableFromInline
package final class FrozenState: Sendable {
  package let reader: StateReader
  /// The state that readers of the store saw when this state had more changes: those of a context,
  /// or transactions in flight. Nil for a state that readers see, and for an earlier moment.
  package let published: FrozenState?
  private let pin: PagePin
  // The bytes of the file. The row memory keeps them alive. Each row is extracted with a check of
  // its bounds.
  @usableFromInline nonisolated(unsafe) let file: UnsafeRawBufferPointer
  @usableFromInline let checked: CheckedRange

  /// Creates an immutable version of the current state of a ``StateReader``. Only the caller that
  /// may edit the reader's ``PageSpace`` may call this initializer.
  package init(_ reader: consuming StateReader, published: FrozenState? = nil) {
    self.published = published
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

  /// Calls a closure with the bytes from a location on. The bytes start with the verified row, or
  /// with a substitute if the row is damaged. The function is always inlined, also into other
  /// modules.
  @inlinable @inline(__always)
  package func withRow<Result>(at location: RowLocation, _ body: (RawSpan) -> Result) -> Result {
    withExtendedLifetime(self) {
      if checked.contains(location) {
        return body(file.bytes.extracting(Int(location.rawValue)..<file.count))
      }
      return body(otherBytes(at: location).bytes)
    }
  }

  /// Returns the bytes from a location on. The location is in memory, or before the checkpoint in
  /// the file, where rows are verified when they are first read. The state keeps the bytes alive.
  @usableFromInline
  func otherBytes(at location: RowLocation) -> UnsafeRawBufferPointer {
    // The returned pointer stays valid while the row memory exists, because payload heaps and
    // payloads in flight do not move their bytes.
    memory.withBytes(at: location) { bytes in bytes.withUnsafeBytes { $0 } }
  }

  /// Throws an error if any read, on any thread, has found damage in the file. Results that were
  /// computed from the bytes are then unreliable.
  ///
  /// - Throws: ``StoreError`` with `journal`
  package func checkWhole(_ path: @autoclosure () -> String) throws(StoreError) {
    if let damage = memory.damage { throw StoreError(.journal(damage), path: path()) }
  }

  /// Returns whether two states use the page space of one store; a store that reads a replaced
  /// journal gets a new space.
  package func isOfSameStore(as other: FrozenState) -> Bool {
    // The space of a context or of an earlier moment is a fork of the store's space and has the
    // same `lower` directory.
    space.lower.chunks == other.space.lower.chunks
  }

  /// Returns a fork of the state's space, for the edits of a context or of a walk through the
  /// history.
  package func fork() -> PageSpace { PageSpace(over: pin) }

  /// Returns the records of an entity that were inserted, changed, or deleted between another state
  /// of the store and this one. Each record is returned once.
  ///
  /// - Complexity: O(pages that the two states do not share)
  func changed(in entity: Int, since other: FrozenState) -> [EntityKey] {
    var keys: Set<EntityKey> = []
    var found: [EntityKey] = []
    func record(_ slot: UInt32, of state: FrozenState) {
      let key = EntityKey(entity, id: state.reader.identifier(ofSlot: slot, in: entity))
      if keys.insert(key).inserted { found.append(key) }
    }
    forEachDifference(in: entity, from: other) { slot, row, otherRow in
      if row != .none { record(slot, of: self) }
      if otherRow != .none { record(slot, of: other) }
    }
    return found
  }

  /// Calls a closure with each slot of an entity that differs between two states of the store: the
  /// slot contains different records, different rows of one record, or a record in one state only.
  ///
  /// - Complexity: O(pages that the two states do not share)
  package func forEachDifference(
    in entity: Int, from other: FrozenState,
    _ body: (_ slot: UInt32, _ location: RowLocation, _ other: RowLocation) -> Void
  ) {
    let table = entity < state.tables.count ? state.tables[entity] : nil
    let otherTable = entity < other.state.tables.count ? other.state.tables[entity] : nil
    guard let table, let otherTable else {
      // The entity was added after one of the states.
      table?.forEach(in: space) { slot, row, _ in body(slot, row, .none) }
      otherTable?.forEach(in: other.space) { slot, row, _ in body(slot, .none, row) }
      return
    }
    table.forEachDifference(in: space, from: otherTable, in: other.space, body)
  }

  /// Calls a closure with a record's row, including its stored values, and returns the result; nil
  /// if the record does not exist.
  package func withRow<Result, Failure: Error>(
    of key: IdentifierBytes, in entity: Int, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    let location = reader.location(of: key, in: entity)
    if location == .none { return nil }
    return try memory.withCompleteRow(at: location, layouts: catalog.layouts, body)
  }
}

/// Functions that read many records by their slots; the slots can be in any order.
extension FrozenState {
  /// Returns the identifiers of the records in slots, in the order of the slots.
  ///
  /// - Complexity: O(slots)
  package func identifiers(ofSlots slots: [UInt32], in entity: Int) -> [RecordIdentifier] {
    state.tables[entity].identifiers(of: slots, in: space)
      ?? slots.map { reader.identifier(ofSlot: $0, in: entity) }
  }

  /// Returns the identifiers of the records in slots, in the order of the slots, as values of a
  /// Swift type.
  ///
  /// - Complexity: O(slots)
  package func identifiers<ID: RecordIdentifierConvertible>(
    ofSlots slots: [UInt32], in entity: Int, as type: ID.Type
  ) -> [ID] {
    if let found = state.tables[entity].identifiers(of: slots, as: type, in: space) {
      return found
    }
    return identifiers(ofSlots: slots, in: entity).map { identifier in
      guard let id = ID(identifier) else { preconditionFailure("\(identifier) is not a \(type)") }
      return id
    }
  }

  /// Returns the records in slots, in the order of the slots.
  ///
  /// Rows are spread over the file. The function looks up all locations, and touches all rows,
  /// before it reads the first row. So the processor can load many rows from memory at the same
  /// time.
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
        let exists = withRow(at: row) { bytes in
          Layout.hasStoredValues(bytes)
            ? memory.withCompleteRow(at: row, layouts: layouts) {
              codec.initialize(record, with: $0)
            }
            : codec.initialize(record, with: bytes)
        }
        precondition(exists, "slot \(slots[count]) of \(catalog.names[entity]) has no row")
        count += 1
      }
    }
  }

  /// Returns the records in slots of an entity's table, in the order of the slots, for programs
  /// that have no record type for the entity.
  ///
  /// - Complexity: O(slots)
  func dynamicRecords(of entity: Int, in slots: [UInt32]) -> [DynamicRecord] {
    let catalog = catalog
    return locations(of: slots, in: entity).map { row in
      let record = memory.withCompleteRow(at: row, layouts: catalog.layouts) {
        DynamicRecord($0, of: entity, in: catalog)
      }
      guard let record else {
        preconditionFailure("the row of \(catalog.names[entity]) cannot be read as a record")
      }
      return record
    }
  }

  private func locations(of slots: [UInt32], in entity: Int) -> [RowLocation] {
    let table = state.tables[entity]
    let space = space
    return slots.map { table.row($0, in: space).location }
  }

  /// Reads one byte of each row that is in the file, so that the row is loaded into the processor's
  /// cache.
  private func touch(_ rows: [RowLocation]) {
    var sum: UInt8 = 0
    for row in rows where row.rawValue < UInt64(file.count) { sum ^= file[Int(row.rawValue)] }
    FrozenState.use(sum)
  }

  /// Keeps the optimizer from removing reads with unused results.
  @inline(never) @_optimize(none)
  private static func use(_ byte: UInt8) {}
}
