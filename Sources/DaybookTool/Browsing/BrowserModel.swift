import DaybookStore

/// The state of a browser.
///
/// The model is a value that starts no work itself: ``press(_:)`` handles a key and returns the
/// work that the key requires, and ``receive(_:)`` handles the results of work. ``BrowserDrawing``
/// shows the model on a screen.
struct BrowserModel: Sendable {
  enum Pane: CaseIterable, Sendable {
    case list, transactions, record
  }

  /// The name of the journal, as the user typed it.
  let journal: String
  /// The names of the entities, with the numbers of their records at the end of the history.
  let entities: [(name: String, count: Int)]
  /// The numbers of the first and the last moment.
  var history: ClosedRange<UInt64>
  var size: ScreenSize

  /// The list that the user wants; nil if the journal has no entities, or while the user chooses
  /// one.
  var requestedView: BrowserView?
  /// The list that is shown.
  var picture: BrowserPicture?
  /// The text that is shown instead of the list; nil for the list.
  var page: BrowserPage?
  var menu: BrowserMenu?
  var prompt: BrowserPrompt?

  var focus = Pane.list
  /// The index of the selected row.
  var row = 0
  /// The index of the first visible line of the list.
  var top = 0
  /// The selected transaction. It is the moment, unless the user selects a different one.
  var selected: UInt64
  /// The selected attribute of the record; 0 is the identifier.
  var attribute = 0
  private(set) var mark: UInt64?
  /// The state at the mark; nil if it was not shown when the user set the mark.
  private var markedState: KnownState?
  var isFollowing = false
  /// The headings of the transactions that were read.
  var headings: [UInt64: TransactionHeading] = [:]
  /// A sentence for the user; nil without a message.
  var message: String?
  /// The number of the last wish, and the text about its progress; nil if no work is running. A
  /// wish is a request of the user for a list or a page.
  var wish: (number: Int, progress: String)?
  private var wishCount = 0
  /// The number of the last wish whose result was shown, or that was cancelled. Results of earlier
  /// wishes are ignored.
  private var shownWish = 0

  /// Work that a key requires.
  enum Work: Sendable {
    /// Finds a list. Earlier work for lists and pages is cancelled.
    case list(BrowserView, selected: SelectedRow?, knowing: [KnownState], wish: Int)
    /// Creates a page. Earlier work for lists and pages is cancelled.
    case page(BrowserQuestion, knowing: [KnownState], wish: Int)
    case cancel
    case readHeadings([UInt64])
    /// Finds the transaction of a moment that the user typed.
    case moment(String)
    case follow, stopFollowing
    case stop, quit
  }

  /// A result of work.
  enum Report: Sendable {
    case list(BrowserPicture, wish: Int)
    case page(BrowserPage, wish: Int)
    case progress(String)
    case failure(String, wish: Int)
    case headings([UInt64: TransactionHeading])
    /// The transaction of a typed moment.
    case moment(UInt64, of: String)
    /// The reason why a typed moment has no transaction.
    case noMoment(String, of: String)
    /// The range of the history, after the journal has changed.
    case growth(ClosedRange<UInt64>)
    case noFollowing(String)
  }

  init(
    journal: String, entities: [(name: String, count: Int)], history: ClosedRange<UInt64>,
    size: ScreenSize
  ) {
    self.journal = journal
    self.entities = entities
    self.history = history
    self.size = size
    selected = history.upperBound
  }

  /// The moment that the user wants.
  var moment: UInt64 { requestedView?.moment ?? selected }

  var layout: BrowserLayout {
    BrowserLayout(size, focus: focus, commandLineCount: commandLines.count)
  }

  /// The selected row of the list; nil if the list is empty.
  var selectedRow: SelectedRow? {
    guard let picture, picture.objects.indices.contains(row),
      let found = try? picture.attributes.rows(of: picture.objects, in: row..<row + 1)
    else { return nil }
    return SelectedRow(id: found[0].id, index: row)
  }

  // MARK: Wishes

  /// Returns the work that finds a list.
  mutating func want(_ view: BrowserView) -> [Work] {
    requestedView = view
    selected = view.moment
    guard picture?.view != view || wish != nil else { return [] }
    return [.list(view, selected: selectedRow, knowing: states, wish: nextWish("reading"))]
  }

  /// Returns the work that finds a page.
  mutating func ask(_ question: BrowserQuestion) -> [Work] {
    [.page(question, knowing: states, wish: nextWish(question.progress))]
  }

  /// The states of the shown moment and of the mark, as far as they are known.
  private var states: [KnownState] { [picture?.state, markedState].compactMap { $0 } }

  private mutating func nextWish(_ progress: String) -> Int {
    wishCount += 1
    wish = (wishCount, progress)
    return wishCount
  }

  /// Cancels the running work. The shown list is then also the list that the user wants.
  mutating func cancel() -> [Work] {
    guard wish != nil else { return [] }
    wish = nil
    if let picture {
      requestedView = picture.view
      selected = picture.view.moment
    }
    message = "cancelled"
    shownWish = wishCount
    return [.cancel]
  }

  /// Sets the mark at a transaction, or removes it from there.
  mutating func toggleMark(at sequence: UInt64) {
    mark = mark == sequence ? nil : sequence
    markedState = mark != nil && picture?.view.moment == mark ? picture?.state : nil
  }

  // MARK: Reports

