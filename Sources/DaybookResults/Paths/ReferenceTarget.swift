import DaybookStore

/// What a reference leads to: it is nil if there is no such record.
struct ReferenceTarget: Sendable {
  /// Nil if there is no such entity.
  let entity: Int?
  let kind: IdentifierKind

  /// The target of the reference that a path ends at; nil if it ends at none.
  init?(_ path: ValuePath, in catalog: Catalog) {
    guard case .reference(let target) = path.end else { return nil }
    self.init(target, in: catalog)
  }

  /// The target of a reference.
  init(_ target: EntityReference, in catalog: Catalog) {
    entity = catalog.index(of: target.entity)
    kind = target.identifierKind
  }

  func isThere(_ bytes: RawSpan, in frozen: FrozenState) -> Bool {
    guard let entity, let key = IdentifierBytes(kind, bytes) else { return false }
    return frozen.location(entity, key) != .none
  }
}
