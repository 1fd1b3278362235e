import DaybookJournal
import DaybookStore

/// Parsing of the header of a text.
extension TextSchema {
  /// The version of the text journal that this build reads and writes.
  static let version = 1

  /// Returns a Boolean value that indicates whether the first line of a text is a header. A header
  /// is a JSON object with a key that only headers have.
  static func isHeader(_ line: LineReader.Line, path: String) throws(TextJournalError) -> Bool {
    var reader = TextReader(line, path: path)
    guard try reader.peek() == .object else { return false }
    try reader.beginObject()
    var keys = JSONKeys()
    var isHeader = false
    while let key = try reader.nextKey(&keys) {
      if key == "tx" { return false }
      if key == "daybook" { return true }
      if key == "entities" || key == "base" { isHeader = true }
      try reader.skipValue()
    }
    return isHeader
  }

  /// Reads a line as the header.
  mutating func readHeader(_ line: LineReader.Line, path: String) throws(TextJournalError) {
    var reader = TextReader(line, path: path)
    var keys = JSONKeys()
    var hasVersion = false
    var found: [HeaderEntity] = []
    try reader.beginObject()
    let start = reader.offset
    while let key = try reader.nextKey(&keys) {
      switch key {
      case "daybook":
        let version = try reader.readInteger()
        hasVersion = true
        if version != TextSchema.version {
          throw reader.error(
            .version, at: reader.offset,
            sentence:
              "the text journal has version \(version), but only version \(TextSchema.version) can be read."
          )
        }
      case "base":
        let sequence = try reader.readInteger()
        guard sequence > 0 else {
          throw reader.error(
            .base, at: reader.offset,
            sentence: "expected a base of transaction 1 or later, found \(sequence).")
        }
        base = (SequenceNumber(UInt64(sequence)), reader.position(at: reader.offset))
      case "entities": found = try TextSchema.readEntities(&reader)
      default:
        throw reader.error(
          .unknownKey, at: reader.offset,
          sentence:
            "unknown key \(TextReader.quoted(key)) in a header; the keys are \"daybook\", \"entities\" "
            + "and \"base\".")
      }
    }
    try reader.finish()
    if !hasVersion { throw reader.missing("daybook", of: "a header", at: start) }
    for entity in found { add(TextEntity(name: entity.name, kind: entity.kind, kindPosition: nil)) }
    for (index, entity) in found.enumerated() {
      guard let earlierName = entity.earlierName else { continue }
      try declare(earlierName: earlierName, of: index, at: reader)
    }
    var definitions: [[AttributeDefinition]] = []
    for entity in found {
      var attributes: [AttributeDefinition] = []
      for attribute in entity.attributes {
        attributes.append(try definition(attribute, of: entity.name, at: reader))
      }
      definitions.append(attributes)
    }
    for (index, entity) in found.enumerated() {
      try check(entity, attributes: definitions[index], among: definitions, in: reader)
      declare(
        definitions[index].map { TextAttribute($0) }, unique: entity.unique.map { $0.map(\.name) },
        of: index)
    }
  }

  // MARK: Definitions of attributes

