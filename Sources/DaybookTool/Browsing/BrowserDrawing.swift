import Daybook
import DaybookJournal

/// Draws the screen of a browser from its model.
struct BrowserDrawing {
  private let model: BrowserModel
  private let layout: BrowserLayout
  private let size: ScreenSize

  init(_ model: BrowserModel) {
    self.model = model
    layout = model.layout
    size = model.size
  }

  /// The screen of the model.
  var screen: ScreenPicture {
    guard size.columnCount >= 20, size.rowCount >= 6 else {
      let lines = (0..<size.rowCount).map { StyledLine($0 == 0 ? "too small" : "") }
      return ScreenPicture(lines: lines.map { $0.fitted(to: size.columnCount) }, cursor: nil)
    }
    var lines = [title]
    lines += mainPane
    if !layout.isSmall { lines += lowerPanes }
    let command = model.commandLines
    while lines.count < size.rowCount - 1 - command.count { lines.append(StyledLine()) }
    let (status, cursorColumn) = status
    if let error = model.prompt?.error {
      // An error that does not fit beside the typed text is shown above it.
      let errorLine = StyledLine(error, style: .color(.red))
      if status.columnCount > size.columnCount { lines[lines.count - 1] = errorLine }
    }
    lines.append(status)
    lines += command.map { StyledLine($0, style: .dim) }
    var cursor: ScreenPicture.Position?
    if let cursorColumn {
      cursor = ScreenPicture.Position(
        row: size.rowCount - 1 - command.count, column: min(cursorColumn, size.columnCount - 1))
    }
    return ScreenPicture(
      lines: lines.prefix(size.rowCount).map { $0.fitted(to: size.columnCount) }, cursor: cursor)
  }

  // MARK: Title and messages

  private var title: StyledLine {
    let name = DisplayWidth.shortenedInMiddle(
      DisplayWidth.shown(model.journal), to: max(8, size.columnCount * 2 / 5), isPlain: false)
    var parts = [name]
    let moment = model.moment
    parts.append("transaction \(moment) of \(model.history.upperBound)")
    if let mark = model.mark { parts.append("mark \(mark)") }
    if model.isFollowing { parts.append("following") }
    if moment > 0, let heading = model.headings[moment] {
      parts.append(heading.time.shownString)
      if !heading.summary.isEmpty { parts.append(heading.summary) }
    }
    return StyledLine(parts.joined(separator: "  "), style: .bold)
  }

  /// The line of messages, and the column of the cursor if the user types.
  private var status: (line: StyledLine, cursorColumn: Int?) {
    if let prompt = model.prompt {
      return typed(prompt)
    }
    if let wish = model.wish { return (StyledLine("\(wish.progress) (Esc cancels)"), nil) }
    if let message = model.message { return (StyledLine(message), nil) }
    if model.menu != nil { return (StyledLine("Enter chooses, Esc closes, / types a key"), nil) }
    if let page = model.page {
      let enter = page.target.map { "Enter shows transaction \($0), " } ?? ""
      return (StyledLine("\(enter)Esc closes"), nil)
    }
    return (StyledLine("? keys  / filter  Tab panes  q quit", style: .dim), nil)
  }

  private func typed(_ prompt: BrowserPrompt) -> (line: StyledLine, cursorColumn: Int?) {
    var line = StyledLine("\(prompt.purpose.title): ", style: .bold)
    // A long text is shown from a later character on, so that the cursor is visible.
    let before = DisplayWidth.shown(prompt.line.contentsBeforeCursor)
    let room = max(8, (size.columnCount - line.columnCount) * 2 / 3)
    var (start, width) = (before.endIndex, 0)
    while start > before.startIndex {
      let previous = before.index(before: start)
      let columnCount = DisplayWidth.columns(before[previous])
      if width + columnCount > room { break }
      (start, width) = (previous, width + columnCount)
    }
    let cursorColumn = line.columnCount + width
    let after = prompt.line.contents.dropFirst(prompt.line.position)
    line.append(String(before[start...]) + DisplayWidth.shown(String(after)))
    if let error = prompt.error {
      line.append("   ")
      line.append(error, style: .color(.red))
    } else if let wish = model.wish {
      line.append("   \(wish.progress)", style: .dim)
    }
    return (line, cursorColumn)
  }

  // MARK: Panes

