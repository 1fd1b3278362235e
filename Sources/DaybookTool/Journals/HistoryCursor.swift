import DaybookJournal
import DaybookStore

/// A position in the history of a journal, which moves in steps that can be cancelled.
final class HistoryCursor {
  private let store: Store
  private var walk: HistoryWalk
  /// The last state that the cursor can reach.
  let last: SequenceNumber

  /// The number of transactions between two checks for a cancellation.
  private static let stepCount = 2048

  /// Creates a cursor at the state before the last transaction of a store, or at the base.
  init(_ store: Store) throws(StoreError) {
    self.store = store
    last = store.snapshot.sequence
    walk = try HistoryCursor.walk(store, from: last)
  }

  /// Returns a walk that starts at a transaction, or at the base of the journal.
  private static func walk(
    _ store: Store, from sequence: SequenceNumber
  ) throws(StoreError) -> HistoryWalk {
    let walk = try store.walk(from: sequence)
    // The state before the base is empty, and has no number of its own.
    if walk.snapshot.sequence < store.base { try walk.move(to: store.base) }
    return walk
  }

  /// The state at the position.
  var snapshot: StoreSnapshot { walk.snapshot }

  /// Moves to the state after a transaction, and returns the state. The move starts at the end of
  /// the history if the end is nearer.
  ///
  /// - Throws: `StoreError`, with `noSuchMoment` if the transaction is after ``last``. A long move
  ///   throws `CancellationError` if the task is cancelled. The cursor can be used after both.
  func move(to target: SequenceNumber) throws -> StoreSnapshot {
    let end = store.snapshot.sequence
    if end == last, target <= last, target > walk.snapshot.sequence,
      last.rawValue - target.rawValue < target.rawValue - walk.snapshot.sequence.rawValue
    {
      walk = try HistoryCursor.walk(store, from: last)
    }
    let start = walk.snapshot.sequence
    while true {
      let here = walk.snapshot.sequence
      let way = here < target ? target.rawValue - here.rawValue : here.rawValue - target.rawValue
      if way <= UInt64(HistoryCursor.stepCount) || target > last {
        return try walk.move(to: target)
      }
      try Task.checkCancellation()
      try walk.move(
        to: here.advanced(by: here < target ? HistoryCursor.stepCount : -HistoryCursor.stepCount))
      let total =
        start < target ? target.rawValue - start.rawValue : start.rawValue - target.rawValue
      Progress.shared.show(
        "reading the history", done: total - min(way, total), of: total,
        in: .things("transactions"))
    }
  }
}
