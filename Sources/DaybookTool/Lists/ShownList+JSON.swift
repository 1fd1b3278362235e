import Daybook
@_spi(Tools) import DaybookStore

extension ShownList {
  /// Writes the list as one JSON object.
  func writeJSON(to output: Output) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("entity")
    writer.write(entity.name)
    writer.key("at")
    writer.write(sequence)
    writer.key("count")
    writer.write(objects.count)
    writer.key("sections")
    writer.beginArray()
    for section in objects.sections {
      writer.beginObject()
      writer.key("name")
      writer.write(section.name)
      writer.key("rows")
      writer.beginArray()
      try forEachRow(in: section) { row in
        write(row, to: &writer)
        if writer.bytes.count >= ShownList.pieceByteCount {
          try output.write(writer.takePiece())
        }
      }
      writer.endArray()
      if !section.totals.isEmpty {
        writer.key("totals")
        writer.write(section.totals)
      }
      writer.endObject()
    }
    writer.endArray()
    if !objects.totals.isEmpty {
      writer.key("totals")
      writer.write(objects.totals)
      if isWindowed {
        writer.key("allTotals")
        writer.write(objects.allTotals)
      }
    }
    writer.endObject()
    writer.endLine()
    try output.write(writer.takePiece())
  }

  /// The smallest size of the buffer that is written to the output between two rows. Without this
  /// limit, a long list would need much memory.
  private static let pieceByteCount = 64 << 10

  /// Writes each row as a line with one JSON object, which starts with the name of the section.
  func writeJSONLines(to output: Output) throws {
    for section in objects.sections {
      try forEachRow(in: section) { row in
        var writer = JSONWriter()
        write(row, section: section.name, to: &writer)
        writer.endLine()
        try output.write(writer.bytes)
      }
    }
  }

  private func write(_ row: Row, section: String? = nil, to writer: inout JSONWriter) {
    writer.beginObject()
    if let section {
      writer.key("section")
      writer.write(section)
    }
    writer.key("id")
    writer.write(row.id)
    for (name, value) in zip(columnNames, row.values) {
      writer.key(name)
      writer.write(value)
    }
    writer.endObject()
  }
}
