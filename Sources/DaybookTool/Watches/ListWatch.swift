import Daybook

/// A list of a journal that another process writes, updated by one transaction at a time.
final class ListWatch {
  /// A change of the list.
  enum Event {
    /// A transaction has changed the list.
    case difference(
      RecordDifference, after: SequenceNumber, time: JournalTime, metadata: TransactionMetadata)
    /// The journal was compacted, and the transactions in between are not known any more. This is the list from
    /// now on.
    case reset(ListObjects)
  }

  private let store: Store
  private let list: FollowingList<DynamicRecord>

  init(_ store: Store, request: ListRequest) throws {
    self.store = store
    list = try FollowingList(request, at: store.snapshot)
  }

  /// The list as of the last event.
  var objects: ListObjects { list.objects }

  /// The state that the list shows.
  var snapshot: StoreSnapshot { list.snapshot }

  /// Returns the next change of the list by the transactions that the other process has saved; nil if there is
  /// none yet.
  ///
  /// - Throws: ``StoreError``
  /// - Complexity: O(*k* log *n*) in the rows that are touched; O(*n* log *n*) where the schema has grown, or
  ///   another file has taken the journal's name
  func next() throws -> Event? {
    while try store.catchUpByOne() {
      let snapshot = store.snapshot
      switch try list.move(to: snapshot) {
      case nil: continue
      case .initial(let objects), .reset(let objects): return .reset(objects)
      case .difference(let difference):
        // Several transactions of another file have no metadata in common.
        let causes = difference.causes
        let cause = causes.count == 1 ? causes[0] : nil
        return .difference(
          difference, after: snapshot.sequence, time: snapshot.time,
          metadata: cause?.metadata ?? TransactionMetadata())
      }
    }
    return nil
  }
}
