import DaybookJournal
import DaybookStore

extension Store {
  /// Returns a replay of the differences that the transactions of the journal caused in the result
  /// of a request.
  ///
  /// The replay contains no transactions that are saved after the call of this method.
  ///
  /// ```swift
  /// let replay = try store.replay(request, from: 41, to: 57)
  /// while let step = try replay.next() { print(step.difference) }
  /// ```
  ///
  /// - Parameters:
  ///   - first: The first transaction of the replay. The replay starts with the list before this
  ///     transaction. If it is nil, the replay starts with the empty list. If the journal was
  ///     compacted and starts with a base, the first step then contains the records of the base as
  ///     one transaction.
  ///   - last: The last transaction of the replay; nil for the last saved transaction.
  /// - Throws: ``RequestError`` if the request is not valid; ``StoreError`` with `noSuchMoment`,
  ///   with `unknownType`, or with `journal` if a stored record is damaged
  /// - Complexity: O(*k*) in the changes since the first transaction, and O(*n* log *n*); each step
  ///   O(*k* log *n*) in the touched rows
  public func replay<R: FetchableRecord>(
    _ request: ListRequest<R>, from first: SequenceNumber? = nil, to last: SequenceNumber? = nil
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
