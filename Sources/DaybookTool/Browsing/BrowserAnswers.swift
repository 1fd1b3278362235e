@_spi(Tools) import Daybook
import DaybookJournal

/// Computes the pages of a browser, and the lists from which a transaction is left out.
//
// The actor is separate from `ListTraveller`, so that a list can be shown before a cancelled long
// computation has ended.
actor BrowserAnswers {
  private var journal: OpenJournal
  private let name: String
  private var storeNumber = 0
  private var cursor: HistoryCursor?
  /// The states that the last call passed, those of the current store.
  private var known: [KnownState] = []
  /// The largest size of a page in bytes.
  private static let byteCountMax = 4 << 20

  /// - Parameters:
  ///   - journal: The journal.
  ///   - name: The name of the journal, as the user typed it.
  init(_ journal: OpenJournal, named name: String) {
    self.journal = journal
    self.name = name
  }

  /// Uses a different store of the same journal, unless a store with a higher number is used.
  func use(_ journal: OpenJournal, number: Int) {
    guard number > storeNumber else { return }
    (self.journal, storeNumber) = (journal, number)
    cursor = nil
  }

  /// Returns the page that answers a question.
  ///
  /// - Parameters:
  ///   - question: The question.
  ///   - states: States that need not be computed again.
  ///   - columnCount: The width of the screen.
  /// - Throws: ``ToolError``, and `CancellationError` if the task is cancelled
  func page(
    for question: BrowserQuestion, knowing states: [KnownState], columnCount: Int
  ) throws -> BrowserPage {
    try Task.checkCancellation()
    known = states.filter { $0.store == storeNumber }
    let terminal = Terminal(columnCount: columnCount, usesColor: false, isPlain: false)
    return try journal.reading {
      switch question {
      case .difference(let query, let from, let to):
        try difference(question, of: query, between: (from, to), on: terminal)
      case .why(let entity, let id, let attribute):
        try why(question, id: id, of: entity, attribute: attribute, on: terminal)
      case .bisect(let entity, let filter):
        try bisect(question, entity: entity, filter: filter, on: terminal)
      case .counts(let view, let key): try counts(question, in: view, by: key, on: terminal)
      }
    }
  }

  /// Returns the list of a view without a transaction.
  func picture(
    of view: BrowserView, without sequence: UInt64, selected: SelectedRow?,
    knowing states: [KnownState]
  ) throws -> BrowserPicture {
    try Task.checkCancellation()
    known = states.filter { $0.store == storeNumber }
    return try journal.reading {
      let request = try view.query.request()
      let list = try ListWithout(
        request, without: SequenceNumber(sequence), at: try snapshot(at: view.moment), in: journal)
      try Task.checkCancellation()
      let columns = try ListColumns(view.query["--columns"], of: request, in: list.snapshot)
      _ = try columns.rows(of: list.objects, in: 0..<0)
      return BrowserPicture(
        view: view, state: KnownState(snapshot: list.snapshot, store: storeNumber),
        objects: list.objects, columns: columns,
        attributes: try ListColumns(nil, of: request, in: list.snapshot), marks: list.marks,
        conflicts: list.conflicts(of: request.entity), conflictCount: list.conflicts.count,
        selectedRow: try selected?.index(in: list.objects, columns: columns))
    }
  }

  // MARK: Pages

  private func snapshot(at sequence: UInt64) throws -> StoreSnapshot {
    let target = SequenceNumber(sequence)
    if let state = known.first(where: { $0.snapshot.sequence == target }) { return state.snapshot }
    if let cursor, cursor.last == journal.store.snapshot.sequence {
      return try cursor.move(to: target)
    }
    let cursor = try HistoryCursor(journal.store)
    self.cursor = cursor
    return try cursor.move(to: target)
  }

  private func difference(
    _ question: BrowserQuestion, of query: BrowserQuery,
    between moments: (from: UInt64, to: UInt64), on terminal: Terminal
  ) throws -> BrowserPage {
    let (from, to) = moments
    let request = try query.request()
    var list = try ReadList.list(request, at: try snapshot(at: from))
    var new = try snapshot(at: to)
    if !list.fits(new) {
      // A known state is of an older file or schema.
      (known, cursor) = ([], nil)
      list = try ReadList.list(request, at: try snapshot(at: from))
      new = try snapshot(at: to)
    }
    let change = try list.move(to: new)
    let columns = try ListColumns(query["--columns"], of: request, in: new, readsAlong: true)
    var summary: String?
    let lines = try lines { output in
      guard case .difference(let difference) = change else { return }
      let shown = ShownDifference(difference, columns: columns)
      summary = shown.summary
      try shown.writeLines(to: output, on: terminal)
    }
    let title = ShownDifference.heading(of: query.entity, from: from, to: to, summary: summary)
    return BrowserPage(
      question, title: title, lines: lines,
      command: query.command("diff", journal: name, more: ["--from", "\(from)", "--to", "\(to)"]))
  }

  private func why(
    _ question: BrowserQuestion, id: RecordIdentifier, of entity: String, attribute: String?,
    on terminal: Terminal
  ) throws -> BrowserPage {
    var log = JournalLog(journal)
    let identifier = ValueText.text(of: id)
    try log.narrow(toEntity: entity)
    try log.narrow(toIdentifier: identifier)
    let lines = try lines { output in
      if let story = try RecordStory(log, of: attribute) {
        try story.writeLines(to: output, on: terminal)
      }
    }
    return BrowserPage(
      question, title: "why \(LoggedChange.name(entity, id: id))", lines: lines,
      command: BrowserQuery.command(
        "why", arguments: [name, entity, identifier], options: attribute.map { ["--of", $0] } ?? [])
    )
  }

  private func bisect(
    _ question: BrowserQuestion, entity: String, filter: String, on terminal: Terminal
  ) throws -> BrowserPage {
    var query = BrowserQuery(entity: entity)
    query["--where"] = filter
    let search = try HistorySearch(try query.request(), in: journal)
    return BrowserPage(
      question, title: "bisect", lines: try lines { try search.writeLines(to: $0, on: terminal) },
      command: query.command("bisect", journal: name),
      target: search.found?.transaction.sequence.rawValue)
  }

  private func counts(
    _ question: BrowserQuestion, in view: BrowserView, by key: String, on terminal: Terminal
  ) throws -> BrowserPage {
    let groups = try ShownGroups(
      try view.query.request(), by: key, having: nil, in: try snapshot(at: view.moment))
    return BrowserPage(
      question, title: "\(view.query.entity) by \(key)",
      lines: try lines { try groups.writeTable(to: $0, on: terminal) },
      command: view.query.command(
        "show", journal: name, more: ["--group-by", key, "--at", "\(view.moment)"]))
  }

  /// Returns the lines that a closure writes. If they exceed the size limit, the rest is left out.
  private func lines(_ write: (Output) throws -> Void) throws -> [String] {
    let output = Output(keeping: 0..<BrowserAnswers.byteCountMax)
    do {
      try write(output)
      try output.flush()
    } catch is Output.Closed {}
    var lines = String(decoding: output.retainedBytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    if output.isCut {
      lines.append("The rest is left out. The command prints it.")
    } else if lines.last == "" {
      lines.removeLast()
    }
    return lines
  }
}
