import DaybookStore

/// Records that may differ between two states, each found in both once, for all results that ask.
package struct ChangedRecords: Sendable {
  package let before: FrozenState
  package let after: FrozenState
  /// What they are called and where they are, by their entity's place in the catalog.
  private var ids: [[RecordIdentifier]] = []
  private var rows: [[TouchedRow]] = []

  /// - Parameter keys: The records, of any entity, that may have other values; each once. All others
  ///   are in both states as they were.
  /// - Complexity: O(*k* log *n*)
  package init(_ keys: [EntityKey], from before: FrozenState, to after: FrozenState) {
    self.before = before
    self.after = after
    for key in keys {
      let identifier = IdentifierBytes(key.id)
      let row = TouchedRow(
        old: TouchedRow.Place(identifier, key.entity, before),
        new: TouchedRow.Place(identifier, key.entity, after))
      guard row.old != nil || row.new != nil else { continue }
      while rows.count <= key.entity {
        ids.append([])
        rows.append([])
      }
      ids[key.entity].append(key.id)
      rows[key.entity].append(row)
    }
  }

  /// Where those of an entity are that are there before or after.
  func rows(of entity: Int) -> [TouchedRow] { entity < rows.count ? rows[entity] : [] }

  /// What these are called, in the same order.
  func ids(of entity: Int) -> [RecordIdentifier] { entity < ids.count ? ids[entity] : [] }
}