  private func definition(
    _ attribute: HeaderAttribute, of entity: String, at reader: TextReader
  ) throws(TextJournalError) -> AttributeDefinition {
    var name = attribute.type.name[...]
    let isRequired = name.hasSuffix("!")
    if isRequired { name.removeLast() }
    let type = try self.type(name, at: attribute.type.offset, in: reader)
    var definition = AttributeDefinition(
      attribute.name, type: type, isRequired: isRequired, renamedFrom: attribute.earlierName)
    if let value = attribute.defaultValue {
      do { definition.defaultValue = try AttributeValue(value, as: type) } catch {
        throw reader.error(.value, defect: error, of: "the default of \(entity).\(attribute.name)")
      }
    }
    let isReference = type.target != nil
    if let inverse = attribute.inverse {
      guard isReference else {
        throw noReference(at: inverse.offset, what: "an inverse", of: attribute)
      }
      guard inverse.name != "id" else {
        throw reader.error(
          .relationship, at: inverse.offset,
          sentence:
            "the inverse of \(entity).\(attribute.name) is named \"id\", which is reserved for the "
            + "identifier.")
      }
      definition.inverse = inverse.name
    }
    for rule in [attribute.ownDeleteRule, attribute.whenDeleted].compactMap(\.self) {
      guard isReference else {
        throw noReference(at: rule.offset, what: "a delete rule", of: attribute)
      }
    }
    definition.ownDeleteRule = attribute.ownDeleteRule?.rule ?? .nullify
    definition.whenTargetDeleted = attribute.whenDeleted?.rule
    if let rule = attribute.whenDeleted, !definition.isTargetRulePossible {
      throw reader.error(
        .relationship, at: rule.offset,
        sentence:
          "\(entity).\(attribute.name) has several references; only a reference to one record can "
          + "have the rule cascade.")
    }
    if let (isChecked, offset) = attribute.checked {
      guard isReference else { throw noReference(at: offset, what: "a check", of: attribute) }
      definition.isChecked = isChecked
    }
    return definition

    func noReference(
      at offset: Int, what: String, of attribute: HeaderAttribute
    ) -> TextJournalError {
      reader.error(
        .relationship, at: offset,
        sentence:
          "only a reference can have \(what); \(entity).\(attribute.name) is not a reference.")
    }
  }

  private func type(
    _ name: Substring, at offset: Int, in reader: TextReader
  ) throws(TextJournalError) -> AttributeType {
    for prefix in ["ref:", "refs:"] where name.hasPrefix(prefix) {
      let entity = String(name.dropFirst(prefix.count))
      guard let index = index(of: entity) else {
        throw reader.error(
          .unknownEntity, at: offset,
          sentence:
            "the reference leads to \(TextReader.quoted(entity)), which the header does not "
            + "declare.")
      }
      let target = EntityReference(entity, identifierKind: entities[index].kind)
      return prefix == "ref:" ? .reference(target) : .references(target)
    }
    if name.hasPrefix("["), name.hasSuffix("]"),
      let scalar = ScalarType(name: String(name.dropFirst().dropLast()))
    {
      return .array(scalar)
    }
    if let scalar = ScalarType(name: String(name)) { return .scalar(scalar) }
    let names = ScalarType.allCases.map(\.name).joined(separator: ", ")
    throw reader.error(
      .unknownType, at: offset,
      sentence:
        "unknown type \(TextReader.quoted(String(name))); the types are \(names), ref:Entity, refs:Entity "
        + "and [type].")
  }

  /// Checks an entity for consistency with itself and with the entities that it refers to.
  private func check(
    _ entity: HeaderEntity, attributes: [AttributeDefinition],
    among definitions: [[AttributeDefinition]], in reader: TextReader
  ) throws(TextJournalError) {
    for (definition, read) in zip(attributes, entity.attributes) {
      guard let inverse = read.inverse, let target = definition.type.target,
        let index = index(of: target.entity),
        let other = definitions[index].first(where: { $0.name == inverse.name })
      else { continue }
      guard other.type.target?.entity == entity.name,
        (other.inverse ?? definition.name) == definition.name
      else {
        throw reader.error(
          .relationship, at: inverse.offset,
          sentence: "the inverse of \(entity.name).\(definition.name) is declared as "
            + "\(target.entity).\(inverse.name), which does not refer back to it.")
      }
    }
    for name in entity.unique.joined() {
      switch attributes.first(where: { $0.name == name.name })?.type {
      case nil:
        throw reader.error(
          .relationship, at: name.offset,
          sentence:
            "\"unique\" of \(entity.name) names \(TextReader.quoted(name.name)), which is not an attribute."
        )
      case .array, .references:
        throw reader.error(
          .relationship, at: name.offset,
          sentence:
            "\"unique\" of \(entity.name) names \(TextReader.quoted(name.name)), which has several values."
        )
      case .scalar, .reference: break
      }
    }
  }
}
