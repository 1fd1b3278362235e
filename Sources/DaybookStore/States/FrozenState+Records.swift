extension FrozenState: FetchedRecordSource {
  func records<R: Record>(_ type: R.Type, in rows: FetchedRows) -> [R] {
    guard let codec = catalog.types.codec(type) else {
      preconditionFailure("the store was not opened with \(type)")
    }
    return records(codec, of: rows.entity, in: rows.slots)
  }

  func dynamicRecords(in rows: FetchedRows) -> [DynamicRecord] {
    dynamicRecords(of: rows.entity, in: rows.slots)
  }
}

extension FetchedRows {
  /// Creates the rows that a request found in a state.
  ///
  /// - Parameter slots: The slots of the rows in the entity's table, in the order of the records.
  package init(in state: FrozenState, of entity: Int, at slots: [UInt32]) {
    self.init(source: state, entity: entity, slots: slots)
  }
}

extension DynamicRecord {
  /// Creates the record of a verified, whole row; nil if the row's layout does not belong to the
  /// entity. The row must have no value outside of it. The record has the attributes of the newest
  /// layout.
  package init?(_ row: RawSpan, of entity: Int, in catalog: Catalog) {
    guard let number = Layout.number(of: row), let layout = catalog.layouts[number],
      catalog.entity(of: number) == entity
    else { return nil }
    self.init(row, of: layout, as: catalog.newest(entity), mapping: catalog.mapping(of: number))
  }
}
