/// What has been changed since the last boundary: for each record what it is to be, in the order in
/// which the records were first changed.
struct PendingChanges {
  /// What a record is to be.
  struct PendingRow {
    var key: EntityKey
    /// Its row, of the newest layout; nil if it is to be deleted.
    var row: [UInt8]?
    /// Where the record is that is shown until the boundary; nil if nobody has looked, and none if there is no such
    /// record.
    var shown: RecordPlace?
  }

  private(set) var rows: [PendingRow] = []
  /// Where they are among all.
  private var places: [EntityKey: Int] = [:]
  /// Whether any of them is to be deleted, or was.
  private(set) var hasDeletions = false

  var isEmpty: Bool { rows.isEmpty }

  subscript(key: EntityKey) -> PendingRow? { places[key].map { rows[$0] } }

  mutating func set(_ key: EntityKey, to row: [UInt8]?, _ shown: RecordPlace? = nil) {
    if row == nil { hasDeletions = true }
    if let place = places[key] {
      rows[place].row = row
    } else {
      places[key] = rows.count
      rows.append(PendingRow(key: key, row: row, shown: shown))
    }
  }

  /// Forgets where records are, as what is shown is another state.
  mutating func forgetPlaces() {
    for index in rows.indices { rows[index].shown = nil }
  }

  mutating func removeAll() {
    // To keep room for many would cost each later boundary as much as they did.
    let keepsRoom = rows.count <= 16
    rows.removeAll(keepingCapacity: keepsRoom)
    places.removeAll(keepingCapacity: keepsRoom)
    hasDeletions = false
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

  /// Notes what a boundary has done to records, and what was there before the first change of each.
  ///
  /// - Parameter view: What is shown, in which the changes are not yet.
  mutating func note(_ changes: [ContextView.DraftChange], in view: ContextView) {
    for change in changes { note(change, in: view) }
  }

  private mutating func note(_ change: ContextView.DraftChange, in view: ContextView) {
    let attributeCount = view.catalog.newest(change.key.entity).attributePlaces.count
    let (place, knownCount) = (nextPlace, entries.count)
    change.net.note(
      in: &entries[
        change.key,
        default: (
          place,
          Entry(base: view.base(of: change), changed: AttributeSet(count: attributeCount))
        )
      ].entry.changed, attributeCount)
    if entries.count > knownCount { nextPlace += 1 }
  }

  mutating func remove(_ key: EntityKey) { entries[key] = nil }

  mutating func removeAll() { entries = [:] }
}

extension NetChange {
  /// Notes in some attributes those that it changed, of so many.
  fileprivate func note(in changed: inout AttributeSet, _ attributeCount: Int) {
    switch self {
    case .update(let some): changed.formUnion(some)
    case .insert, .delete: changed = AttributeSet(all: attributeCount)
    case .none: break
    }
  }
}
