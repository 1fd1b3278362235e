import DaybookJournal

/// An immutable view of the records of a store, as of one transaction.
///
/// ```swift
/// let before = store.snapshot
/// try await store.write { context in … }
/// print(try before.count(of: Bank.self))   // the count before the write
/// ```
///
/// A snapshot can be read on any thread. Taking one copies no records, because the store and its
/// snapshots share pages of memory. A page that the store changes later stays in memory until the
/// last snapshot with it is released.
public struct StoreSnapshot: Sendable {
  package let frozen: FrozenState
  /// The path of the journal, as the caller passed it.
  public let path: String

  package init(_ frozen: FrozenState, path: String) {
    self.frozen = frozen
    self.path = path
  }

  /// The sequence number of the last transaction in the snapshot.
  public var sequence: SequenceNumber { frozen.state.sequence }
  /// The time of the last transaction in the snapshot.
  public var time: JournalTime { frozen.state.time }

  /// Returns the number of records of a type.
  ///
  /// - Throws: ``StoreError`` with `unknownType`
  /// - Complexity: O(1)
  public func count<R: Record>(of type: R.Type) throws(StoreError) -> Int {
    _ = try codec(type)
    guard let entity = frozen.catalog.index(of: R.schema.entity) else { return 0 }
    return frozen.state.tables[entity].count
  }

  /// Returns the number of records of an entity; 0 if the journal has no entity of this name.
  ///
  /// - Complexity: O(1)
  public func count(of entity: String) -> Int {
    frozen.catalog.index(of: entity).map { frozen.state.tables[$0].count } ?? 0
  }

  /// Returns the record with an identifier, or nil if it does not exist.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `unknownValue`
  /// - Complexity: O(1)
  public func object<R: Record>(_ type: R.Type, id: R.ID) throws(StoreError) -> R? {
    let codec = try codec(type)
    guard let entity = frozen.catalog.index(of: R.schema.entity) else { return nil }
    let key = IdentifierBytes(id.recordIdentifier)
    let record = Result { () throws(StoreError) in
      try frozen.withRow(of: key, in: entity) { row throws(StoreError) in
        try codec.record(row, path: path)
      }
    }
    try frozen.checkWhole(path)
    return try record.get() ?? nil
  }

  /// Returns the record that a reference points to, or nil if it does not exist or the reference is
  /// nil.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `unknownValue`
  public func object<R: Record>(_ reference: Reference<R>?) throws(StoreError) -> R? {
    guard let reference else { return nil }
    return try object(R.self, id: reference.id)
  }

  /// Returns all records of a type, in the order of their creation.
  ///
  /// - Throws: ``StoreError`` with `unknownType`, or `unknownValue`
  /// - Complexity: O(*n* log *n*)
  public func objects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    let codec = try codec(type)
    guard let entity = frozen.catalog.index(of: R.schema.entity) else { return [] }
    let records = Result { () throws(StoreError) in
      try frozen.reader.records(at: frozen.reader.locations(of: entity), codec, path: path)
    }
    try frozen.checkWhole(path)
    return try records.get()
  }

  /// Returns the record of an entity with an identifier, or nil if it does not exist.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`
  public func object(_ entity: String, id: RecordIdentifier) throws(StoreError) -> DynamicRecord? {
    let index = try index(of: entity)
    let catalog = frozen.catalog
    let record =
      frozen.withRow(of: IdentifierBytes(id), in: index) {
        DynamicRecord($0, of: index, in: catalog)
      }
      ?? nil
    try frozen.checkWhole(path)
    return record
  }

  /// Returns all records of an entity, in the order of their creation.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`
  /// - Complexity: O(*n* log *n*)
  public func objects(_ entity: String) throws(StoreError) -> [DynamicRecord] {
    let index = try index(of: entity)
    let records = frozen.reader.records(at: frozen.reader.locations(of: index), of: index)
    try frozen.checkWhole(path)
    return records
  }

  /// Calls a closure with each record of an entity, in the order of their creation. Unlike
  /// ``objects(_:)``, the method does not keep the records in memory.
  ///
  /// - Throws: ``StoreError`` with `unknownEntity`, and the errors of the closure
  /// - Complexity: O(*n* log *n*)
  @_spi(Tools) public func forEachObject(
    of entity: String, _ body: (DynamicRecord) throws -> Void
  ) throws {
    let index = try index(of: entity)
    let locations = frozen.reader.locations(of: index)
    for start in stride(from: 0, to: locations.count, by: 256) {
      let piece = Array(locations[start..<min(start + 256, locations.count)])
      let records = frozen.reader.records(at: piece, of: index)
      try frozen.checkWhole(path)
      for record in records { try body(record) }
    }
  }

  /// The newest known definition of each entity, in the order of their introduction in the journal.
  public var entities: [EntityDefinition] {
    frozen.catalog.names.indices.map { frozen.catalog.newest($0).entity }
  }

  private func index(of entity: String) throws(StoreError) -> Int {
    guard let index = frozen.catalog.index(of: entity) else {
      throw StoreError(.unknownEntity(entity), path: path)
    }
    return index
  }

  func codec<R: Record>(_ type: R.Type) throws(StoreError) -> RecordCodec<R> {
    guard let codec = frozen.catalog.types.codec(type) else {
      throw StoreError(.unknownType("\(type)"), path: path)
    }
    return codec
  }
}

