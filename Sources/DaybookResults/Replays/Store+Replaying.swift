import DaybookJournal
import DaybookStore

extension Store {
  /// Returns a replay of the differences that the transactions of the journal caused in the result
  /// of a request.
  ///
  /// The replay ends at the last transaction that is saved when the method is called, or before it.
  ///
  /// ```swift
  /// let replay = try store.replay(request, from: 41, to: 57)
  /// while let step = try replay.next() { print(step.difference) }
  /// ```
  ///
  /// - Parameters:
  ///   - first: The first transaction of the replay, which starts with the list before it. If it is
  ///     nil, the replay starts with the empty list. If history starts with a base, the whole
  ///     content of the base is then reported as one transaction.
  ///   - last: The last transaction of the replay; nil for the last one that is saved.
  /// - Throws: ``RequestError`` if the request is not valid; ``StoreError`` with `noSuchMoment` or
  ///   `unknownType`
  /// - Complexity: O(*k*) in the changes since the first transaction, and O(*n* log *n*); each step
  ///   O(*k* log *n*) in the touched rows
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
