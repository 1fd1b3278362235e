import DaybookJournal
@_spi(Tools) import DaybookStore
import DaybookText

/// The check of a journal for `daybook verify`. It prints each problem as soon as it finds the
/// problem.
struct JournalCheck {
  private let name: String
  private let output: Output
  /// The number of problems.
  private(set) var problemCount = 0
  /// The counts that the last line of the output contains.
  private(set) var counts: [String] = []
  /// The ranges of the readable transactions. `end()` prints them if there are problems.
  private(set) var readable: [ClosedRange<SequenceNumber>] = []
  /// A Boolean value that indicates whether the journal is damaged, so that `daybook salvage` can
  /// help.
  private(set) var isDamaged = false

  /// - Parameters:
  ///   - name: The name of the journal, as the user typed it.
  ///   - output: The output for the problems.
  init(_ name: String, to output: Output) {
    self.name = name
    self.output = output
  }

  /// Reports a problem.
  mutating func report(_ sentence: String) throws {
    problemCount += 1
    try output.line(sentence)
  }

  /// Prints a note about a fact that is not a problem.
  func record(_ sentence: String) throws {
    try output.line("note: \(sentence)")
  }

  mutating func count(_ number: Int, one: String, several: String) {
    counts.append(Counted.phrase(number, one: one, several: several))
  }

  // MARK: Bytes

  /// Checks every byte of the journal.
  ///
  /// - Returns: A Boolean value that indicates whether the journal can be opened.
  mutating func inspectBytes() throws -> Bool {
    var problems: [VerificationProblem] = []
    let summary: VerificationSummary
    do throws(StoreError) {
      let options = JournalOptions.tool(reading: name)
      summary = try Store.verify(at: name, options: options) { problems.append($0) }
    } catch {
      throw ToolError(error)
    }
    var canBeOpened = true
    for problem in problems {
      try report("\(problem)")
      switch problem.kind {
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

  /// Checks the records of the last readable state.
  mutating func inspectRecords(of journal: OpenJournal) throws {
    if let problem = journal.store.readingProblem {
      try report("\(problem)")
      isDamaged = true
    }
    if let report = journal.imported {
      // The report counts the line of a base, which is not a transaction.
      let count = report.transactionCount - (journal.store.base > .zero ? 1 : 0)
      self.count(count, one: "transaction", several: "transactions")
      if report.raisedTimeCount > 0 {
        self.count(report.raisedTimeCount, one: "raised time", several: "raised times")
      }
    }
    var problems: [ValidationProblem] = []
    let check = StateCheck(journal.store.snapshot) { problems.append($0) }
    for problem in problems { try report("\(journal.name): \(problem).") }
    try inspectTransactions(of: journal)
    count(check.recordCount, one: "record", several: "records")
    let references = Counted.phrase(check.referenceCount, one: "reference", several: "references")
    counts.append(
      check.danglingCount == 0
        ? references : "\(references) (\(check.danglingCount) dangling)")
    if check.disagreementCount > 0 {
      count(
        check.disagreementCount, one: "disagreement of stored inverses",
        several: "disagreements of stored inverses")
    }
  }

  /// Checks the transactions and the entities of the complete history.
  private mutating func inspectTransactions(of journal: OpenJournal) throws {
    var findings: [TransactionsCheck.Finding] = []
    let check: TransactionsCheck
    do throws(StoreError) {
      check = try TransactionsCheck(journal.store) { findings.append($0) }
    } catch { return try report("\(journal.error(error))") }
    for finding in findings { try report("\(journal.name): \(finding).") }
    if let problem = TextJournal.headerProblem(of: check.entities, base: journal.store.base) {
      try report("\(journal.name): the schema cannot be exported: \(problem)")
    }
  }

  // MARK: The end

  /// Prints the last line: `OK` and the counts if there are no problems, or else the number of
  /// problems.
  ///
  /// - Returns: The exit status of the command.
  func end() throws -> ExitStatus {
    guard problemCount > 0 else {
      try output.line("OK: \(counts.joined(separator: ", "))")
      return .done
    }
    let runs = readable.map { run in
      run.lowerBound == run.upperBound
        ? "\(run.lowerBound)" : "\(run.lowerBound) to \(run.upperBound)"
    }
    let intact =
      runs.isEmpty ? "" : "; readable transactions: \(runs.joined(separator: ", "))"
    try output.line(Counted.phrase(problemCount, one: "problem", several: "problems") + intact)
    if isDamaged {
      try output.flush()
      StandardError.write("try: \(ShellText.command(["salvage", name, "saved.daybook"]))")
    }
    return .problem
  }
}
