import DaybookJournal

/// The idempotency key of a transaction that a compaction dropped.
///
/// The metadata of a base contains these keys, in the order of their transactions:
///
/// ```
/// "idempotencyKeys":[["order 7",12,"2026-05-01T08:00:00Z"]]
/// ```
///
/// An exported text contains them too, because metadata is exported and imported unchanged.
package struct RetainedKey: Hashable, Sendable {
  var key: String
  var sequence: SequenceNumber
  var time: JournalTime

  /// The maximum number of keys of a base. A store has as many of its journal's keys.
  package static let countMax = 100_000
  /// The maximum size of all keys of a base, in bytes of UTF-8. Without a limit, long keys could
  /// make a base too large for its frame.
  static let byteCountMax = 64 << 20

  init(_ key: String, of sequence: SequenceNumber, at time: JournalTime) {
    (self.key, self.sequence, self.time) = (key, sequence, time)
  }

  /// Creates a key from an element of the member; nil if the element has a different form.
  fileprivate init?(_ value: JSONValue) {
    guard case .array(let parts) = value, parts.count == 3, case .string(let key) = parts[0],
      case .number(let number) = parts[1], case .integer(let integer) = number.value,
      let sequence = UInt64(exactly: integer), case .string(let string) = parts[2],
      let time = try? JournalTimeText.time(string)
    else { return nil }
    self.init(key, of: SequenceNumber(sequence), at: time)
  }

  fileprivate var value: JSONValue {
    .array([
      .string(key), .number(JSONNumber(Int64(clamping: sequence.rawValue))),
      .string(JournalTimeText.text(of: time)),
    ])
  }

  /// Returns the newest keys that a base can contain, the oldest first.
  static func fitting(_ keys: [RetainedKey]) -> ArraySlice<RetainedKey> {
    let newest = keys.suffix(RetainedKey.countMax)
    var byteCount = 0
    let tooOld = newest.lastIndex { retained in
      byteCount += retained.key.utf8.count
      return byteCount > byteCountMax
    }
    return newest.suffix(from: tooOld.map { $0 + 1 } ?? newest.startIndex)
  }
}

extension TransactionMetadata {
  fileprivate static let idempotencyKeysName = "idempotencyKeys"

  /// Whether the metadata has a member for the keys of dropped transactions.
  var hasRetainedKeys: Bool { value(forKey: TransactionMetadata.idempotencyKeysName) != nil }

  /// The idempotency keys of dropped transactions, the oldest first; empty if the metadata has no
  /// valid list of them.
  var retainedKeys: [RetainedKey] {
    get {
      guard case .array(let values)? = value(forKey: TransactionMetadata.idempotencyKeysName),
        values.count <= RetainedKey.countMax
      else { return [] }
      var keys: [RetainedKey] = []
      keys.reserveCapacity(values.count)
      for value in values {
        guard let retained = RetainedKey(value), retained.sequence > keys.last?.sequence ?? .zero
        else {
          return []
        }
        keys.append(retained)
      }
      return keys
    }
    set {
      let values = RetainedKey.fitting(newValue).map(\.value)
      setValue(
        values.isEmpty ? nil : .array(values), forKey: TransactionMetadata.idempotencyKeysName)
    }
  }
}
