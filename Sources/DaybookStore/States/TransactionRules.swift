/// The rules for the changes of one transaction among each other. The rules do not depend on the
/// records before the transaction.
///
/// Each transaction that is read gets a new value. The rules are checked when a transaction is
/// applied. They are also checked when a transaction is salvaged whose earlier transactions were
/// lost.
/// `Journal/PAYLOADS.md` lists the rules under "Well-formed transactions".
package struct TransactionRules {
  /// The records that the transaction has deleted, up to its first insert after a delete.
  private var deletes: [EntityKey] = []
  /// Nil until an insert follows a delete. After that insert, all deleted records. In a salvage,
  /// all changed records.
  private var deleted: Set<EntityKey>?

  package init() {}

  /// A Boolean value that indicates whether the transaction has not deleted a record.
  var hasNoDeletes: Bool { deletes.isEmpty && deleted == nil }

  /// Returns whether a change is the first one of its record.
  ///
  /// - Parameters:
  ///   - change: The kind of the change.
  ///   - entity: The index of the record's entity in the catalog.
  ///   - id: The record's identifier. It is evaluated only if the transaction has a delete.
  ///   - old: The location of the record's row before the change; none if the record does not
  ///     exist.
  ///   - payload: The locations of the transaction's own rows.
  @inline(__always)
  mutating func isFirst(
    _ change: ChangeKind, entity: Int, id: @autoclosure () -> RecordIdentifier?,
    replacing old: RowLocation, in payload: Range<UInt64>
  ) -> Bool {
    // The transaction itself wrote the old row, so this is not the record's first change.
    if old != .none, payload.contains(old.rawValue) { return false }
    if change == .update || change == .insert && hasNoDeletes { return true }
    guard let id = id() else { return false }
    return change == .insert
      ? !hasDeleted(EntityKey(entity, id: id)) : recordDelete(EntityKey(entity, id: id))
  }

  /// Returns whether a change is the first one of its record. This form is for a transaction whose
  /// earlier transactions are not available.
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
    // Most transactions have no insert after a delete, and need no set.
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
