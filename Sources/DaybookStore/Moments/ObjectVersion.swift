import DaybookJournal

/// One change of a record, with the record's values before and after the change, and the
/// transaction that contains the change.
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
  /// The change, which provides the values by attribute name.
  public let change: RecordChange
  /// The record before the change; nil if the change inserted the record.
  public let old: R?
  /// The record after the change; nil if the change deleted the record.
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
  /// If the journal was compacted, its base contains the record's state at that time. This state is
  /// not a change, so the result does not include it.
  ///
  /// - Parameters:
  ///   - type: The type of the record.
  ///   - id: The identifier of the record.
  /// - Throws: ``StoreError`` with `unknownType` if the store was opened without the type, or with
  ///   `unknownValue` if the type cannot represent a value of the history
  /// - Complexity: The same as for the method that takes the name of the entity
  public func history<R: Record>(
    of type: R.Type, id: R.ID
  ) throws(StoreError) -> [ObjectVersion<R>] {
    _ = try snapshot.codec(type)
    guard snapshot.frozen.catalog.index(of: R.schema.entity) != nil else { return [] }
    let versions = try history(of: R.schema.entity, id: id.recordIdentifier)
    // If the store follows a journal, a layout may have been added during this call. The codec of a
    // state that is read after the versions knows the layouts of all versions.
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
