/// The rules that the changes of one transaction obey among themselves, independent of the records
/// before it.
///
/// Each transaction that is read has its own value. The rules are checked when a transaction is
/// applied, and when a transaction is salvaged after its predecessors were lost.
/// `Journal/PAYLOADS.md` lists the rules under "Well-formed transactions".
package struct TransactionRules {
  /// The records that the transaction has deleted, up to its first insert after a delete.
  private var deletes: [EntityKey] = []
  /// All deleted records, from that insert on. In a salvage, all changed records.
  private var deleted: Set<EntityKey>?

  package init() {}

  /// A Boolean value that indicates whether the transaction has not deleted a record.
  var hasNoDeletes: Bool { deletes.isEmpty && deleted == nil }

  /// Returns whether a change is the first one of its record.
  ///
  /// - Parameters:
  ///   - change: The kind of the change.
  ///   - entity: The index of the record's entity in the catalog.
  ///   - id: The record's identifier. It is read only where a delete is involved.
  ///   - old: The location of the record's row before the change; none if there is no such record.
  ///   - payload: The locations of the transaction's own rows.
  @inline(__always)
  mutating func isFirst(
    _ change: ChangeKind, entity: Int, id: @autoclosure () -> RecordIdentifier?,
    replacing old: RowLocation, in payload: Range<UInt64>
  ) -> Bool {
    // The transaction itself wrote such a row.
    if old != .none, payload.contains(old.rawValue) { return false }
    if change == .update || change == .insert && hasNoDeletes { return true }
    guard let id = id() else { return false }
    return change == .insert
      ? !hasDeleted(EntityKey(entity, id: id)) : recordDelete(EntityKey(entity, id: id))
  }

  /// Returns whether a change is the first one of its record, where the rows before the transaction
  /// are not known.
  mutating func isFirst(of key: EntityKey) -> Bool {
    deleted = deleted ?? []
    return deleted?.insert(key).inserted ?? false
  }

  private mutating func hasDeleted(_ key: EntityKey) -> Bool {
    let known = deleted ?? Set(deletes)
    deleted = known
    deletes = []
    return known.contains(key)
  }

  private mutating func recordDelete(_ key: EntityKey) -> Bool {
    // Most transactions that delete insert nothing afterwards, and need no set.
    guard deleted != nil else {
      deletes.append(key)
      return true
    }
    deleted?.insert(key)
    return true
  }

  /// Returns whether bytes are an identifier of a kind. A string must be UTF-8 in normal form C.
  static func isIdentifier(_ bytes: RawSpan, of kind: IdentifierKind) -> Bool {
    guard kind == .string else { return bytes.byteCount == kind.byteCount }
    return RowText.isNormal(bytes)
  }

  /// Returns whether a row contains its identifier itself, and not the location of a stored value.
  @inline(__always)
  static func hasIdentifier(_ row: RawSpan, of layout: Layout) -> Bool {
    layout.identifierByteCount > 0 || !layout.isStored(0, in: row)
  }

  /// Returns whether a record can have a creation number.
  static func isCreation(_ number: UInt64) -> Bool {
    number > 0 && number <= Layout.creationMax
  }
}
