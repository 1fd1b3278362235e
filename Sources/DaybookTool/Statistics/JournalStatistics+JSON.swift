import DaybookJournal
@_spi(Tools) import DaybookStore

extension JournalStatistics {
  /// Writes the statistics as one JSON object.
  ///
  /// - Parameters:
  ///   - name: The name of the journal as it is printed.
  ///   - fileByteCount: The size of the journal's file; nil if it is unknown.
  func writeJSON(_ name: String, fileByteCount: Int?, to output: Output) throws {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("journal")
    writer.write(name)
    writer.key("fileBytes")
    if let fileByteCount { writer.write(fileByteCount) } else { writer.writeNull() }
    writer.key("base")
    if let base { write(base, changesKey: "records", to: &writer) } else { writer.writeNull() }
    writer.key("transactions")
    writer.write(transactionCount)
    writer.key("changes")
    writer.write(changeCount)
    writer.key("payloadBytes")
    writer.write(payloadByteCount)
    writer.key("bytesPerChange")
    if changeCount > 0 {
      writer.write(Double(payloadByteCount) / Double(changeCount))
    } else {
      writer.writeNull()
    }
    write(first, as: "first", to: &writer)
    write(last, as: "last", to: &writer)
    writer.key("seconds")
    if let first, let last {
      // The difference of two times may not fit in 64 bits of nanoseconds.
      let nanoseconds = Int128(last.time.nanoseconds) - Int128(first.time.nanoseconds)
      writer.write(Double(nanoseconds) / 1e9)
    } else {
      writer.writeNull()
    }
    writer.key("entities")
    writer.beginArray()
    for entity in entities { write(entity, to: &writer) }
    writer.endArray()
    writer.key("largest")
    writer.beginArray()
    for size in largest { write(size, changesKey: "changes", to: &writer) }
    writer.endArray()
    writer.key("spans")
    writer.beginArray()
    if let histogram { write(histogram, to: &writer) }
    writer.endArray()
    writer.endObject()
    writer.endLine()
    try output.write(writer.bytes)
  }

  private func write(
    _ end: (sequence: SequenceNumber, time: JournalTime)?, as key: String,
    to writer: inout JSONWriter
  ) {
    writer.key(key)
    guard let end else { return writer.writeNull() }
    writer.beginObject()
    write(end.sequence, time: end.time, to: &writer)
    writer.endObject()
  }

  private func write(_ size: TransactionSize, changesKey: String, to writer: inout JSONWriter) {
    writer.beginObject()
    write(size.sequence, time: size.time, to: &writer)
    writer.key(changesKey)
    writer.write(size.changeCount)
    writer.key("payloadBytes")
    writer.write(size.byteCount)
    writer.endObject()
  }

  private func write(
    _ sequence: SequenceNumber, time: JournalTime, to writer: inout JSONWriter
  ) {
    writer.key("tx")
    writer.write(sequence.rawValue)
    writer.key("time")
    writer.write("\(time)")
  }

  private func write(_ entity: EntityCounts, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("entity")
    writer.write(entity.name)
    let counts = [
      ("base", entity.baseCount), ("inserts", entity.insertCount),
      ("updates", entity.updateCount), ("deletes", entity.deleteCount),
      ("records", entity.recordCount),
    ]
    for (key, count) in counts {
      writer.key(key)
      writer.write(count)
    }
    writer.endObject()
  }

  private func write(_ histogram: TimeHistogram, to writer: inout JSONWriter) {
    for (index, span) in histogram.spans.enumerated() {
      writer.beginObject()
      writer.key("from")
      writer.write("\(histogram.start(ofSpan: index))")
      writer.key("transactions")
      writer.write(span.transactionCount)
      writer.key("changes")
      writer.write(span.changeCount)
      writer.endObject()
    }
  }
}
