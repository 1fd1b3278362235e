import DaybookJournal
@_spi(Tools) import DaybookStore

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

  private mutating func write(_ entity: EntityDefinition) {
    beginObject()
    key("id")
    write(entity.identifierKind.name)
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

  /// Writes the type alone, if nothing else is to be said.
  private mutating func write(_ attribute: AttributeDefinition) {
    let type = attribute.type.name + (attribute.isRequired ? "!" : "")
    let isReference = attribute.type.target != nil
    let isChecked = isReference && attribute.isChecked
    let rule = isReference ? attribute.deleteRule : .nullify
    guard
      !attribute.defaultValue.isNull || attribute.inverse != nil || rule != .nullify
        || attribute.earlierName != nil || isChecked
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
