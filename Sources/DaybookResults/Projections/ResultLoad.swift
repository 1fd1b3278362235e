import DaybookStore

/// All rows of a state that match, in order, and their sections.
struct ResultLoad {
  private(set) var rows: [RankEntry] = []
  private(set) var sections: [RankEntry] = []

  private struct Row {
    var section: Int
    var entry: RankEntry
  }

  /// - Complexity: O(*n* log *n*)
  init(_ plan: ResultPlan, _ state: FrozenState) {
    var found: [Row] = []
    var keys: [[UInt8]: Int] = [:]
    var buffer = RowBuffer()
    RowScan(state).forEachPiece(plan.entity) { entries in
      for index in entries.indices where plan.includes(entries[index].location, state) {
        var section = 0
        if let appendSection = plan.appendSection {
          buffer.removeAll()
          appendSection(entries[index].location, state, &buffer)
          section = keys[buffer.bytes, default: keys.count]
          if section == keys.count { keys[buffer.bytes] = section }
        }
        buffer.removeAll()
        plan.appendOwn(entries[index].location, state, &buffer)
        let entry = RankEntry(RowKey.prefix(buffer.bytes[...]), entries[index].slot)
        found.append(Row(section: section, entry: entry))
      }
    }
    // Sections by their places in order instead of as they were found.
    let sorted = keys.sorted { RowKey.compare($0.key[...], $1.key[...]) < 0 }
    var places = [Int](repeating: 0, count: max(1, keys.count))
    for (place, section) in sorted.enumerated() { places[section.value] = place }
    for index in found.indices { found[index].section = places[found[index].section] }
    found.sort { ($0.section, $0.entry.key) < ($1.section, $1.entry.key) }
    ResultLoad.orderTies(&found, plan, state)
    rows = found.map(\.entry)
    guard plan.appendSection != nil else { return }
    sections = sorted.map { RankEntry(RowKey.prefix($0.key[...]), 0) }
    for row in found { sections[row.section].value += 1 }
  }

  /// Puts rows in order whose keys begin with the same bytes.
  private static func orderTies(_ rows: inout [Row], _ plan: ResultPlan, _ state: FrozenState) {
    var start = 0
    while start < rows.count {
      var end = start + 1
      while end < rows.count, rows[end].section == rows[start].section,
        rows[end].entry.key == rows[start].entry.key
      { end += 1 }
      if end - start > 1 {
        let keyed = rows[start..<end].map { row in
          var buffer = RowBuffer()
          let table = state.state.tables[plan.entity]
          plan.appendOwn(table.row(row.entry.value, in: state.space).location, state, &buffer)
          return (row: row, key: buffer.bytes)
        }
        let sorted = keyed.sorted { RowKey.compare($0.key[...], $1.key[...]) < 0 }
        rows.replaceSubrange(start..<end, with: sorted.map(\.row))
      }
      start = end
    }
  }
}
