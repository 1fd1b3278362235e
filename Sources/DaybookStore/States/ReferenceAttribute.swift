/// An attribute of a newest layout that refers to one record or to any number of records.
struct ReferenceAttribute: Sendable {
  /// The entity that has the attribute.
  let entity: Int
  /// The index of the attribute in the newest layout.
  let attribute: Int
  let name: String
  let target: EntityReference
  let isArray: Bool
  /// A Boolean value that indicates whether each record must refer to a record that exists. An
  /// array always has a value, so `required` does not apply to its elements.
  let isRequired: Bool
  /// A Boolean value that indicates whether a change can set the reference only to a record that
  /// exists. That is so for a required reference, for one that the schema declares as checked, and
  /// for one whose record must not survive its target.
  let isGuarded: Bool
  /// The effect of deleting the record on its target.
  let ownDeleteRule: DeleteRule
  /// The effect of deleting the target on the record.
  let targetDeleteRule: DeleteRule

  /// Creates the reference of an attribute; nil if the attribute is not one.
  init?(_ definition: AttributeDefinition, at attribute: Int, of entity: Int) {
    switch definition.type {
    case .reference(let target):
      self.target = target
      isArray = false
    case .references(let target):
      self.target = target
      isArray = true
    case .scalar, .array: return nil
    }
    self.entity = entity
    self.attribute = attribute
    name = definition.name
    isRequired = definition.isRequiredReference
    ownDeleteRule = definition.ownDeleteRule
    targetDeleteRule = definition.targetDeleteRule
    isGuarded =
      isRequired || definition.isChecked || targetDeleteRule == .cascade
      || targetDeleteRule == .deny
  }

  /// A Boolean value that indicates whether the reference prevents the deletion of its target.
  var deniesDeletion: Bool {
    targetDeleteRule == .deny || isRequired && targetDeleteRule != .cascade
  }

  /// Returns the identifiers that the reference contains in a row of the newest layout.
  func targets(in row: RawSpan, of layout: Layout) -> [RecordIdentifier] {
    guard let range = layout.range(of: attribute, in: row) else { return [] }
    let value = row.extracting(range)
    let kind = target.identifierKind
    guard isArray else { return RecordIdentifier(kind, bytes: value).map { [$0] } ?? [] }
    guard let list = ElementList(value, byteCount: kind.byteCount) else { return [] }
    return (0..<list.count).compactMap {
      RecordIdentifier(kind, bytes: value.extracting(list.range($0, in: value)))
    }
  }

  /// Returns a row of the newest layout without the references to a record; nil if it has none.
  func row(_ row: [UInt8], of layout: Layout, without target: EntityKey, id: RecordIdentifier)
    -> [UInt8]?
  {
    let targets = targets(in: row.span.bytes, of: layout)
    let remaining = targets.filter { $0 != target.id }
    guard remaining.count < targets.count else { return nil }
    let value: AttributeValue = isArray ? .array(remaining.map { .reference($0) }) : .null
    return layout.row(row.span.bytes, setting: attribute, to: value, id: id)
  }
}

extension AttributeDefinition {
  /// A Boolean value that indicates whether each record must refer to a record that exists.
  var isRequiredReference: Bool {
    if case .reference = type { isRequired } else { false }
  }
}

extension Catalog {
  /// Returns the references of a record that deny its deletion, because records that it owns still
  /// exist.
  ///
  /// - Parameters:
  ///   - row: The row of the record, in the newest layout.
  ///   - exists: Returns whether a record exists after the deletion.
  func denials(
    ofDeleting key: EntityKey, row: [UInt8], exists: (EntityKey) -> Bool
  ) -> [ValidationProblem] {
    let layout = newest(key.entity)
    return references(of: key.entity).compactMap { reference in
      guard reference.ownDeleteRule == .deny, let target = index(of: reference.target.entity),
        reference.targets(in: row.span.bytes, of: layout).contains(where: {
          exists(EntityKey(target, id: $0))
        })
      else { return nil }
      return ValidationProblem(
        entity: layout.entity.name, id: key.id, kind: .deletionDenied(attribute: reference.name))
    }
  }
}
