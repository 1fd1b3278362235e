import Daybook

/// The search for the transaction since which rows match a filter, and its result as `daybook
/// bisect` prints it.
struct HistorySearch {
  private let rows: MatchingRows
  private let entity: String
  /// The transaction; nil if no row matches at the end of the journal.
  let found: FoundTransaction?
  /// The number of states that were checked.
  let stateCount: Int

  /// Creates the result of a search in a journal.
  ///
  /// - Throws: ``ToolError`` if the request has an error, and `CancellationError` if the task is
  ///   cancelled
  init(_ request: DynamicRequest, in journal: OpenJournal) throws {
    let rows = try MatchingRows(request, in: journal)
    let search = try Bisection(from: rows.earliest, through: rows.latest) {
      try rows.exist(after: $0)
    }
    (self.rows, entity, stateCount) = (rows, request.entity, search.checkCount)
    found = try search.first.map { try FoundTransaction($0, of: rows, entity: request.entity) }
  }

  /// Writes the changes of the transaction, a line for each matching row that the transaction did
  /// not change itself, and a sentence.
  func writeLines(to output: Output, on terminal: Terminal) throws {
    guard let found else {
      return try output.line(
        "no \(entity) matches at the end (transaction \(rows.latest)), so there is no start to find."
      )
    }
    try found.transaction.writeLines(to: output, on: terminal)
    for id in found.unchangedIDs { try output.line("  = \(LoggedChange.name(entity, id: id))") }
    try output.line("")
    let states = Counted.phrase(stateCount, one: "state was", several: "states were")
    try output.line("\(sentence(of: found)) \(states) checked.")
  }

  private func sentence(of found: FoundTransaction) -> String {
    let sequence = found.transaction.sequence.rawValue
    let count = found.ids.count == 1 ? "1 row matches" : "\(found.ids.count) rows match"
    if found.transaction.isBase {
      return "\(count) in the base, the oldest state of this journal. Earlier history was removed."
    }
    return sequence == rows.earliest
      ? "\(count) after the first transaction."
      : "\(count) after transaction \(sequence), and none after transaction \(sequence - 1)."
  }
}
