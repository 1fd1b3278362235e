/// The entity that a layout belongs to, by the names in its definition.
///
/// A name belongs to one entity forever, also after the entity was renamed. So a layout belongs to
/// the entity that has or had one of its two names.
enum EntityMembership: Hashable {
  /// No entity has had one of the names.
  case new
  /// The entity with this current name.
  case of(String)
  /// The two names belong to different entities.
  case contradicts

  /// Creates the membership of a definition.
  ///
  /// - Parameter currentName: Returns the current name of the entity that has or had a name; nil if
  ///   there is none.
  init(_ entity: EntityDefinition, currentName: (String) -> String?) {
    let own = currentName(entity.name)
    let earlier = entity.earlierName.flatMap(currentName)
    switch (own, earlier) {
    case (nil, nil): self = .new
    case (let name?, nil), (nil, let name?): self = .of(name)
    case (let name?, let other?): self = name == other ? .of(name) : .contradicts
    }
  }
}

extension Layout {
  /// Returns the layout with the new names of renamed entities, or the same layout if it contains
  /// none of them.
  ///
  /// - Parameter newName: Returns the current name of an entity for an earlier one; nil if the name
  ///   is current.
  func renamed(_ newName: (String) -> String?) -> Layout {
    var definition: EntityDefinition?
    if let name = newName(entity.name) {
      definition = entity
      definition?.name = name
    }
    for (index, attribute) in entity.attributes.enumerated() {
      guard let target = attribute.type.target, let name = newName(target.entity) else { continue }
      if definition == nil { definition = entity }
      definition?.attributes[index].type = attribute.type.leading(
        to: EntityReference(name, identifierKind: target.identifierKind))
    }
    return definition.map { Layout(number: number, of: $0) } ?? self
  }
}

extension AttributeType {
  /// Returns the type with a different target, if it is a reference.
  fileprivate func leading(to target: EntityReference) -> AttributeType {
    switch self {
    case .reference: .reference(target)
    case .references: .references(target)
    case .scalar, .array: self
    }
  }
}
