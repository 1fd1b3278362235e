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
