extension Proposal {
  /// A record that must be in the store what the program has read, although the proposal does not change it.
  package struct Requirement: Sendable {
    /// The entity's place in the catalog.
    var entity: Int
    var id: RecordIdentifier
    /// The attributes that must have the values of the row.
    var attributes: AttributeSet
    /// A row of the newest layout; nil if there must be no such record.
    var row: [UInt8]?
  }

  /// The requirements that a state does not meet.
  func unmetRequirements(
    in state: borrowing StateReader
  ) -> [ConflictingChange] {
    var unmet: [ConflictingChange] = []
    for requirement in requirements {
      guard let kind = Proposal.difference(requirement, in: state) else { continue }
      unmet.append(
        ConflictingChange(
          entity: state.catalog.names[requirement.entity], id: requirement.id,
          kind: .required(kind)))
    }
    return unmet
  }

  /// What another writer has done to a record that must be unchanged; nil if it is unchanged.
  private static func difference(
    _ requirement: Requirement, in state: borrowing StateReader
  ) -> ConflictingChange.Requirement? {
    let location = state.location(of: IdentifierBytes(requirement.id), in: requirement.entity)
    guard let required = requirement.row else { return location == .none ? nil : .absent }
    if location == .none { return .present }
    let layout = state.catalog.newest(requirement.entity)
    let stored = state.newestRow(at: location, of: requirement.entity)
    let changed = layout.places.indices.filter {
      requirement.attributes.contains($0)
        && !layout.isEqual($0, in: required.span.bytes, and: stored.span.bytes)
    }
    if changed.isEmpty { return nil }
    return .unchanged(attributes: changed.map { layout.entity.attributes[$0].name })
  }
}
