import DaybookJournal
import DaybookStore

/// The entities of a text journal. The header declares some of them. The first pass over the text
/// infers the other entities from the changes.
struct TextSchema {
  /// The entities: first those of the header, then the inferred ones in order of appearance.
  private(set) var entities: [TextEntity] = []
  private var indexes: [String: Int] = [:]
  /// The entity that had each earlier name, as the header declares it.
  private var newNames: [String: String] = [:]
  /// The base sequence that the header declares, and its position in the header; nil without a
  /// base.
  var base: (sequence: SequenceNumber, position: TextPosition)?

  func index(of entity: String) -> Int? { indexes[entity] }

  mutating func add(_ entity: TextEntity) {
    precondition(indexes[entity.name] == nil, "entity \(entity.name) already exists")
    indexes[entity.name] = entities.count
    entities.append(entity)
  }

  /// Declares the earlier name of an entity of the header, after all entities of the header were
  /// added.
  mutating func declare(
    earlierName: HeaderName, of entity: Int, at reader: TextReader
  ) throws(TextJournalError) {
    let (name, earlier) = (entities[entity].name, earlierName.name)
    let problem: String? =
      if earlier.isEmpty {
        "the earlier name of \(name) is empty."
      } else if indexes[earlier] != nil {
        "\(name) is renamed from \(TextReader.quoted(earlier)), which is another entity."
      } else if let other = newNames[earlier] {
        "\(other) and \(name) are both renamed from \(TextReader.quoted(earlier))."
      } else {
        nil
      }
    if let problem {
      throw reader.error(.relationship, at: earlierName.offset, sentence: problem)
    }
    newNames[earlier] = name
    entities[entity].earlierName = earlier
  }

  mutating func declare(_ attributes: [TextAttribute], unique: [[String]], of entity: Int) {
    for attribute in attributes { entities[entity].add(attribute) }
    entities[entity].unique = unique
  }

  /// Checks a change, and adds its entity or its attributes if they are unknown. If the header
  /// declares the entity, an unknown attribute is an error.
  ///
  /// - Complexity: O(*n*)
  mutating func apply(_ change: TextChange, at reader: TextReader) throws(TextJournalError) {
    let index: Int
    if let known = indexes[change.entity] {
      index = known
    } else {
      if let name = newNames[change.entity] {
        throw reader.error(
          .unknownEntity, at: change.entityOffset,
          sentence:
            "\(TextReader.quoted(change.entity)) was renamed to \(name), so no entity can have this name."
        )
      }
      index = entities.count
      try reader.check(
        .entities, of: change.entity, count: index + 1, at: change.entityOffset)
      let kind = try TextSchema.kind(of: change, reader)
      add(
        TextEntity(
          name: change.entity, kind: kind, kindPosition: reader.position(at: change.id.offset)))
    }
    try entities[index].apply(change, at: reader)
  }

  /// Returns the kind of all identifiers of an entity, inferred from the first one.
  private static func kind(
    of change: TextChange, _ reader: TextReader
  ) throws(TextJournalError) -> IdentifierKind {
    switch change.id.content {
    case .string: return .string
    case .integer: return .int
    case .number(let number):
      if case .integer = number.value { return .int }
      if case .unsigned = number.value { return .uint }
    default: break
    }
    throw reader.error(
      .identifier, defect: TextDefect(change.id, expected: "an integer or a string"),
      of: "the identifier of \(change.entity)")
  }

  /// Returns the definitions of the entities for a journal.
  func definitions(path: String) throws(TextJournalError) -> [EntityDefinition] {
    var definitions: [EntityDefinition] = []
    for entity in entities { definitions.append(try entity.definition(path: path)) }
    return definitions
  }
}

/// An entity of a text.
struct TextEntity {
  let name: String
  var earlierName: String?
  let kind: IdentifierKind
  /// The position of the first identifier, if the header does not declare the kind of identifiers.
  let kindPosition: TextPosition?
  private(set) var attributes: [TextAttribute] = []
  private var indexes: [String: Int] = [:]
  var unique: [[String]] = []
  /// The distinct sets of attribute blocks that inserts use, in order of appearance. ``RowLayouts``
  /// explains blocks. At most ``RowLayouts/narrowCountMax`` sets are recorded.
  private(set) var insertedBlocks: [RowLayouts.Blocks] = []

  init(name: String, kind: IdentifierKind, kindPosition: TextPosition?) {
    self.name = name
    self.kind = kind
    self.kindPosition = kindPosition
  }