  /// Returns the title of a pane. The title of the pane that has the focus is a line of `=`.
  private func heading(_ label: String, hasFocus: Bool, columnCount: Int) -> StyledLine {
    let sign = hasFocus ? "=" : "-"
    let shown = DisplayWidth.shortened(
      DisplayWidth.shown("\(sign)\(sign) \(label) "), to: columnCount, isPlain: false)
    let rest = String(repeating: sign, count: max(0, columnCount - DisplayWidth.columns(shown)))
    return StyledLine(shown + rest, style: hasFocus ? .bold : .plain)
  }

  /// The pane at the top. On a small screen it is the pane that has the focus.
  private var mainPane: [StyledLine] {
    let room = layout.listRowCount + 1
    if let menu = model.menu { return self.menu(menu, rowCount: room) }
    if let page = model.page { return self.page(page, rowCount: room) }
    if layout.isSmall {
      switch model.focus {
      case .transactions: return transactions
      case .record: return BrowserRows(model).record(heading: heading(_:hasFocus:columnCount:))
      case .list: break
      }
    }
    let rows = BrowserRows(model)
    return [heading(rows.title, hasFocus: model.focus == .list, columnCount: size.columnCount)]
      + filled(rows.table, to: room)
  }

  private func menu(_ menu: BrowserMenu, rowCount: Int) -> [StyledLine] {
    let start = max(0, min(menu.selected - rowCount / 2, menu.items.count - rowCount))
    let items = menu.items.indices.dropFirst(start).prefix(rowCount).map { index in
      let isSelected = index == menu.selected
      return StyledLine(
        "\(isSelected ? ">" : " ") \(menu.items[index].label)",
        style: isSelected ? .reverse : .plain
      )
    }
    return [heading(menu.title, hasFocus: true, columnCount: size.columnCount)]
      + filled(items, to: rowCount)
  }

  private func page(_ page: BrowserPage, rowCount: Int) -> [StyledLine] {
    let room = ScreenSize(columnCount: size.columnCount, rowCount: rowCount)
    let (rows, count) = page.visible(in: room)
    let isComplete = count == page.lines.count
    let position = isComplete ? "" : " (\(page.top + 1)-\(page.top + count) of \(page.lines.count))"
    return [
      heading(page.title + position, hasFocus: true, columnCount: size.columnCount)
    ] + filled(rows.map { StyledLine($0) }, to: rowCount)
  }

  private func filled(_ lines: [StyledLine], to rowCount: Int) -> [StyledLine] {
    lines + Array(repeating: StyledLine(), count: max(0, rowCount - lines.count))
  }

  private var lowerPanes: [StyledLine] {
    let left = transactions
    let right = BrowserRows(model).record(heading: heading(_:hasFocus:columnCount:))
    let width = layout.transactionColumnCount - 1
    return (0..<layout.transactionRowCount + 1).map { row in
      var line = (row < left.count ? left[row] : StyledLine()).fitted(to: width)
      line.append(" ")
      if row < right.count { line.append(right[row]) }
      return line
    }
  }

  private var transactions: [StyledLine] {
    let width = layout.isSmall ? size.columnCount : layout.transactionColumnCount - 1
    let hasFocus = model.focus == .transactions && model.menu == nil && model.page == nil
    let rows = model.visibleTransactions.map { sequence -> StyledLine in
      let isSelected = sequence == model.selected
      let sign = isSelected ? ">" : " "
      // `*` is the shown moment, `m` the mark, `x` a transaction that is left out.
      let kind =
        model.picture?.view.without == sequence
        ? "x" : sequence == model.mark ? "m" : sequence == model.picture?.view.moment ? "*" : " "
      var line = "\(sign)\(kind)\(sequence)"
      if let heading = model.headings[sequence] {
        let time = heading.time.shownString.replacing("T", with: " ").prefix(19)
        line = [line, String(time), heading.counts, heading.summary].filter { !$0.isEmpty }
          .joined(separator: " ")
      } else if sequence == 0 {
        line += " before the first transaction"
      }
      return StyledLine(line, style: isSelected && hasFocus ? .reverse : .plain)
    }
    let count = model.history.upperBound - max(model.history.lowerBound, 0)
    let title = Counted.phrase(Int(clamping: count), one: "transaction", several: "transactions")
    return [heading(title, hasFocus: hasFocus, columnCount: width)] + rows
  }
}
