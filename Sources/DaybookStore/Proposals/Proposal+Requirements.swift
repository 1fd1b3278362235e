extension Proposal {
  /// A record that the changes of a proposal depend on, without changing it. The save fails if the
  /// store does not contain the record as the program has read it.
  package struct Requirement: Sendable {
    /// The index of the entity in the catalog.
    var entity: Int
    var id: RecordIdentifier
    /// The attributes that must have the values of the row.
    var attributes: AttributeSet
    /// A row of the newest layout; nil if the record must not exist.
    var row: [UInt8]?
  }

  /// Returns the requirements that a state does not meet, as conflicts.
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

  /// Returns the difference between a requirement and a state; nil if the state meets the
  /// requirement.
  private static func difference(
    _ requirement: Requirement, in state: borrowing StateReader
  ) -> ConflictingChange.Requirement? {
    let location = state.location(of: IdentifierBytes(requirement.id), in: requirement.entity)
    guard let required = requirement.row else { return location == .none ? nil : .absent }
    if location == .none { return .present }
    let layout = state.catalog.newest(requirement.entity)
    let stored = state.newestRow(at: location, of: requirement.entity)
    let changed = layout.fields.indices.filter {
      requirement.attributes.contains($0)
        && !layout.isEqual($0, in: required.span.bytes, and: stored.span.bytes)
    }
    if changed.isEmpty { return nil }
    return .unchanged(attributes: changed.map { layout.entity.attributes[$0].name })
  }
}
