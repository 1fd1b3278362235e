import DaybookJournal
import DaybookStore

/// Tells what each transaction of a journal did to a result, one after the other: the same that somebody
/// heard who followed the result live.
//
// Not Sendable: whoever replays owns it. What it tells can be read by anybody.
package final class ResultReplay {
  private let walk: HistoryWalk
  private let projection: Projection
  private let last: SequenceNumber

  /// - Parameters:
  ///   - walk: The transactions. The result before the first of them is where the replay begins.
  ///   - last: The last transaction that is told, or one behind it.
  /// - Complexity: O(*n* log *n*)
  package init(
    _ request: ResultRequest, _ walk: HistoryWalk, through last: SequenceNumber
  ) throws(RequestError) {
    self.walk = walk
    self.last = last
    // The catalog of every state of the walk is that of its end.
    projection = Projection(
      try request.plan(walk.frozen.catalog), of: walk.frozen, window: request.window)
  }

  /// What the result shows now.
  package var snapshot: ResultSnapshot { projection.snapshot }

  /// The next transaction that changes what is shown, and how; nil after the last.
  ///
  /// - Throws: ``StoreError`` with `payload`
  /// - Complexity: O(*k* log *n*) in the rows that are touched
  package func next() throws(StoreError) -> (transaction: StoreTransaction, script: EditScript)? {
    while walk.frozen.sequence < last, let transaction = try walk.next() {
      if let script = projection.fold(transaction, to: walk.frozen) {
        return (transaction, script)
      }
    }
    return nil
  }
}