  var isDeclared: Bool { kindPosition == nil }

  mutating func add(_ attribute: TextAttribute) {
    indexes[attribute.name] = attributes.count
    attributes.append(attribute)
  }

  /// Returns the index of an attribute. Usually the attributes of a change are in order, so the
  /// attribute after the last one is tried first.
  func index(of name: String, after last: Int) -> Int? {
    if last + 1 < attributes.count, attributes[last + 1].name == name { return last + 1 }
    return indexes[name]
  }

  /// Returns the identifier of a change.
  func identifier(
    of change: TextChange, _ reader: TextReader
  ) throws(TextJournalError) -> RecordIdentifier {
    do { return try RecordIdentifier(change.id, as: kind) } catch {
      var defect = error
      if let kindPosition {
        defect.sentence.removeLast()
        defect.sentence += "; the first identifier is in \(kindPosition)."
      }
      throw reader.error(.identifier, defect: defect, of: "the identifier of \(name)")
    }
  }

  mutating func apply(_ change: TextChange, at reader: TextReader) throws(TextJournalError) {
    _ = try identifier(of: change, reader)
    var last = -1
    var blocks: RowLayouts.Blocks = 0
    defer { if change.kind == .insert { recordInsert(of: blocks) } }
    for member in change.members {
      guard let index = index(of: member.name, after: last) else {
        guard !isDeclared else {
          throw reader.error(
            .unknownAttribute, at: member.nameOffset,
            sentence:
              "the header declares no attribute \(TextReader.quoted(member.name)) of \(name).")
        }
        try TextAttribute.check(member.name, of: name, at: member.nameOffset, in: reader)
        try reader.check(
          .attributes, of: name, count: attributes.count + 1, at: member.nameOffset)
        var attribute = TextAttribute(name: member.name, inference: TextInference())
        try attribute.apply(member.value, of: self.name, at: reader)
        last = attributes.count
        blocks |= RowLayouts.block(of: last)
        add(attribute)
        continue
      }
      last = index
      blocks |= RowLayouts.block(of: index)
      if let definition = attributes[index].definition {
        do { _ = try AttributeValue(member.value, as: definition.type) } catch {
          throw reader.error(.value, defect: error, of: "\(name).\(member.name)")
        }
      } else {
        try attributes[index].apply(member.value, of: name, at: reader)
      }
    }
  }

  /// Records the set of blocks that an insert uses, if it is new and the limit is not reached.
  private mutating func recordInsert(of blocks: RowLayouts.Blocks) {
    guard insertedBlocks.last != blocks, insertedBlocks.count < RowLayouts.narrowCountMax,
      !insertedBlocks.contains(blocks)
    else { return }
    insertedBlocks.append(blocks)
  }

  func definition(path: String) throws(TextJournalError) -> EntityDefinition {
    var definitions: [AttributeDefinition] = []
    for attribute in attributes {
      if let definition = attribute.definition {
        definitions.append(definition)
      } else {
        let type = try attribute.inference.type(of: "\(name).\(attribute.name)", path: path)
        definitions.append(AttributeDefinition(attribute.name, type: .scalar(type)))
      }
    }
    return EntityDefinition(
      name, renamedFrom: earlierName, identifiedBy: kind, attributes: definitions, unique: unique)
  }
}

/// An attribute of a text.
struct TextAttribute {
  let name: String
  /// The definition in the header, if the header declares the attribute.
  var definition: AttributeDefinition?
  /// The inference from the attribute's values, if the header does not declare the attribute.
  var inference = TextInference()

  init(_ definition: AttributeDefinition) {
    name = definition.name
    self.definition = definition
  }

  init(name: String, inference: TextInference) {
    self.name = name
    self.inference = inference
  }

  /// Throws if a name is not allowed for an attribute.
  static func check(
    _ name: String, of entity: String, at offset: Int, in reader: TextReader
  ) throws(TextJournalError) {
    if name.isEmpty {
      throw reader.error(
        .attributeName, at: offset,
        sentence: "the name of an attribute of \(entity) is empty.")
    }
    if name == "id" {
      throw reader.error(
        .attributeName, at: offset,
        sentence: "an attribute of \(entity) is named \"id\", which is reserved for the identifier."
      )
    }
  }

  mutating func apply(
    _ value: TextValue, of entity: String, at reader: TextReader
  ) throws(TextJournalError) {
    let path = "\(entity).\(name)"
    try inference.add(value, of: path, at: reader)
  }
}
