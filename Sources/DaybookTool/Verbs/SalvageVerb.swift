import DaybookJournal
import DaybookStore

/// `daybook salvage`: copies the readable transactions of a damaged journal to a new journal.
enum SalvageVerb {
  static let verb = Verb(
    name: "salvage", summary: "copy the readable transactions of a damaged journal to a new one",
    arguments: [
      Verb.Argument(name: "JOURNAL", summary: "the journal; it is not changed"),
      Verb.Argument(name: "NEW", summary: "the new journal; the file must not exist"),
    ],
    flags: [],
    notes: """
      Readable transactions are numbered again without gaps. If the insert of a record
      is lost, its first update becomes an insert, and its deletion is left out. If no
      transaction could be saved, the exit status is 1.
      """,
    example: "daybook salvage Journal/Samples/Records/companies.daybook saved.daybook",
    interruption: .noFile,
    run: run)

  private static func run(_ invocation: Invocation) throws -> ExitStatus {
    let report: SalvageReport
    do throws(StoreError) {
      report = try Store.salvage(
        from: invocation["JOURNAL"], to: invocation["NEW"],
        options: .tool(reading: invocation["JOURNAL"]))
    } catch { throw ToolError(error) }
    for line in lines(of: report) { try invocation.output.line(line) }
    let isNothing = report.transactionCount == 0
    guard isNothing, !report.gaps.isEmpty || !report.notUnderstood.isEmpty else { return .done }
    try invocation.output.flush()
    StandardError.write(
      "no transaction of \(invocation["JOURNAL"]) could be saved; \(invocation["NEW"]) is empty.")
    return .problem
  }

  private static func lines(of report: SalvageReport) -> [String] {
    func counted(_ count: Int, one: String, many: String) -> String? {
      count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
    }
    let gaps = report.gaps.map { gap in
      guard let before = gap.before else { return "lost: every transaction after \(gap.after)" }
      let (first, last) = (gap.after.rawValue + 1, before.rawValue - 1)
      return first == last
        ? "lost: transaction \(first)" : "lost: transactions \(first) to \(last)"
    }
    let rest = [
      report.notUnderstood.isEmpty
        ? nil
        : "not decoded: \(report.notUnderstood.count == 1 ? "transaction" : "transactions") "
          + report.notUnderstood.map { "\($0)" }.joined(separator: ", "),
      counted(report.insertedCount, one: "update became an insert", many: "updates became inserts"),
      counted(report.droppedDeleteCount, one: "delete was left out", many: "deletes were left out"),
      counted(report.lostValueCount, one: "value is lost", many: "values are lost"),
    ]
    let count = report.transactionCount
    return ["saved: \(count == 1 ? "1 transaction" : "\(count) transactions")"] + gaps
      + rest.compactMap { $0 }
  }
}
