import DaybookJournal
import DaybookStore

extension Store {
  /// Returns a replay of the differences that the transactions of the journal made to what a request
  /// finds, as many as there are now.
  ///
  /// ```swift
  /// let replay = try store.replay(request, from: 41, to: 57)
  /// while let step = try replay.next() { print(step.difference) }
  /// ```
  ///
  /// - Parameters:
  ///   - first: The first transaction that is told: the list before it is where the replay begins. Without
  ///     one that is the empty list, and where history begins with a base, all that this holds is told as
  ///     one transaction.
  ///   - last: The last transaction that is told; without one, the last that there is now.
  /// - Throws: ``RequestError`` for what is wrong with the request; ``StoreError`` with `noSuchMoment` or
  ///   `unknownType`
  /// - Complexity: O(*k*) in the changes since the first transaction, and O(*n* log *n*); each step
  ///   O(*k* log *n*) in the rows that are touched
  public func replay<R: FetchableRecord>(
    _ request: FetchRequest<R>, from first: SequenceNumber? = nil, to last: SequenceNumber? = nil
  ) throws -> ListReplay<R> {
    try request.checkType(snapshot.frozen, of: path)
    let head = snapshot.sequence
    if let last, last < base || last > head {
      throw StoreError(.noSuchMoment(last, first: base, last: head), path: path)
    }
    let replay = try ListReplay(request, walk: walk(from: first), through: last ?? head)
    try snapshot.frozen.checkWhole(path)
    return replay
  }
}
