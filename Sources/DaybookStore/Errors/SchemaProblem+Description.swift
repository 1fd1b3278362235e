extension SchemaProblem: CustomStringConvertible {
  /// A sentence that describes the problem.
  public var description: String {
    switch self {
    case .identifierTwice(let entity):
      "two record types of \(entity) have identifiers of different types. Use one type in both."
    case .declaredTwice(let entity, let attribute):
      """
      two record types declare \(entity).\(attribute) differently. Its type, its default and its \
      options must be the same in both.
      """
    case .noName(let entity):
      entity.isEmpty ? "an entity has no name." : "an attribute of \(entity) has no name."
    case .duplicateAttribute(let entity, let attribute):
      "\(entity) has two attributes named \(attribute)."
    case .reservedAttributeName(let entity):
      "an attribute of \(entity) is named id, which is reserved for the identifier."
    case .propertyTwice(let entity, let first, let second):
      """
      \(entity).\(first) and \(entity).\(second) have the same property. Declare one attribute for each \
      property.
      """
    case .referenceAsAttribute(let entity, let attribute, hasSeveral: false):
      """
      \(entity).\(attribute) is a reference, but is declared with attribute(). Declare it with reference() \
      or owned().
      """
    case .referenceAsAttribute(let entity, let attribute, hasSeveral: true):
      """
      \(entity).\(attribute) contains references, but is declared with attribute(). Declare it with \
      references() or owned().
      """
    case .unknownTarget(let entity, let attribute, let target):
      "\(entity).\(attribute) refers to \(target), but the store was not opened with \(target)."
    case .inverse(let entity, let attribute, let target, let inverse):
      """
      the inverse of \(entity).\(attribute) is declared as \(target).\(inverse), which does not refer \
      back to it.
      """
    case .inverseIsAttribute(let entity, let attribute, let target, let inverse):
      """
      the inverse of \(entity).\(attribute) is named \(inverse), but \(target) has an attribute with this \
      name. An inverse is computed: remove the attribute, or name the inverse differently.
      """
    case .inverseTwice(let target, let inverse, let first, let second):
      "\(first) and \(second) both declare the inverse \(target).\(inverse)."
    case .cascadeOnArray(let entity, let attribute):
      """
      \(entity).\(attribute) has several references and declares whenTargetDeleted: .cascade. Only a reference \
      to one record can cascade. Use .nullify, .deny or .none.
      """
    case .inverseCalledIdentifier(let entity, let attribute):
      "the inverse of \(entity).\(attribute) is named id, which is reserved for the identifier."
    case .emptyUnique(let entity):
      "unique() of \(entity) names no attribute. Name at least one attribute, or remove unique()."
    case .unknownUnique(let entity, let attribute):
      "unique() of \(entity) names \(attribute), which is not an attribute of \(entity)."
    case .uniqueArray(let entity, let attribute):
      "unique() of \(entity) names \(attribute), which has several values."
    case .emptyIndex(let entity):
      "indexed() of \(entity) names no attribute. Name at least one attribute, or remove indexed()."
    case .unknownIndexed(let entity, let attribute):
      "indexed() of \(entity) names \(attribute), which is not an attribute of \(entity)."
    case .indexedArray(let entity, let attribute):
      "indexed() of \(entity) names \(attribute), which has several values."
    case .indexedTwice(let entity, let attribute):
      "indexed() of \(entity) names \(attribute) twice. Name each attribute once."
    case .unknownSearchable(let entity, let attribute):
      "searchable() of \(entity) names \(attribute), which is not an attribute of \(entity)."
    case .searchableNotString(let entity, let attribute):
      "searchable() of \(entity) names \(attribute), which is not a string."
    case .removedAndNamed(let entity, let attribute):
      "a schema of \(entity) both removes and declares \(attribute). Do only one of the two."
    case .renamedTwice(let entity, let earlier, let first, let second):
      "\(entity).\(first) and \(entity).\(second) are both renamed from \(earlier)."
    case .renameToUsedName(let entity, let attribute, let earlier):
      """
      \(entity).\(earlier) cannot be renamed to \(attribute), as the journal has an attribute of that \
      name. Declare that one under another name with renamedFrom: "\(attribute)", or keep both and \
      leave out renamedFrom: "\(earlier)". The journal was not changed.
      """
    case .varyingDefault(let entity, let attribute):
      """
      init() sets \(entity).\(attribute) to a different value each time, so older records would read \
      differently in every process. Declare the attribute with a fixed default:. The journal was not \
      changed.
      """
    case .entityRenamedFromTwo(let entity, let first, let second):
      """
      two record types declare \(entity), one renamed from \(first) and one from \(second). Declare \
      the same earlier name in both.
      """
    case .entityRenamedTwice(let earlier, let first, let second):
      "\(first) and \(second) are both renamed from \(earlier)."
    case .entityRenamedToUsedName(let entity, let earlier):
      """
      \(earlier) cannot be renamed to \(entity), as both entities are in use. Leave out \
      renamedFrom: "\(earlier)", and move the records in a migration step. The journal was not changed.
      """
    case .entityRenamedAway(let entity, let name):
      """
      \(entity) was renamed to \(name) in the journal, and no other entity can have its name. Declare \
      the entity as \(name), or rename it with renamedFrom: "\(name)". The journal was not changed.
      """
    case .migrationOrder(let step, let version):
      """
      the migration step \(step) follows version \(version). The version of each step must be above \
      the one before it, and the first above 0. The journal was not changed.
      """
    case .missingDefault(let entity, let attribute):
      """
      \(entity).\(attribute) is new and required, but older records have no value for it. Declare it \
      with a default:, or make it required after each record has a value. The journal was not changed.
      """
    }
  }
}
