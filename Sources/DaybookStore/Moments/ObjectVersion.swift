import DaybookJournal

/// One change of a record of a type, with the transaction that contains it.
///
/// ```swift
/// for version in try store.history(of: Article.self, id: 7) {
///   print("\(version.time): \(version.old?.title ?? "-") to \(version.new?.title ?? "-")")
/// }
/// ```
public struct ObjectVersion<R: Record>: Sendable {
  /// The number of the transaction.
  public let sequence: SequenceNumber
  /// The time of the transaction.
  public let time: JournalTime
  /// The metadata of the transaction.
  public let metadata: TransactionMetadata
  /// The change, with values by name.
  public let change: RecordChange
  /// The record before the change; nil if it did not exist.
  public let old: R?
  /// The record after the change; nil if it does not exist.
  public let new: R?

  /// The kind of the change.
  public var kind: RecordChange.Kind { change.kind }

  fileprivate init(
    _ version: RecordVersion, codec: RecordCodec<R>, path: String
  ) throws(StoreError) {
    sequence = version.sequence
    time = version.time
    metadata = version.metadata
    change = version.change
    old = try change.record(at: change.change.old, codec: codec, path: path)
    new = try change.record(at: change.change.new, codec: codec, path: path)
  }
}

extension Store {
  /// Returns all changes of one record with their transactions, the oldest first.
  ///
  /// If the journal has a base, the state of the record in the base is not a change, and is not
  /// included.
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - id: The identifier of the record.
  /// - Throws: ``StoreError`` with `unknownType`, or `unknownValue`
  /// - Complexity: That of the history by the entity's name
  public func history<R: Record>(
    of type: R.Type, id: R.ID
  ) throws(StoreError) -> [ObjectVersion<R>] {
    _ = try snapshot.codec(type)
    guard snapshot.frozen.catalog.index(of: R.schema.entity) != nil else { return [] }
    let versions = try history(of: R.schema.entity, id: id.recordIdentifier)
    // A followed journal may have gained a layout. A codec of a later state can read all versions.
    let now = snapshot
    let codec = try now.codec(type)
    let objects = Result { () throws(StoreError) in
      try versions.map { (version) throws(StoreError) in
        try ObjectVersion(version, codec: codec, path: path)
      }
    }
    try now.frozen.checkWhole(path)
    return try objects.get()
  }
}
