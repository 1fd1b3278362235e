/// What has been changed since the last boundary: for each record what it is to be, in the order in
/// which the records were first changed.
struct PendingChanges {
  /// What a record is to be.
  struct PendingRow {
    /// Its row, of the newest layout; nil if it is to be deleted.
    var row: [UInt8]?
  }

  private(set) var order: [EntityKey] = []
  private var targets: [EntityKey: PendingRow] = [:]

  var isEmpty: Bool { order.isEmpty }

  subscript(key: EntityKey) -> PendingRow? { targets[key] }

  mutating func set(_ key: EntityKey, to row: [UInt8]?) {
    if targets.updateValue(PendingRow(row: row), forKey: key) == nil { order.append(key) }
  }

  mutating func removeAll() {
    order = []
    targets = [:]
  }
}

/// What has been changed since the last save: for each record what was there before, in the order in
/// which the records were first changed.
struct UnsavedChanges {
  struct Entry {
    /// The row in the store when the record was first changed; none if there was none.
    var base: RowLocation
    /// The attributes that were changed here. The others are those of the store.
    var changed: AttributeSet
  }

  private(set) var order: [EntityKey] = []
  private var entries: [EntityKey: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }
  var keys: [EntityKey] { order.filter { entries[$0] != nil } }

  subscript(key: EntityKey) -> Entry? {
    get { entries[key] }
    set {
      if entries.updateValue(newValue, forKey: key) == nil, newValue != nil { order.append(key) }
    }
  }

  mutating func remove(_ key: EntityKey) {
    guard entries.removeValue(forKey: key) != nil else { return }
    order.removeAll { $0 == key }
  }

  mutating func removeAll() {
    order = []
    entries = [:]
  }
}

extension Dictionary {
  fileprivate mutating func updateValue(_ value: Value?, forKey key: Key) -> Value? {
    guard let value else { return removeValue(forKey: key) }
    return updateValue(value, forKey: key)
  }
}
