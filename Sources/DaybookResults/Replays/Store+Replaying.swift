import DaybookJournal
import DaybookStore

extension Store {
  /// What the transactions of the journal did to what a request finds, one after the other, as many as
  /// there are now.
  ///
  /// - Parameters:
  ///   - first: The first transaction that is told: the result before it is where the replay begins.
  ///     Without one that is the empty result, and where history begins with a base, all that this holds
  ///     is told as one transaction.
  ///   - last: The last transaction that is told; without one, the last that there is now.
  /// - Throws: ``RequestError`` for what is wrong with the request; ``StoreError`` with `noSuchMoment`
  /// - Complexity: O(*k*) in the changes since the first transaction, and O(*n* log *n*); each step
  ///   O(*k* log *n*) in the rows that are touched
  package func replay(
    _ request: ResultRequest, from first: SequenceNumber? = nil, to last: SequenceNumber? = nil
  ) throws -> ResultReplay {
    let head = snapshot.sequence
    if let last, last < base || last > head {
      throw StoreError(.noSuchMoment(last, first: base, last: head), path: path)
    }
    let replay = try ResultReplay(request, walk(from: first), through: last ?? head)
    try snapshot.frozen.checkWhole(path)
    return replay
  }
}
