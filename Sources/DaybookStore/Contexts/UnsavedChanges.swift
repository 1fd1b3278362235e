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

/// The creation numbers of records that are not saved, in the order in which they got them.
struct DraftCreations {
  private struct Given {
    let key: EntityKey
    let creation: UInt64
  }

  private var given: [Given] = []
  private var places = KeyPlaces()

  /// - Complexity: O(*n*)
  var keys: [EntityKey] { given.map(\.key) }

  subscript(key: EntityKey) -> UInt64? {
    given.isEmpty ? nil : place(key, KeyPlaces.hash(key)).map { given[$0].creation }
  }

  private func place(_ key: EntityKey, _ hash: UInt32) -> Int? {
    places.place(hash) { given[$0].key == key }
  }

  /// Adds a record that has none.
  mutating func add(_ key: EntityKey, _ creation: UInt64) {
    places.add(KeyPlaces.hash(key), at: given.count)
    given.append(Given(key: key, creation: creation))
  }

  /// Those of some of the records.
  func filter(_ isKept: (EntityKey) -> Bool) -> DraftCreations {
    var kept = DraftCreations()
    for one in given where isKept(one.key) { kept.add(one.key, one.creation) }
    return kept
  }
}

/// What several changes of one record come to, between two moments.
///
/// | before | after | values | net change |
/// | ------ | ----- | ------ | ---------- |
/// | absent | absent | – | none |
/// | absent | present | – | insert |
/// | present | absent | – | delete |
/// | present | present | differ | update |
/// | present | present | equal | none |
///
/// What happened in between does not matter: changed and deleted is a delete, inserted and deleted is
/// nothing, deleted and inserted again is an update, written with an equal value is nothing.
package enum NetChange: Hashable, Sendable {
  case none
  case insert
  case delete
  case update(AttributeSet)

  /// The net change between two rows of one layout, each nil if there is no record then.
  package init(from old: [UInt8]?, to new: [UInt8]?, _ layout: Layout) {
    switch (old, new) {
    case (nil, nil): self = .none
    case (nil, _?): self = .insert
    case (_?, nil): self = .delete
    case (let old?, let new?): self.init(from: old.span.bytes, to: new.span.bytes, layout)
    }
  }

  /// The net change between two rows of one layout.
  package init(from old: RawSpan, to new: RawSpan, _ layout: Layout) {
    let changed = layout.changedAttributes(from: old, to: new)
    self = changed.isEmpty ? .none : .update(changed)
  }
}

/// What has been changed since the last boundary: for each record what it is to be, in the order in
/// which the records were first changed.
struct PendingChanges {
  /// What a record is to be.
  struct PendingRow {
    var key: EntityKey
    /// Its row, of the newest layout; nil if it is to be deleted.
    var row: [UInt8]?
    /// The record that is shown until the boundary; nil if nobody has looked.
    var shown: ContextView.Shown?
    /// What the row comes to for that; nil if it is not known.
    var net: NetChange?
  }

  private(set) var rows: [PendingRow] = []
  /// Where they are among all.
  private var places = KeyPlaces()
  /// Whether any of them is to be deleted, or was.
  private(set) var hasDeletions = false

  var isEmpty: Bool { rows.isEmpty }

  subscript(key: EntityKey) -> PendingRow? {
    rows.isEmpty ? nil : place(key, KeyPlaces.hash(key)).map { rows[$0] }
  }

  private func place(_ key: EntityKey, _ hash: UInt32) -> Int? {
    places.place(hash) { rows[$0].key == key }
  }

  /// - Parameters:
  ///   - shown: The record that is shown, if it is not pending yet and somebody has looked.
  ///   - net: What the row comes to for that, if it is known.
  mutating func set(
    _ key: EntityKey, to row: [UInt8]?, _ shown: ContextView.Shown? = nil, _ net: NetChange? = nil
  ) {
    if row == nil { hasDeletions = true }
    let hash = KeyPlaces.hash(key)
    if let place = place(key, hash) {
      rows[place].row = row
      rows[place].net = nil
    } else {
      places.add(hash, at: rows.count)
      rows.append(PendingRow(key: key, row: row, shown: shown, net: net))
    }
  }

  /// Forgets the records that were shown, as what is shown is another state.
  mutating func forgetShown() {
    for index in rows.indices {
      rows[index].shown = nil
      rows[index].net = nil
    }
  }

  mutating func removeAll() {
    // To keep room for many would cost each later boundary as much as they did.
    let keepsRoom = rows.count <= 16
    rows.removeAll(keepingCapacity: keepsRoom)
    places.removeAll(keepingCapacity: keepsRoom)
    hasDeletions = false
  }
}
