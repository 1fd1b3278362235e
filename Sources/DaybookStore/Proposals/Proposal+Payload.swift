import DaybookJournal

extension Proposal {
  /// Returns the payload of the proposal, for a transaction that follows a state. The base of each
  /// change must be the location of the record's row in that state.
  package func payload(
    on now: borrowing StateReader,
    layouts: PayloadLayouts
  ) -> [UInt8] {
    let memory = now.memory
    var storedValues = self.storedValues
    var nextCreation = now.state.nextCreation
    // The rows with large values, by the index of their change. Such a row is rewritten: a
    // reference replaces the value, and the value is stored in a separate section of the payload.
    // Most transactions have no such row.
    var rows: [Int: [UInt8]] = [:]
    for index in changes.indices
    where namesStoredValues || changes[index].row.count > StoredValue.byteCountMin {
      let change = changes[index]
      let row = self.rows.bytes.span.bytes.extracting(change.row)
      guard change.kind != .delete else { continue }
      let layout = now.catalog.layout(ofRow: row, of: change.entity)
      rows[index] = layout.moving(row) {
        $0
      } store: { valueIndex, value in
        memory.stored(
          value, at: valueIndex, of: layout, after: change.base, else: &storedValues)
      }
    }
    var writer = PayloadWriter(
      layouts: layouts, storedValues: storedValues.bytes, changeCount: changes.count,
      rowByteCount: rows.reduce(self.rows.count) {
        $0 - changes[$1.key].row.count + $1.value.count
      }, metadata: metadata)
    let section = UInt32(writer.storedValuesOffset)
    for index in changes.indices {
      if rows.isEmpty, changes[index].kind == .insert {
        // This path is for large transactions, which are mostly inserts. The change is read in
        // place, because a copy would retain and release objects.
        let creation = changes[index].creation ?? nextCreation
        nextCreation = max(nextCreation, creation + 1)
        writer.insert(
          self.rows.bytes.span.bytes.extracting(changes[index].row), creation: creation)
        continue
      }
      let change = changes[index]
      let stored = rows[index]
      let bytes = stored ?? self.rows.bytes
      let row = bytes.span.bytes.extracting(stored.map { 0..<$0.count } ?? change.row)
      let layout = now.catalog.layout(ofRow: row, of: change.entity)
      switch change.kind {
      case .insert:
        let creation = change.creation ?? nextCreation
        nextCreation = max(nextCreation, creation + 1)
        writer.insert(row, creation: creation)
      case .update:
        let creation = memory.withBytes(at: change.base) { Layout.creation(of: $0) }
        let previous = memory.position(of: change.base)
        writer.update(row, creation: creation, after: previous, changed: change.changed)
      case .delete:
        writer.delete(change.id, in: layout, after: memory.position(of: change.base))
      }
      if stored != nil { writer.shiftStoredValues(of: layout, by: section) }
    }
    return writer.finish()
  }

  /// The number of creation numbers that the proposal needs.
  var newCreationCount: Int { changes.count { $0.kind == .insert && $0.creation == nil } }
}

extension Catalog {
  /// Returns the layout of a row of an entity. For the empty row of a delete, returns the newest
  /// layout.
  fileprivate func layout(ofRow row: RawSpan, of entity: Int) -> Layout {
    Layout.number(of: row).flatMap { layouts[$0] } ?? newest(entity)
  }
}

extension RowMemory {
  /// Adds a large value to the section of stored values, and returns a reference to it. If the
  /// record's previous row has an equal value at this index, adds nothing, and returns the
  /// reference to that value.
  ///
  /// - Parameter index: The index of the value in the layout's table of ends.
  func stored(
    _ value: RawSpan, at index: Int, of layout: Layout, after previous: RowLocation,
    else section: inout RowBuffer
  ) -> StoredValue {
    let checksum = XXH64.checksum(value, seed: 0)
    if previous != .none, let known = storedValue(index, of: layout, in: previous),
      known.checksum == checksum, known.length == value.byteCount,
      withStoredValue(
        known, of: previous,
        body: { bytes in
          guard let bytes else { return false }
          return bytesAreEqual(bytes, and: value)
        })
    {
      return known
    }
    defer { section.append(value) }
    return StoredValue(
      sequence: 0, offset: UInt32(section.count), length: UInt32(value.byteCount),
      checksum: checksum)
  }

  /// Returns the reference of a row to a stored value, for use in a later transaction. Such a
  /// reference contains the number of the transaction that contains the value. Returns nil if the
  /// row contains the value itself, or has a different layout.
  func storedValue(
    _ index: Int, of layout: Layout, in location: RowLocation
  ) -> StoredValue? {
    withBytes(at: location) { row in
      guard Layout.number(of: row) == layout.number, layout.isStored(index, in: row),
        let range = layout.variableRange(index, in: row),
        var value = StoredValue(row.extracting(range))
      else { return nil }
      if value.sequence == 0 { value.sequence = position(of: location).sequence }
      return value.sequence == 0 ? nil : value
    }
  }
}
