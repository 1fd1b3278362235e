import Daybook
import DaybookJournal

/// The page of a report: one HTML file that contains its data, its script and its style sheet.
///
/// Without scripts, the page shows the summary, the curves, the first and the last list. The script
/// replaces the two lists by the player. A printed page shows the two lists too.
struct ReportPage {
  let heading: ReportHeading
  let recording: ListRecording
  let notes: ReportNotes

  /// The maximum number of rows of a list that the page shows without scripts.
  private static let stillRowCountMax = 5_000
  /// The size in bytes after which such a list ends.
  private static let stillByteCountMax = 1 << 20

  /// Writes the page.
  ///
  /// - Parameter output: The closure that receives the bytes of the page.
  func write(to output: ([UInt8]) throws -> Void) throws {
    func write(_ html: String) throws { try output(Array(html.utf8)) }
    let (script, style) = (ReportScript.source, ReportStyle.source)
    let policy =
      "default-src 'none'; script-src \(ReportText.source(of: script)); "
      + "style-src \(ReportText.source(of: style)); base-uri 'none'; form-action 'none'"
    try write(
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>\(ReportText.inPage(heading.title))</title>
      <style>\(style)</style>
      </head>
      <body>
      \(header)
      \(ReportMarkup.player)
      \(curves)
      \(ReportMarkup.stage)
      <section id="still">

      """)
    let first = recording.firstSequence
    try writePicture(
      of: recording.firstObjects,
      title: first == .zero
        ? "The list before the first transaction" : "The list after transaction \(first)", to: write
    )
    if recording.summary.stepCount > 0 {
      try writePicture(of: recording.lastObjects, title: "The list at the end", to: write)
    }
    try write("</section>\n<script type=\"application/json\" id=\"data\">")
    try recording.writeData(heading, notes: notes, to: output)
    try write("</script>\n<script>\(script)</script>\n</body>\n</html>\n")
  }

  private var header: String {
    let options = heading.options.map { label, value in
      "<span class=\"option\">\(label) <b>\(ReportText.inPage(value))</b></span>"
    }.joined(separator: "\n")
    let sentences = recording.summary.sentences(of: recording, tags: notes.tags)
      .map { "<p>\(ReportText.inPage($0))</p>" }.joined(separator: "\n")
    return """
      <header>
      <div class="title">
      <h1>\(ReportText.inPage(heading.entity))</h1>
      <span class="option">in <b>\(ReportText.inPage(heading.journal))</b></span>
      \(options)
      </div>
      <div id="summary">
      \(sentences)
      </div>
      </header>
      """
  }

  private var curves: String {
    let summary = recording.summary
    var curves = [curve("rows", values: summary.rowCounts, index: nil)]
    for (index, measure) in recording.measures.enumerated() {
      curves.append(
        curve(DisplayWidth.shown(measure), values: summary.totals[index], index: index))
    }
    return """
      <section id="curves" aria-label="The list over time">
      \(curves.joined(separator: "\n"))
      </section>
      """
  }

  private func curve(_ name: String, values: [Double?], index: Int?) -> String {
    let range = ReportCurve.range(values)
    let path = ReportCurve.path(values)
    return """
      <figure class="curve"\(index.map { " data-measure=\"\($0)\"" } ?? "")>
      <figcaption><span class="name">\(ReportText.inPage(name))</span> \
      <b class="value"></b></figcaption>
      <svg viewBox="0 0 1000 60" preserveAspectRatio="none" aria-hidden="true">\
      <path d="\(path)"/><line class="cursor" x1="0" x2="0" y1="0" y2="60"/></svg>
      <span class="range">\(range.map { "\($0.high)<br>\($0.low)" } ?? "")</span>
      </figure>
      """
  }

  // MARK: Pictures without scripts

  private func writePicture(
    of objects: ListObjects, title: String, to output: (String) throws -> Void
  ) throws {
    var byteCount = 0
    func write(_ html: String) throws {
      byteCount += html.utf8.count
      try output(html)
    }
    let rows = Counted.phrase(objects.count, one: "row", several: "rows")
    try write("<h2>\(title) <small>\(rows)</small></h2>\n")
    if objects.isEmpty { return }
    try write("<table>\n<thead><tr><th>id")
    for name in recording.columns.names {
      try write("<th>\(ReportText.inPage(DisplayWidth.shown(name)))")
    }
    try write("</thead>\n")
    var count = 0
    for section in objects.sections {
      if count >= ReportPage.stillRowCountMax || byteCount > ReportPage.stillByteCountMax { break }
      try write("<tbody>\n")
      if recording.isSectioned {
        let name = ReportText.inPage(DisplayWidth.shown(section.name))
        let total =
          section.totals.isEmpty
          ? "" : " <small>\(ReportText.inPage(DisplayWidth.shown(section.totals.line)))</small>"
        try write(
          "<tr class=\"group\"><th colspan=\"\(recording.columns.names.count + 1)\">"
            + "<bdi>\(name)</bdi> <small>\(section.numberOfObjects)</small>\(total)\n")
      }
      let shownCount = min(section.numberOfObjects, ReportPage.stillRowCountMax - count)
      for row in 0..<shownCount where byteCount <= ReportPage.stillByteCountMax {
        try write(line(of: section.objects, at: row))
        count += 1
      }
      try write("</tbody>\n")
    }
    try write("</table>\n")
    if count < objects.count {
      try write("<p>\(objects.count - count) more rows are not shown here.</p>\n")
    }
    if objects.totals.isEmpty { return }
    try write("<p>total: \(ReportText.inPage(DisplayWidth.shown(objects.totals.line)))</p>\n")
    if recording.isWindowed {
      try write("<p>all: \(ReportText.inPage(DisplayWidth.shown(objects.allTotals.line)))</p>\n")
    }
  }

  private func line(of objects: ListObjects, at index: Int) throws -> String {
    let row = try recording.columns.rows(of: objects, in: index..<index + 1)[0]
    var line = "<tr><td>\(ReportText.inPage(DisplayWidth.shown(ValueText.text(of: row.id))))"
    for (column, cell) in RecordedRows.cells(row).enumerated() {
      let type = recording.columns.type(at: column)
      let kind = cell == nil ? "nil" : ValueText.alignsRight(type) ? "number" : nil
      line += kind.map { "<td class=\"\($0)\">" } ?? "<td>"
      line += ReportText.inPage(cell ?? "nil")
    }
    return line + "\n"
  }
}
