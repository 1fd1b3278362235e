import DaybookJournal
import DaybookResults
import DaybookStore

extension Store {
  /// What has happened to what a request finds between two transactions: from the list after the one to
  /// the list after the other, in whichever direction; 0 is before the first.
  ///
  /// ```swift
  /// let difference = try store.difference(of: request, from: 41, to: 57)
  /// ```
  ///
  /// - Throws: ``RequestError`` for what is wrong with the request; ``StoreError`` with `noSuchMoment` or
  ///   `unknownType`
  /// - Complexity: O(*n* log *n*), and O(*k*) in the changes since the earlier of the two
  public func difference<R: Record>(
    of request: FetchRequest<R>, from start: SequenceNumber, to end: SequenceNumber
  ) throws -> ListDifference<R> {
    try snapshot(at: start).difference(to: snapshot(at: end), of: request)
  }

  /// What has happened to what a request finds between two times, in whichever direction. Each means the
  /// last transaction at or before it.
  ///
  /// - Throws: As between two transactions
  /// - Complexity: As between two transactions
  public func difference<R: Record>(
    of request: FetchRequest<R>, from start: JournalTime, to end: JournalTime
  ) throws -> ListDifference<R> {
    try snapshot(at: start).difference(to: snapshot(at: end), of: request)
  }
}
