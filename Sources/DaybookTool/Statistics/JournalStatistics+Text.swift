import DaybookJournal
@_spi(Tools) import DaybookStore

extension JournalStatistics {
  /// Writes the statistics as text: facts, and tables of the entities, the largest transactions and
  /// the changes over time.
  ///
  /// - Parameters:
  ///   - name: The name of the journal as it is printed.
  ///   - fileByteCount: The size of the journal's file; nil if it is unknown.
  func writeLines(
    _ name: String, fileByteCount: Int?, to output: Output, on terminal: Terminal
  ) throws {
    let transactions = Counted.phrase(
      transactionCount, one: "transaction", several: "transactions")
    let changes = Counted.phrase(changeCount, one: "change", several: "changes")
    try output.line(terminal.heading("\(name): \(transactions), \(changes)"))
    let facts = facts(fileByteCount: fileByteCount)
    let width = facts.map(\.name.count).max() ?? 0
    if !facts.isEmpty { try output.line("") }
    for fact in facts {
      let padding = String(repeating: " ", count: width - fact.name.count)
      try output.line("\(fact.name)\(padding)  \(fact.value)")
    }
    try writeEntities(to: output, on: terminal)
    try writeLargest(to: output, on: terminal)
    try writeHistogram(to: output, on: terminal)
  }

  private func facts(fileByteCount: Int?) -> [(name: String, value: String)] {
    var facts: [(name: String, value: String)] = []
    if let fileByteCount { facts.append(("file", QuantityText.bytes(fileByteCount))) }
    if let base {
      let records = Counted.phrase(base.changeCount, one: "record", several: "records")
      facts.append(
        (
          "base",
          "transaction \(base.sequence), \("\(base.time)"), "
            + "\(records), \(QuantityText.bytes(base.byteCount))"
        ))
    }
    if let first, let last {
      facts.append(("first", "\(first.sequence), \("\(first.time)")"))
      facts.append(("last", "\(last.sequence), \("\(last.time)")"))
      facts.append(("duration", QuantityText.duration(from: first.time, to: last.time)))
      var payloads = QuantityText.bytes(payloadByteCount)
      if changeCount > 0 {
        payloads += ", \(QuantityText.quotient(payloadByteCount, by: changeCount)) per change"
      }
      facts.append(("payloads", payloads))
    }
    return facts
  }

  private func writeEntities(to output: Output, on terminal: Terminal) throws {
    let rows = entities.map { entity in
      let begun = base == nil ? [] : [entity.baseCount]
      let counts =
        begun + [entity.insertCount, entity.updateCount, entity.deleteCount, entity.recordCount]
      return [DisplayWidth.shown(entity.name)] + counts.map(String.init)
    }
    let begun = base == nil ? [] : ["base"]
    let heads = ["entity"] + begun + ["inserts", "updates", "deletes", "records"]
    try write(
      rows, under: heads, alignsRight: heads.indices.map { $0 > 0 }, to: output, on: terminal)
  }

  private func writeLargest(to output: Output, on terminal: Terminal) throws {
    let rows = largest.map { size in
      [
        "\(size.sequence)", "\(size.time)", "\(size.changeCount)",
        "\(size.byteCount)",
      ]
    }
    try write(
      rows, under: ["largest", "time", "changes", "bytes"], alignsRight: [true, false, true, true],
      to: output, on: terminal)
  }

  private func writeHistogram(to output: Output, on terminal: Terminal) throws {
    guard let histogram else { return }
    let counts = histogram.spans.indices.map { index in
      let span = histogram.spans[index]
      return [histogram.name(ofSpan: index), "\(span.transactionCount)", "\(span.changeCount)"]
    }
    let heads = ["from", "transactions", "changes"]
    let widths = heads.indices.map { column in
      counts.reduce(heads[column].count) { max($0, $1[column].count) } + 2
    }
    let room = terminal.columnCount.map { $0 - widths.reduce(0, +) } ?? 40
    let most = histogram.spans.map(\.changeCount).max() ?? 0
    let rows = histogram.spans.indices.map { index in
      counts[index]
        + [
          JournalStatistics.bar(
            histogram.spans[index].changeCount, of: most, width: max(1, min(room, 40)),
            isPlain: terminal.isPlain)
        ]
    }
    try write(
      rows, under: heads + [""], alignsRight: [false, true, true, false], to: output, on: terminal)
  }

  /// Returns a bar of a histogram. The bar of the largest count has the full width, and the bar of
  /// every count above 0 has at least one character.
  private static func bar(_ count: Int, of most: Int, width: Int, isPlain: Bool) -> String {
    guard count > 0, most > 0 else { return "" }
    let length = (Int128(count) * Int128(width) + Int128(most) - 1) / Int128(most)
    return String(repeating: isPlain ? "#" : "█", count: Int(length))
  }

  /// Writes an empty line and a table. Writes nothing if the table has no rows.
  private func write(
    _ rows: [[String]], under heads: [String], alignsRight: [Bool], to output: Output,
    on terminal: Terminal
  ) throws {
    guard !rows.isEmpty else { return }
    var table = TextTable(heads, alignsRight: alignsRight, on: terminal)
    for row in rows { table.measure(row) }
    table.fit()
    try output.line("")
    try output.line(terminal.heading(table.head))
    for row in rows { try output.line(table.line(row)) }
  }
}
