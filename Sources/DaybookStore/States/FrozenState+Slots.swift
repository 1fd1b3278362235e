import DaybookJournal

/// Reading many records by their slots, in any order.
extension FrozenState {
  /// The identifier of the record in a slot.
  package func identifier(_ entity: Int, _ slot: UInt32) -> RecordIdentifier {
    state.identifier(entity, slot, in: memory, catalog, space)
  }

  /// The identifiers of the records in some slots, in their order.
  ///
  /// - Complexity: O(slots)
  package func identifiers(_ entity: Int, in slots: [UInt32]) -> [RecordIdentifier] {
    state.tables[entity].identifiers(in: slots, space) ?? slots.map { identifier(entity, $0) }
  }

  /// The identifiers of the records in some slots, in their order, as values of the type that these have.
  ///
  /// - Complexity: O(slots)
  package func identifiers<ID: RecordIdentifierConvertible>(
    _ entity: Int, in slots: [UInt32], as type: ID.Type
  ) -> [ID] {
    if let found = state.tables[entity].identifiers(in: slots, as: type, space) { return found }
    return identifiers(entity, in: slots).map { identifier in
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
    let rows = locations(of: slots, entity)
    touch(rows)
    let layouts = catalog.layouts
    return [R](unsafeUninitializedCapacity: rows.count) { records, count in
      guard let first = records.baseAddress else { return }
      for row in rows {
        let record = first + count
        let isThere = withRow(at: row) { bytes in
          Layout.hasStoredValues(bytes)
            ? memory.withWholeRow(at: row, layouts) { codec.initialize(record, with: $0) }
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
    return locations(of: slots, entity).map { row in
      let record = memory.withWholeRow(at: row, catalog.layouts) {
        DynamicRecord($0, of: entity, in: catalog)
      }
      guard let record else {
        preconditionFailure("a row of \(catalog.names[entity]) cannot be read as a record")
      }
      return record
    }
  }

  private func locations(of slots: [UInt32], _ entity: Int) -> [RowLocation] {
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
