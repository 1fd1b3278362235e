import DaybookJournal
@_spi(Tools) import DaybookStore
@_spi(Tools) import DaybookText

extension JournalSchema {
  /// Writes the schema as one object. Its entities are those of the header of a text journal.
  func writeJSON(_ name: String, to output: Output) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("journal")
    writer.write(name)
    writer.key("at")
    writer.write(sequence.rawValue)
    writer.key("version")
    writer.write(version)
    writer.key("compatibleFrom")
    writer.write(compatibleFrom)
    writer.key("entities")
    writer.beginObject()
    for entity in entities {
      writer.key(entity.definition.name)
      writer.write(entity.definition)
    }
    writer.endObject()
    if let changes {
      writer.key("history")
      writer.beginArray()
      for change in changes { write(change, to: &writer) }
      writer.endArray()
    }
    writer.endObject()
    writer.endLine()
    try output.write(writer.bytes)
  }

  private func write(_ change: SchemaChange, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("tx")
    writer.write(change.sequence.rawValue)
    writer.key("time")
    writer.write("\(change.time)")
    writer.key("base")
    writer.write(change.isBase)
    writer.key("reason")
    if let reason = change.reason { writer.write(reason) } else { writer.writeNull() }
    writer.key("version")
    if let version = change.version { writer.write(version) } else { writer.writeNull() }
    writer.key("steps")
    writer.beginArray()
    for step in change.steps {
      writer.beginObject()
      writer.key("version")
      writer.write(step.version)
      writer.key("name")
      writer.write(step.name)
      writer.endObject()
    }
    writer.endArray()
    writer.key("entities")
    writer.beginArray()
    for entity in change.entities { write(entity, to: &writer) }
    writer.endArray()
    writer.endObject()
  }

  private func write(_ entity: SchemaChange.Entity, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("entity")
    writer.write(entity.new.name)
    writer.key("old")
    if let old = entity.old { writer.write(old) } else { writer.writeNull() }
    writer.key("new")
    writer.write(entity.new)
    writer.key("renamed")
    writer.beginObject()
    for attribute in entity.new.attributes {
      guard let name = entity.earlierNames[attribute.name] else { continue }
      writer.key(attribute.name)
      writer.write(name)
    }
    writer.endObject()
    writer.key("changes")
    writer.beginArray()
    for line in entity.lines { writer.write(line) }
    writer.endArray()
    writer.endObject()
  }
}
