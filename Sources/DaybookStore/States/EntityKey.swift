/// Which record: its entity's place in the catalog, and its identifier.
package struct EntityKey: Hashable, Sendable {
  package var entity: Int
  package var id: RecordIdentifier

  package init(_ entity: Int, _ id: RecordIdentifier) {
    self.entity = entity
    self.id = id
  }
}
