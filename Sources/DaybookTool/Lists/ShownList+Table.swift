import Daybook

extension ShownList {
  /// Writes the list as a table: a title, the first letters of the sections, and the rows of each
  /// section after its name.
  func writeTable(to output: Output, on terminal: Terminal) throws {
    try output.line(terminal.heading(title))
    if isSectioned, let index { try output.line("index: \(index)") }
    var table = TextTable(columns, on: terminal)
    for section in objects.sections {
      try forEachRow(in: section) { table.measure(ShownList.cells($0)) }
    }
    table.fit()
    if !objects.isEmpty { try output.line(terminal.heading(table.head)) }
    for section in objects.sections {
      if isSectioned {
        try output.line("")
        try output.line(terminal.heading("\(section.name) (\(section.numberOfObjects))"))
      }
      try forEachRow(in: section) { try output.line(table.line(ShownList.cells($0))) }
      if isSectioned, !section.totals.isEmpty {
        try output.line("total: \(section.totals.line)")
      }
    }
    if !objects.isEmpty, let sentence = table.hiddenSentence {
      try output.line("")
      for line in sentence { try output.line(line) }
    }
    try writeTotals(to: output)
  }

  /// Writes the list with a line for each value. A line without text is between two rows.
  func writeVertically(to output: Output, on terminal: Terminal) throws {
    try output.line(terminal.heading(title))
    let names = (["id"] + columnNames).map { DisplayWidth.shown($0) }
    let width = names.map { DisplayWidth.columns($0) }.max() ?? 0
    let heads = names.map { name -> StyledLine in
      var head = terminal.heading(name)
      head.append(String(repeating: " ", count: width + 2 - DisplayWidth.columns(name)))
      return head
    }
    for section in objects.sections {
      if isSectioned {
        try output.line("")
        try output.line(terminal.heading("\(section.name) (\(section.numberOfObjects))"))
      }
      try forEachRow(in: section) { row in
        try output.line("")
        for (head, cell) in zip(heads, ShownList.cells(row)) {
          var line = head
          line.append(cell)
          try output.line(line)
        }
      }
      if isSectioned, !section.totals.isEmpty {
        try output.line("")
        try output.line("total: \(section.totals.line)")
      }
    }
    try writeTotals(to: output)
  }

  private func writeTotals(to output: Output) throws {
    if objects.totals.isEmpty { return }
    try output.line("")
    try output.line("total: \(objects.totals.line)")
    if isWindowed { try output.line("all: \(objects.allTotals.line)") }
  }

  var title: String {
    let rows = Counted.phrase(objects.count, one: "row", several: "rows")
    let sections = Counted.phrase(objects.sections.count, one: "section", several: "sections")
    return "\(entity.name) after transaction \(sequence): \(rows)"
      + (isSectioned ? " in \(sections)" : "")
  }

  /// The first letters of the section names, each once; nil if a name does not start with a letter.
  private var index: String? {
    var titles: [String] = []
    for section in objects.sections {
      guard let first = section.name.first else { continue }
      guard first.isLetter else { return nil }
      let title = DisplayWidth.shown(first.uppercased())
      if titles.last != title, !titles.contains(title) { titles.append(title) }
    }
    return titles.isEmpty ? nil : titles.joined(separator: " ")
  }

  /// Returns the cells of a row.
  static func cells(_ row: Row) -> [String] {
    [DisplayWidth.shown(ValueText.text(of: row.id))]
      + row.values.map { DisplayWidth.shown(ValueText.text(of: $0) ?? "nil") }
  }

  // MARK: CSV

  /// Writes the rows as comma-separated values. If the list has sections, the first value is the
  /// name of the section.
  ///
  /// If the output is a terminal, control characters are escaped. In a file or a pipe, all values
  /// are unchanged.
  func writeCSV(to output: Output, on terminal: Terminal) throws {
    func csv(_ cells: [String]) -> [UInt8] {
      ShownList.csv(terminal.columnCount == nil ? cells : cells.map(DisplayWidth.shown))
    }
    let head = (isSectioned ? ["section"] : []) + ["id"] + columnNames
    try output.write(csv(head))
    for section in objects.sections {
      let name = isSectioned ? [section.name] : []
      try forEachRow(in: section) { row in
        let cells = [ValueText.text(of: row.id)] + row.values.map { ValueText.text(of: $0) ?? "" }
        try output.write(csv(name + cells))
      }
    }
  }

  static func csv(_ cells: [String]) -> [UInt8] {
    let line = cells.map { cell in
      let isQuoted = cell.utf8.contains {
        $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") || $0 == 10 || $0 == 13
      }
      guard isQuoted else { return cell }
      return "\"" + cell.escaping("\"", as: "\"\"") + "\""
    }.joined(separator: ",")
    return Array((line + "\n").utf8)
  }
}

extension TextTable {
  /// Creates a table for the rows of a list.
  init(_ columns: ListColumns, on terminal: Terminal) {
    let kind = columns.entity.identifierKind
    self.init(
      ["id"] + columns.names,
      alignsRight: [kind == .int || kind == .uint]
        + columns.names.indices.map { ValueText.alignsRight(columns.type(at: $0)) },
      on: terminal)
  }
}
