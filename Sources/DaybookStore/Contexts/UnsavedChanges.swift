/// What has been changed since the last save: for each record what was there before, in the order in
/// which the records were first changed.
struct UnsavedChanges {
  struct Entry {
    /// The row in the store when the record was first changed; none if there was none.
    var base: RowLocation
    /// The attributes that were changed here. The others are those of the store.
    var changed: AttributeSet
  }

  private struct Noted {
    let key: EntityKey
    var entry: Entry
    /// Whether it was taken out again.
    var isRemoved = false
  }

  private var notes: [Noted] = []
  private var places = KeyPlaces()
  /// How many were not taken out again.
  private var count = 0

  var isEmpty: Bool { count == 0 }

  /// - Complexity: O(*n*)
  var keys: [EntityKey] { notes.compactMap { $0.isRemoved ? nil : $0.key } }

  /// Hands out each record and what is noted of it, in the order of ``keys``.
  ///
  /// - Complexity: O(*n*)
  func forEach(_ body: (EntityKey, Entry) -> Void) {
    for index in notes.indices where !notes[index].isRemoved {
      body(notes[index].key, notes[index].entry)
    }
  }

  subscript(key: EntityKey) -> Entry? {
    notes.isEmpty ? nil : place(key, KeyPlaces.hash(key)).map { notes[$0].entry }
  }

  private func place(_ key: EntityKey, _ hash: UInt32) -> Int? {
    places.place(hash) { !notes[$0].isRemoved && notes[$0].key == key }
  }

  private mutating func append(_ key: EntityKey, _ hash: UInt32, _ entry: Entry) {
    places.add(hash, at: notes.count)
    notes.append(Noted(key: key, entry: entry))
    count += 1
  }

  /// Notes a record behind all others, or another entry for one that is noted.
  mutating func set(_ key: EntityKey, to entry: Entry) {
    let hash = KeyPlaces.hash(key)
    if let place = place(key, hash) {
      notes[place].entry = entry
    } else {
      append(key, hash, entry)
    }
  }

  /// Notes what a boundary has done to records, and what was there before the first change of each.
  ///
  /// - Parameter view: What is shown, in which the changes are not yet.
  mutating func note(_ changes: [ContextView.DraftChange], in view: ContextView) {
    let catalog = view.catalog
    // By parts: to copy whole changes would count what each refers to.
    for index in changes.indices {
      let key = changes[index].key
      let attributeCount = catalog.newest(key.entity).attributePlaces.count
      let hash = KeyPlaces.hash(key)
      if let place = place(key, hash) {
        changes[index].net.note(in: &notes[place].entry.changed, attributeCount)
      } else {
        let base = view.base(of: key, shown: changes[index].old.location)
        var entry = Entry(base: base, changed: AttributeSet(count: attributeCount))
        changes[index].net.note(in: &entry.changed, attributeCount)
        append(key, hash, entry)
      }
    }
  }

  /// Forgets a record: if it is noted again it stands behind all others.
  ///
  /// - Complexity: O(1) on average
  mutating func remove(_ key: EntityKey) {
    guard let place = place(key, KeyPlaces.hash(key)) else { return }
    notes[place].isRemoved = true
    count -= 1
    if notes.count > 16 + 2 * count { dropRemoved() }
  }

  private mutating func dropRemoved() {
    let old = notes
    removeAll()
    for note in old where !note.isRemoved { append(note.key, KeyPlaces.hash(note.key), note.entry) }
  }

  mutating func removeAll() { self = UnsavedChanges() }
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
