@_spi(Tools) import DaybookStore
import DaybookJournal
import DaybookStore

/// An entity as the header of a text journal declares it. ``TextSchema`` resolves the entity after
/// the whole header was read, because a reference can have a target entity that is declared later.
struct HeaderEntity {
  var name: String
  var earlierName: HeaderName?
  var kind = IdentifierKind.string
  var attributes: [HeaderAttribute] = []
  var unique: [[HeaderName]] = []
}

/// An attribute as the header of a text declares it.
struct HeaderAttribute {
  var name: String
  var type = HeaderName(name: "", offset: 0)
  var defaultValue: TextValue?
  var inverse: HeaderName?
  /// The delete rule for deletions of the record that has this attribute: the key `onDelete`.
  var ownDeleteRule: HeaderRule?
  /// The delete rule for deletions of the record that this attribute refers to: the key
  /// `whenDeleted`.
  var whenDeleted: HeaderRule?
  var checked: (isChecked: Bool, offset: Int)?
  var earlierName: String?
}

/// A delete rule in the header of a text, and its byte offset.
struct HeaderRule {
  var rule: DeleteRule
  var offset: Int
}

/// A name in the header of a text, and its byte offset.
struct HeaderName {
  var name: String
  var offset: Int
}

extension TextSchema {
  static func readEntities(
    _ reader: inout TextReader
  ) throws(TextJournalError) -> [HeaderEntity] {
    var entities: [HeaderEntity] = []
    var keys = JSONKeys()
    try reader.beginObject()
    while let name = try reader.nextKey(&keys) {
      if name.isEmpty {
        throw reader.error(
          .unknownEntity, at: reader.offset,
          sentence: "the name of the entity is empty.")
      }
      try reader.check(.entities, of: name, count: entities.count + 1, at: reader.offset)
      entities.append(try readEntity(name, from: &reader))
    }
    return entities
  }

  private static func readEntity(
    _ name: String, from reader: inout TextReader
  ) throws(TextJournalError) -> HeaderEntity {
    var entity = HeaderEntity(name: name)
    var keys = JSONKeys()
    try reader.beginObject()
    while let key = try reader.nextKey(&keys) {
      switch key {
      case "id":
        let kind = try reader.readString()
        guard let known = IdentifierKind(name: kind) else {
          throw reader.error(
            .unknownType, at: reader.offset,
            sentence:
              "unknown kind of identifier \(TextReader.quoted(kind)); the kinds are int, uint, string and "
              + "uuid.")
        }
        entity.kind = known
      case "renamedFrom":
        let name = try reader.readString()
        entity.earlierName = HeaderName(name: name, offset: reader.offset)
      case "attributes":
        var names = JSONKeys()
        try reader.beginObject()
        while let name = try reader.nextKey(&names) {
          try TextAttribute.check(name, of: entity.name, at: reader.offset, in: reader)
          try reader.check(
            .attributes, of: entity.name, count: entity.attributes.count + 1, at: reader.offset)
          entity.attributes.append(try readAttribute(name, from: &reader))
        }
      case "unique":
        try reader.beginArray()
        while try reader.nextElement() {
          var list: [HeaderName] = []
          try reader.beginArray()
          let start = reader.offset
          try reader.check(
            .uniqueLists, of: entity.name, count: entity.unique.count + 1, at: start)
          while try reader.nextElement() {
            let name = try reader.readString()
            try reader.check(
              .uniqueListAttributes, of: entity.name, count: list.count + 1, at: reader.offset)
            list.append(HeaderName(name: name, offset: reader.offset))
          }
          guard !list.isEmpty else {
            throw reader.error(
              .relationship, at: start,
              sentence:
                "a list in \"unique\" of \(entity.name) is empty; it needs at least one attribute.")
          }
          entity.unique.append(list)
        }
      default:
        throw reader.error(
          .unknownKey, at: reader.offset,
          sentence:
            "unknown key \(TextReader.quoted(key)) in an entity; the keys are \"id\", \"renamedFrom\", "
            + "\"attributes\" and \"unique\".")
      }
    }
    return entity
  }

