import DaybookJournal
import DaybookStore
import DaybookText

/// What is the matter with a journal, told as it is found.
struct JournalCheck {
  private let name: String
  private let output: Output
  /// How many complaints there were.
  private(set) var complaintCount = 0
  /// What was counted, for the last line.
  private(set) var counts: [String] = []
  /// The transactions that can be read, where not all can.
  private(set) var readable: [ClosedRange<SequenceNumber>] = []
  /// Whether a salvage would save what can be read.
  private(set) var isDamaged = false

  /// - Parameter name: What the journal was called on the command line.
  init(_ name: String, to output: Output) {
    self.name = name
    self.output = output
  }

  /// Tells of something that is wrong.
  mutating func complain(_ sentence: String) throws {
    complaintCount += 1
    try output.line(DisplayWidth.shown(sentence))
  }

  /// Tells of something that is nothing wrong.
  func note(_ sentence: String) throws {
    try output.line("note: \(DisplayWidth.shown(sentence))")
  }

  mutating func count(_ number: Int, one: String, several: String) {
    counts.append(Counted.text(number, one: one, several: several))
  }

  // MARK: Bytes

  /// Looks at every byte.
  ///
  /// - Returns: Whether it is a journal that can be opened.
  mutating func lookAtBytes() throws -> Bool {
    var complaints: [DaybookJournal.Complaint] = []
    let summary: VerificationSummary
    do throws(StoreError) {
      var options = JournalOptions()
      options.progress = Progress.shared.reading(name)
      summary = try Store.verify(at: name, options: options) { complaints.append($0) }
    } catch {
      throw ToolError(error)
    }
    var canBeOpened = true
    for complaint in complaints {
      try complain("\(complaint)")
      switch complaint.kind {
      case .unreadable: canBeOpened = false
      case .unreadableBase, .unreadableTransactions, .missingTail, .strayBytes:
        isDamaged = true
      default: break
      }
    }
    readable = summary.readable
    count(summary.transactionCount, one: "transaction", several: "transactions")
    return canBeOpened
  }

  // MARK: Records

  /// Looks at the records of a journal's last state that can be read.
  mutating func lookAtRecords(of journal: OpenJournal) throws {
    if let problem = journal.store.readingProblem {
      try complain("\(problem)")
      isDamaged = true
    }
    if let report = journal.imported {
      // The line of a base is none.
      let count = report.transactionCount - (journal.store.base > .zero ? 1 : 0)
      self.count(count, one: "transaction", several: "transactions")
      if report.raisedTimeCount > 0 {
        self.count(report.raisedTimeCount, one: "raised time", several: "raised times")
      }
    }
    var problems: [ValidationProblem] = []
    let check = StateCheck(journal.store.snapshot) { problems.append($0) }
    for problem in problems { try complain("\(journal.name): \(problem).") }
    try lookAtTransactions(of: journal)
    count(check.recordCount, one: "record", several: "records")
    count(check.referenceCount, one: "reference", several: "references")
    if check.danglingCount > 0 {
      counts.append(
        "\(check.danglingCount) of which \(check.danglingCount == 1 ? "dangles" : "dangle")")
    }
  }

  /// Looks at every transaction that the last state does not show.
  private mutating func lookAtTransactions(of journal: OpenJournal) throws {
    var findings: [TransactionsCheck.Finding] = []
    let check: TransactionsCheck
    do throws(StoreError) {
      check = try TransactionsCheck(journal.store) { findings.append($0) }
    } catch { return try complain("\(journal.error(error))") }
    for finding in findings { try complain("\(journal.name): \(finding).") }
    if let problem = TextJournal.headerProblem(of: check.entities, base: journal.store.base) {
      try complain("\(journal.name): no text can have its schema: \(problem)")
    }
  }

  // MARK: The end

  /// Says how it all came out.
  func end() throws -> ExitStatus {
    guard complaintCount > 0 else {
      try output.line("OK: \(counts.joined(separator: ", "))")
      return .done
    }
    let runs = readable.map { run in
      run.lowerBound == run.upperBound
        ? "\(run.lowerBound)" : "\(run.lowerBound) to \(run.upperBound)"
    }
    let intact =
      runs.isEmpty ? "" : "; transactions that can be read: \(runs.joined(separator: ", "))"
    try output.line(Counted.text(complaintCount, one: "complaint", several: "complaints") + intact)
    if isDamaged {
      try output.flush()
      Complaint.write("try: \(ShellText.command(["salvage", name, "saved.daybook"]))")
    }
    return .problem
  }
}
