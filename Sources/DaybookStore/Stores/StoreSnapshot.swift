import DaybookJournal

/// The records of a store as of one transaction: frozen, for as long as somebody has it.
///
/// ```swift
/// let before = store.snapshot
/// try await store.write { context in … }
/// print(before.count(of: Bank.self))   // as it was
/// ```
///
/// Any thread may read it. It costs nothing but the pages that have changed since.
public struct StoreSnapshot: Sendable {
  package let frozen: FrozenState
  package let types: RecordTypes
  /// The journal, as the caller named it.
  public let path: String

  init(_ frozen: FrozenState, _ types: RecordTypes, path: String) {
    self.frozen = frozen
    self.types = types
    self.path = path
  }

  /// The last transaction in it.
  public var sequence: SequenceNumber { frozen.state.sequence }
  /// The time of that transaction.
  public var time: JournalTime { frozen.state.time }

  /// How many records of a type there are.
  ///
  /// - Complexity: O(1)
  public func count<R: Record>(of type: R.Type) -> Int {
    guard let entity = frozen.catalog.index(of: R.schema.entity) else { return 0 }
    return frozen.state.tables[entity].count
  }

  /// The record with an identifier, or nil if there is none.
  ///
  /// - Complexity: O(1)
  public func object<R: Record>(_ type: R.Type, _ id: R.ID) throws(StoreError) -> R? {
    let codec = try codec(type)
    guard let entity = frozen.catalog.index(of: R.schema.entity) else { return nil }
    let key = IdentifierBytes(id.recordIdentifier)
    return frozen.withRow(entity, key) { codec.record($0) } ?? nil
  }

  /// The record that a reference leads to, or nil if there is none.
  public func object<R: Record>(_ reference: Reference<R>?) throws(StoreError) -> R? {
    guard let reference else { return nil }
    return try object(R.self, reference.id)
  }

  /// All records of a type, in the order in which they were made.
  ///
  /// - Complexity: O(*n* log *n*)
  public func objects<R: Record>(_ type: R.Type) throws(StoreError) -> [R] {
    let codec = try codec(type)
    guard let entity = frozen.catalog.index(of: R.schema.entity) else { return [] }
    var rows: [(creation: UInt64, location: RowLocation)] = []
    frozen.state.tables[entity].forEach(in: frozen.space) { _, location, creation in
      rows.append((creation, location))
    }
    rows.sort { $0.creation < $1.creation }
    return rows.compactMap { row in frozen.memory.withBytes(at: row.location) { codec.record($0) } }
  }

  func codec<R: Record>(_ type: R.Type) throws(StoreError) -> RecordCodec<R> {
    guard let codec = types.codec(type) else {
      throw StoreError(.unknownType("\(type)"), path: path)
    }
    return codec
  }
}