  private static func readAttribute(
    _ name: String, from reader: inout TextReader
  ) throws(TextJournalError) -> HeaderAttribute {
    var attribute = HeaderAttribute(name: name)
    guard try reader.peek() == .object else {
      let type = try reader.readString()
      attribute.type = HeaderName(name: type, offset: reader.offset)
      return attribute
    }
    var keys = JSONKeys()
    var hasType = false
    try reader.beginObject()
    let start = reader.offset
    while let key = try reader.nextKey(&keys) {
      switch key {
      case "type":
        let type = try reader.readString()
        attribute.type = HeaderName(name: type, offset: reader.offset)
        hasType = true
      case "default": attribute.defaultValue = try reader.readValue()
      case "inverse":
        let inverse = try reader.readString()
        attribute.inverse = HeaderName(name: inverse, offset: reader.offset)
      case "onDelete": attribute.ownDeleteRule = try readRule(&reader)
      case "whenDeleted": attribute.whenDeleted = try readRule(&reader)
      case "checked":
        let isChecked = try reader.readBool()
        attribute.checked = (isChecked, reader.offset)
      case "renamedFrom": attribute.earlierName = try reader.readString()
      default:
        throw reader.error(
          .unknownKey, at: reader.offset,
          sentence:
            "unknown key \(TextReader.quoted(key)) in an attribute; the keys are \"type\", \"default\", "
            + "\"inverse\", \"onDelete\", \"whenDeleted\", \"checked\" and \"renamedFrom\".")
      }
    }
    if !hasType { throw reader.missing("type", of: "an attribute", at: start) }
    return attribute
  }

  private static func readRule(_ reader: inout TextReader) throws(TextJournalError) -> HeaderRule {
    let name = try reader.readString()
    guard let rule = DeleteRule(name: name) else {
      throw reader.error(
        .unknownType, at: reader.offset,
        sentence:
          "unknown delete rule \(TextReader.quoted(name)); the rules are nullify, cascade, deny and "
          + "none.")
    }
    return HeaderRule(rule: rule, offset: reader.offset)
  }
}

extension JSONWriter {
  /// Writes the header of a text journal.
  mutating func writeHeader(_ entities: [EntityDefinition], base: SequenceNumber) {
    beginObject()
    key("daybook")
    write(TextSchema.version)
    if base > .zero {
      key("base")
      write(base.rawValue)
    }
    key("entities")
    beginObject()
    for entity in entities {
      key(entity.name)
      write(entity)
    }
    endObject()
    endObject()
  }

  /// Writes an entity as in the header of a text journal.
  @_spi(Tools) public mutating func write(_ entity: EntityDefinition) {
    beginObject()
    key("id")
    write(entity.identifierKind.name)
    if let earlierName = entity.earlierName {
      key("renamedFrom")
      write(earlierName)
    }
    key("attributes")
    beginObject()
    for attribute in entity.attributes {
      key(attribute.name)
      write(attribute)
    }
    endObject()
    if !entity.unique.isEmpty {
      key("unique")
      beginArray()
      for names in entity.unique {
        beginArray()
        for name in names { write(name) }
        endArray()
      }
      endArray()
    }
    endObject()
  }

  /// Writes an attribute. If the attribute has only a type, the type alone is written and not an
  /// object.
  private mutating func write(_ attribute: AttributeDefinition) {
    let type = attribute.type.name + (attribute.isRequired ? "!" : "")
    let isReference = attribute.type.target != nil
    let isChecked = isReference && attribute.isChecked
    let rule = isReference ? attribute.ownDeleteRule : .nullify
    let whenDeleted = isReference ? attribute.whenTargetDeleted : nil
    guard
      !attribute.defaultValue.isNull || attribute.inverse != nil || rule != .nullify
        || attribute.earlierName != nil || isChecked || whenDeleted != nil
    else {
      write(type)
      return
    }
    beginObject()
    key("type")
    write(type)
    if !attribute.defaultValue.isNull {
      key("default")
      write(attribute.defaultValue)
    }
    if let inverse = attribute.inverse {
      key("inverse")
      write(inverse)
    }
    if rule != .nullify {
      key("onDelete")
      write(rule.name)
    }
    if let whenDeleted {
      key("whenDeleted")
      write(whenDeleted.name)
    }
    if isChecked {
      key("checked")
      write(true)
    }
    if let earlierName = attribute.earlierName {
      key("renamedFrom")
      write(earlierName)
    }
    endObject()
  }
}