extension StoreSnapshot: CustomStringConvertible {
  /// The path of the journal, the last transaction and the counts, in one line: `StoreSnapshot:
  /// banks.daybook after transaction 7, 5 records of 2 entities`.
  public var description: String { "StoreSnapshot: \(stateDescription)" }

  fileprivate var stateDescription: String {
    let entityCount = frozen.catalog.names.count
    let recordCount = (0..<entityCount).reduce(0) { $0 + frozen.state.tables[$1].count }
    let records = recordCount == 1 ? "1 record" : "\(recordCount) records"
    let entities = entityCount == 1 ? "1 entity" : "\(entityCount) entities"
    return "\(path) after transaction \(sequence), \(records) of \(entities)"
  }
}

extension Store: CustomStringConvertible {
  /// The path of the journal, the last transaction that readers see, and the counts, in one line:
  /// `Store: banks.daybook after transaction 7, 5 records of 2 entities`.
  public var description: String { "Store: \(snapshot.stateDescription)" }
}

extension StoreSnapshot {
  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// ```swift
  /// let staff = try snapshot.records(referringTo: department.id, by: \Employee.department)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The identifier of the record.
  ///   - keyPath: A property that the schema declares as a reference to one record.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*), where *r* is the number of references to the record
  public func records<R: Record, Target: Record>(
    referringTo id: Target.ID, by keyPath: KeyPath<R, Reference<Target>?>
  ) throws(StoreError) -> [R] {
    try frozen.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: path)
  }

  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// - Parameters:
  ///   - id: The identifier of the record.
  ///   - keyPath: A property that the schema declares as references to any number of records.
  /// - Throws: ``StoreError`` with `unknownType` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*), where *r* is the number of references to the record
  public func records<R: Record, Target: Record>(
    referringTo id: Target.ID, by keyPath: KeyPath<R, [Reference<Target>]>
  ) throws(StoreError) -> [R] {
    try frozen.reader.referrers(
      to: id.recordIdentifier, of: Target.schema.entity, by: keyPath, path: path)
  }

  /// Returns the records that refer to a record, in the order of their creation.
  ///
  /// - Parameters:
  ///   - id: The identifier of the record.
  ///   - entity: The entity of the record.
  ///   - inverse: The name of the inverse. Each inverse belongs to one attribute of the referring
  ///     entity.
  /// - Throws: ``StoreError`` with `unknownEntity` or `unknownAttribute`
  /// - Complexity: O(log *n* + *r* log *r*), where *r* is the number of references to the record
  public func records(
    referringTo id: RecordIdentifier, of entity: String, by inverse: String
  ) throws(StoreError) -> [DynamicRecord] {
    try frozen.reader.inverse(inverse, of: entity, id: id, path: path)
  }
}

extension StateReader {
  func referrers<R: Record>(
    to id: RecordIdentifier, of target: String, by keyPath: PartialKeyPath<R>, path: String
  ) throws(StoreError) -> [R] {
    guard let codec = catalog.types.codec(R.self), let entity = catalog.index(of: R.schema.entity)
    else { throw StoreError(.unknownType("\(R.self)"), path: path) }
    guard let name = R.schema.attribute(at: keyPath),
      let attribute = catalog.newest(entity).entity.index(of: name)
    else {
      throw StoreError(
        .unknownAttribute(entity: R.schema.entity, attribute: "\(keyPath)"), path: path)
    }
    guard let target = catalog.index(of: target) else { return [] }
    let rows = referrers(to: EntityKey(target, id: id), from: entity, attribute: attribute)
    return try records(at: rows, codec, path: path)
  }

  func inverse(
    _ name: String, of entity: String, id: RecordIdentifier, path: String
  ) throws(StoreError) -> [DynamicRecord] {
    guard let target = catalog.index(of: entity) else {
      throw StoreError(.unknownEntity(entity), path: path)
    }
    guard let (referrer, attribute) = catalog.inverse(name, of: target) else {
      throw StoreError(.unknownAttribute(entity: entity, attribute: name), path: path)
    }
    let rows = referrers(to: EntityKey(target, id: id), from: referrer, attribute: attribute)
    return records(at: rows, of: referrer)
  }
}
