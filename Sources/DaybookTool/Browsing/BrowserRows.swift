import Daybook

/// Draws the rows of a list, and the selected record.
struct BrowserRows {
  private let model: BrowserModel
  private let layout: BrowserLayout
  private let columnCount: Int

  /// The largest number of bytes of a value that is shown.
  private static let byteCountMax = 2000

  init(_ model: BrowserModel) {
    self.model = model
    layout = model.layout
    columnCount = model.size.columnCount
  }

  /// The title of the list.
  var title: String {
    guard let picture = model.picture else {
      return model.entities.isEmpty
        ? "no entities" : model.requestedView?.query.entity ?? "no entity"
    }
    let rows = Counted.phrase(picture.objects.count, one: "row", several: "rows")
    var parts = ["\(picture.view.query.entity): \(rows)"]
    if picture.isSectioned {
      let count = picture.objects.sections.count
      parts[0] += " in \(Counted.phrase(count, one: "section", several: "sections"))"
    }
    if !picture.objects.totals.isEmpty {
      parts.append(picture.objects.totals.line)
    }
    if let without = picture.view.without {
      let conflicts = Counted.phrase(picture.conflictCount, one: "conflict", several: "conflicts")
      parts.append("without transaction \(without), \(conflicts)")
    }
    return parts.joined(separator: "; ")
  }

  /// The head and the visible rows of the list.
  var table: [StyledLine] {
    guard let picture = model.picture else {
      let message =
        model.entities.isEmpty
        ? "The journal has no entities and no records." : model.wish == nil ? "" : "reading …"
      return [StyledLine(message)]
    }
    let lines = picture.lines
    let visible = model.top..<max(model.top, min(lines.count, model.top + layout.listRowCount))
    let shown = visible.map { lines[$0] }
    let indexes = shown.compactMap { if case .row(let row) = $0 { row } else { nil } }
    var rows: [Int: ShownList.Row] = [:]
    if let first = indexes.first, let last = indexes.last,
      let read = try? picture.columns.rows(of: picture.objects, in: first..<last + 1)
    {
      for (row, index) in zip(read, first...last) { rows[index] = row }
    }
    var table = TextTable(
      picture.columns,
      on: Terminal(columnCount: max(8, columnCount - 3), usesColor: false, isPlain: false))
    for row in rows.values { table.measure(BrowserRows.cells(row)) }
    table.fit()
    let head =
      picture.objects.isEmpty
      ? StyledLine("   no rows") : StyledLine("   \(table.head)", style: .bold)
    return [head]
      + shown.map { line in
        switch line {
        case .section(let index): section(picture.objects.sections[index])
        case .row(let index): row(rows[index], at: index, in: table)
        }
      }
  }

  private func section(_ section: FetchedResultsSectionInfo<DynamicRecord>) -> StyledLine {
    var heading = "   \(section.name) (\(section.numberOfObjects))"
    if !section.totals.isEmpty { heading += "  \(section.totals.line)" }
    return StyledLine(heading, style: .bold)
  }

  private func row(_ row: ShownList.Row?, at index: Int, in table: TextTable) -> StyledLine {
    guard let row, let picture = model.picture else { return StyledLine() }
    let isSelected = index == model.row
    let mark = picture.marks[row.id] ?? .none
    let sign = picture.conflicts[row.id] == nil ? mark.rawValue : "!"
    var line = StyledLine("\(isSelected ? ">" : " ")\(sign) ")
    line.append(table.line(BrowserRows.cells(row)))
    if isSelected, model.focus == .list { return line.fitted(to: columnCount).styled(.reverse) }
    if picture.conflicts[row.id] != nil { return line.styled(.color(.red)) }
    return mark.color.map { line.styled(.color($0)) } ?? line
  }

  /// Returns the cells of a row. Long values are cut, because a screen shows only their start.
  private static func cells(_ row: ShownList.Row) -> [String] {
    [cut(ValueText.text(of: row.id))]
      + row.values.map { value in ValueText.text(of: value).map(cut) ?? "nil" }
  }

  private static func cut(_ value: String) -> String {
    guard value.utf8.count > byteCountMax else { return DisplayWidth.shown(value) }
    return DisplayWidth.shown(String(decoding: value.utf8.prefix(byteCountMax), as: UTF8.self))
  }

  // MARK: The record

  /// Returns the lines of the pane of the record.
  func record(heading: (String, Bool, Int) -> StyledLine) -> [StyledLine] {
    let width = layout.isSmall ? columnCount : columnCount - layout.transactionColumnCount
    let hasFocus = model.focus == .record && model.menu == nil && model.page == nil
    guard let picture = model.picture, picture.objects.indices.contains(model.row),
      let read = try? picture.attributes.rows(
        of: picture.objects, in: model.row..<model.row + 1)
    else { return [heading("record", hasFocus, width)] }
    let names = (["id"] + picture.attributes.names).map { BrowserRows.cut($0) }
    let nameWidth = min(names.map { DisplayWidth.columns($0) }.max() ?? 0, width / 2)
    let conflicts = picture.conflicts[read[0].id]
    let lines = zip(names, BrowserRows.cells(read[0])).enumerated().map { index, pair in
      let isSelected = index == model.attribute && hasFocus
      let hasConflict =
        conflicts.map {
          $0.isEmpty || index > 0 && $0.contains(picture.attributes.names[index - 1])
        }
        ?? false
      let name = StyledLine(pair.0).fitted(to: nameWidth).text
      let line = "\(isSelected ? ">" : " ")\(hasConflict ? "!" : " ")\(name)  \(pair.1)"
      return StyledLine(line, style: isSelected ? .reverse : hasConflict ? .color(.red) : .plain)
    }
    let room = layout.recordRowCount
    let start = max(0, min(model.attribute - room / 2, lines.count - room))
    let entity = LoggedChange.name(picture.view.query.entity, id: read[0].id)
    return [heading(entity, hasFocus, width)] + lines.dropFirst(start).prefix(room)
  }
}
