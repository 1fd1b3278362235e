extension FrozenState: FetchedRecordSource {
  func records<R: Record>(_ type: R.Type, in rows: FetchedRows) -> [R] {
    guard let codec = catalog.types.codec(type) else {
      preconditionFailure("\(type) is no type of the store")
    }
    return records(codec, of: rows.entity, in: rows.slots)
  }

  func dynamicRecords(in rows: FetchedRows) -> [DynamicRecord] {
    dynamicRecords(of: rows.entity, in: rows.slots)
  }
}

extension FetchedRows {
  /// Creates the rows of a state that a request has found.
  ///
  /// - Parameter slots: The slots of the rows in the entity's table, in the order of the records.
  package init(in state: FrozenState, of entity: Int, at slots: [UInt32]) {
    self.init(source: state, entity: entity, slots: slots)
  }
}

extension DynamicRecord {
  /// Creates the record of a row that has been found whole and has all its values; nil if its layout is none
  /// of the entity's. The values are those of the newest layout's attributes.
  package init?(_ row: RawSpan, of entity: Int, in catalog: Catalog) {
    guard let number = Layout.number(of: row), let layout = catalog.layouts[number],
      catalog.entity(of: number) == entity
    else { return nil }
    self.init(row, of: layout, as: catalog.newest(entity), mapping: catalog.mapping(of: number))
  }
}
