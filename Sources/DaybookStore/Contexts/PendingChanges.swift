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
