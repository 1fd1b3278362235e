@_spi(Tools) import DaybookStore

extension LoggedTransaction {
  /// Writes the transaction as a line of a text journal.
  func writeJSON(to output: Output) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("tx")
    writer.write(sequence.rawValue)
    writer.key("time")
    writer.write("\(time)")
    if !metadata.isEmpty {
      writer.key("meta")
      writer.write(text: metadata.text.utf8Span.span.bytes)
    }
    writer.key("changes")
    writer.beginArray()
    for change in changes {
      change.write(to: &writer)
      // A change can be large, so each change is written to the output before the next one is read.
      try output.write(writer.takePiece())
    }
    writer.endArray()
    writer.endObject()
    writer.endLine()
    try output.write(writer.takePiece())
  }
}

extension LoggedChange {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("op")
    switch kind {
    case .insert: writer.write("insert")
    case .update: writer.write("update")
    case .delete: writer.write("delete")
    }
    writer.key("entity")
    writer.write(entity.name)
    writer.key("id")
    writer.write(id)
    if kind != .delete {
      writer.key("set")
      writer.beginObject()
      for index in changedIndexes {
        writer.key(entity.attributes[index].name)
        writer.write(newValue(of: index) ?? .null)
      }
      writer.endObject()
    }
    if let created {
      writer.key("created")
      writer.write(created)
    }
    writer.endObject()
  }
}
