/// An attribute of a newest layout whose references must lead to records that exist when a change
/// sets them.
///
/// A required reference is guarded, and so are references that the schema declares as checked. An
/// array always has a value, so `required` does not apply to its elements.
struct GuardedReference: Sendable {
  /// The entity that has the attribute.
  let entity: Int
  /// The index of the attribute in the newest layout.
  let attribute: Int
  let name: String
  let target: EntityReference
  let isArray: Bool
  /// A Boolean value that indicates whether the target of the reference cannot be deleted.
  let isRequired: Bool
  let deleteRule: DeleteRule

  /// Creates the guarded reference of an attribute; nil if the attribute is not one.
  init?(_ definition: AttributeDefinition, at attribute: Int, of entity: Int) {
    switch definition.type {
    case .reference(let target) where definition.isRequired || definition.isChecked:
      self.target = target
      isArray = false
    case .references(let target) where definition.isChecked:
      self.target = target
      isArray = true
    case .scalar, .array, .reference, .references: return nil
    }
    self.entity = entity
    self.attribute = attribute
    name = definition.name
    isRequired = definition.isRequiredReference
    deleteRule = definition.deleteRule
  }
}

extension AttributeDefinition {
  /// A Boolean value that indicates whether each record must refer to a record that exists.
  var isRequiredReference: Bool {
    if case .reference = type { isRequired } else { false }
  }
}
