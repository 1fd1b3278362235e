import Daybook
import DaybookJournal
@_spi(Tools) import DaybookStore

/// The counts of a recording: the changes, the authors, and the values of the curves.
struct ReportSummary {
  private(set) var stepCount = 0
  private(set) var insertedCount = 0
  private(set) var deletedCount = 0
  private(set) var movedCount = 0
  private(set) var updatedCount = 0
  private(set) var firstTime: JournalTime?
  private(set) var lastTime: JournalTime?
  private var transactionCounts: [String: Int] = [:]
  /// The number of rows at the start and after each step.
  private(set) var rowCounts: [Double?]
  /// The totals of the list at the start and after each step, for each measure; nil if a total is
  /// not a number.
  private(set) var totals: [[Double?]]

  init(_ objects: ListObjects, measures: [String]) {
    rowCounts = [Double(objects.count)]
    totals = measures.map { _ in [] }
    add(objects)
  }

  mutating func add(_ step: ListReplay<DynamicRecord>.Step) {
    let (difference, transaction) = (step.difference, step.transaction)
    stepCount += 1
    insertedCount += difference.inserted.count
    deletedCount += difference.deleted.count
    movedCount += difference.moved.count
    updatedCount += difference.updated.count
    firstTime = firstTime ?? transaction.time
    lastTime = transaction.time
    if let author = transaction.metadata.author { transactionCounts[author, default: 0] += 1 }
    rowCounts.append(Double(difference.after.count))
    add(difference.after)
  }

  private mutating func add(_ objects: ListObjects) {
    for (index, total) in objects.totals.enumerated() {
      totals[index].append(Double(ShownTotals.cell(total)))
    }
  }

  /// The authors, each with a count of transactions, the most active author first.
  var authors: [(name: String, count: Int)] {
    transactionCounts.map { (name: $0.key, count: $0.value) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// Returns the sentences of the summary.
  func sentences(of recording: ListRecording, tags: [JournalTag] = []) -> [String] {
    let name = DisplayWidth.shown(recording.columns.entity.name)
    let transactions = Counted.phrase(stepCount, one: "transaction", several: "transactions")
    var sentences = ["\(transactions) changed this list of \(name)."]
    if let firstTime, let lastTime {
      let (first, last) = (ReportText.time(firstTime), ReportText.time(lastTime))
      sentences[0] =
        first == last
        ? "\(transactions) changed this list of \(name), at \(first)."
        : "\(transactions) changed this list of \(name), from \(first) to \(last)."
    }
    let counts = [
      (insertedCount, "inserted"), (deletedCount, "deleted"), (movedCount, "moved"),
      (updatedCount, "updated in place"),
    ].filter { $0.0 > 0 }.map { "\($0) \($1)" }
    if !counts.isEmpty {
      sentences.append("Rows: \(counts.joined(separator: ", ")).")
    }
    sentences.append(
      "The list has \(Counted.phrase(recording.firstObjects.count, one: "row", several: "rows")) "
        + "at the start and \(recording.lastObjects.count) at the end.")
    if !authors.isEmpty {
      sentences.append(
        ReportSummary.list(
          "Authors", of: authors.map { "\(DisplayWidth.shown($0.name)) (\($0.count))" }))
    }
    if !tags.isEmpty {
      sentences.append(
        ReportSummary.list(
          "Tags", of: tags.map { "\(DisplayWidth.shown($0.name)) (\($0.sequence))" }))
    }
    if recording.omittedCount > 0 {
      let omitted = Counted.phrase(
        recording.omittedCount, one: "older transaction is", several: "older transactions are")
      sentences.append(
        "\(omitted) left out, because the page would be too large. It starts after transaction "
          + "\(recording.firstSequence).")
    }
    return sentences
  }

  /// Returns a sentence with the first ten of some elements.
  private static func list(_ label: String, of elements: [String]) -> String {
    let rest = elements.count > 10 ? " and \(elements.count - 10) more" : ""
    return "\(label): \(elements.prefix(10).joined(separator: ", "))\(rest)."
  }
}