  /// Handles a result of work, and returns further work. A result of cancelled work is ignored.
  mutating func receive(_ report: Report) -> [Work] {
    switch report {
    case .list(let picture, let number) where number == wish?.number:
      wish = nil
      shownWish = number
      show(picture)
    // While the user holds a key, the lists of earlier wishes are shown too.
    case .list(let picture, let number) where number > shownWish && wish != nil:
      shownWish = number
      show(picture)
    case .page(let page, let number) where number == wish?.number:
      wish = nil
      // The user may type into a prompt. Only the answer to its text closes the prompt.
      guard prompt == nil || isAnswer(page) else { break }
      prompt = nil
      self.page = page
    case .progress(let progress): wish?.progress = progress
    case .failure(let sentence, let number) where number == wish?.number: fail(sentence)
    case .list, .page, .failure: break
    case .headings(let more):
      if headings.count > 10_000 { headings = [:] }
      headings.merge(more) { $1 }
      return []
    // The user may have opened a different prompt meanwhile.
    case .moment(let sequence, let typed) where isPrompt(for: .moment, with: typed):
      prompt = nil
      return travel(to: sequence) + settled()
    case .noMoment(let sentence, let typed) where isPrompt(for: .moment, with: typed):
      prompt?.error = sentence
    case .moment, .noMoment: break
    case .growth(let range): return grow(to: range) + settled()
    case .noFollowing(let sentence):
      isFollowing = false
      message = sentence
    }
    return settled()
  }

  /// Returns whether a page answers the question that is typed in the prompt.
  private func isAnswer(_ page: BrowserPage) -> Bool {
    guard let prompt, prompt.purpose == .bisect, let requestedView else { return false }
    return page.question
      == .bisect(entity: requestedView.query.entity, filter: prompt.line.contents)
  }

  private func isPrompt(for purpose: BrowserPrompt.Purpose, with typed: String) -> Bool {
    prompt?.purpose == purpose && prompt?.line.contents == typed
  }

  private mutating func show(_ picture: BrowserPicture) {
    let isSameQuery = self.picture?.view.query == picture.view.query
    self.picture = picture
    row = picture.selectedRow ?? (isSameQuery ? min(row, max(0, picture.objects.count - 1)) : 0)
    attribute = min(attribute, picture.attributes.names.count)
    if prompt?.purpose == .filter { prompt?.error = nil }
  }

  private mutating func fail(_ sentence: String) {
    wish = nil
    if let picture, prompt == nil { requestedView = picture.view }
    switch prompt?.purpose {
    case .filter, .bisect: prompt?.error = sentence
    default: message = sentence
    }
  }

  private mutating func grow(to range: ClosedRange<UInt64>) -> [Work] {
    let isAtEnd = moment == history.upperBound
    history = range
    guard let requestedView else { return [] }
    if isAtEnd || !range.contains(moment) { return want(requestedView.at(range.upperBound)) }
    return []
  }

  /// Moves the visible parts of the panes to the selections, and returns the work for headings that
  /// the screen needs.
  mutating func settled() -> [Work] {
    if let picture {
      let lines = picture.lines
      row = max(0, min(row, picture.objects.count - 1))
      let room = max(1, layout.listRowCount)
      if !picture.objects.isEmpty {
        let line = lines.index(ofRow: row)
        // The name of the section above the first row stays visible.
        let first = line > 0 && lines[line - 1] != .row(row - 1) ? line - 1 : line
        top = min(max(top, line - room + 1), first)
      }
      top = max(0, min(top, lines.count - room))
    }
    scrollPage(by: 0)
    selected = min(max(selected, history.lowerBound), history.upperBound)
    let missing = visibleTransactions.filter { headings[$0] == nil && $0 > 0 }
    return missing.isEmpty ? [] : [.readHeadings(missing)]
  }

  /// Scrolls the page by a number of lines.
  mutating func scrollPage(by count: Int) {
    let room = ScreenSize(columnCount: size.columnCount, rowCount: layout.listRowCount + 1)
    page?.scroll(by: count, in: room)
  }

  /// The transactions in the pane, the newest first.
  var visibleTransactions: [UInt64] {
    let count = UInt64(max(1, layout.transactionRowCount))
    let (first, last) = (history.lowerBound, history.upperBound)
    // The selected transaction is in the middle, except at the ends of the history.
    let above = min(last - selected, count / 2)
    let bottom = selected + above - first < count ? first : selected + above - count + 1
    return (bottom...bottom + min(last - bottom, count - 1)).reversed()
  }

  // MARK: The command

  /// The words of the command that prints what is shown.
  var command: [String] {
    if let page { return page.command }
    guard let view = picture?.view else {
      return BrowserQuery.command("log", arguments: [journal], options: ["--oneline"])
    }
    var more = ["--at", "\(view.moment)"]
    if let without = view.without { more += ["--without", "\(without)"] }
    return view.query.command("show", journal: journal, more: more)
  }

  /// The command, divided into lines that fit the width of the screen.
  var commandLines: [String] {
    ScreenLines.wrapped(
      ShellText.command(command), to: size.columnCount, countMax: size.rowCount < 16 ? 2 : 3)
  }
}

extension BrowserView {
  /// Returns the view at a different moment. A transaction after the moment cannot be left out.
  func at(_ moment: UInt64) -> BrowserView {
    var view = self
    view.moment = moment
    if let without, without > moment { view.without = nil }
    return view
  }
}
