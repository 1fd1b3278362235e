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

  private var entries: [EntityKey: (place: Int, entry: Entry)] = [:]
  private var nextPlace = 0

  var isEmpty: Bool { entries.isEmpty }

  /// - Complexity: O(*n* log *n*)
  var keys: [EntityKey] {
    // One is what most saves have.
    if entries.count < 2 { return Array(entries.keys) }
    return entries.sorted { $0.value.place < $1.value.place }.map(\.key)
  }

  subscript(key: EntityKey) -> Entry? { entries[key]?.entry }

  /// Notes a record behind all others, or another entry for one that is noted.
  mutating func set(_ key: EntityKey, to entry: Entry) {
    let noted = entries.updateValue((nextPlace, entry), forKey: key)
    if let noted { entries[key]?.place = noted.place } else { nextPlace += 1 }
  }

  mutating func remove(_ key: EntityKey) { entries[key] = nil }

  mutating func removeAll() { entries = [:] }
}
