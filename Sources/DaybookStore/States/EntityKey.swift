/// Which record: its entity's place in the catalog, and its identifier.
package struct EntityKey: Hashable, Sendable {
  package var entity: Int
  package var id: RecordIdentifier

  package init(_ entity: Int, _ id: RecordIdentifier) {
    self.entity = entity
    self.id = id
  }

  // Records are looked for by their keys wherever they are changed: numbers are one word to be mixed, not three.
  package func hash(into hasher: inout Hasher) {
    switch id {
    case .int(let number): hasher.combine(UInt64(bitPattern: number) ^ salt)
    case .uint(let number): hasher.combine(number ^ salt)
    case .string(let text):
      hasher.combine(salt)
      hasher.combine(text)
    case .uuid(let uuid):
      hasher.combine(salt)
      hasher.combine(uuid)
    }
  }

  /// The entity in bits that numbers seldom have.
  private var salt: UInt64 { UInt64(truncatingIfNeeded: entity).byteSwapped }
}
