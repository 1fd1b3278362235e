import Daybook

/// A list of a journal that another process writes. It is updated by one transaction at a time.
final class ListWatch {
  /// A change of the list.
  enum Event {
    /// A transaction changed the list.
    case difference(
      RecordDifference, after: SequenceNumber, time: JournalTime, metadata: TransactionMetadata)
    /// The list after the journal was compacted or replaced, and the transactions in between are
    /// not available.
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

  /// Returns the next change of the list by a transaction that the other process saved, or nil if
  /// it saved no such transaction yet.
  ///
  /// - Throws: ``StoreError``
  /// - Complexity: O(*k* log *n*) in the touched rows; O(*n* log *n*) if the schema has grown, or
  ///   another file has replaced the journal
  func next() throws -> Event? {
    while try store.catchUpByOne() {
      let snapshot = store.snapshot
      switch try list.move(to: snapshot) {
      case nil: continue
      case .initial(let objects), .reset(let objects): return .reset(objects)
      case .difference(let difference):
        // A new file can bring several transactions at once, which have no common metadata.
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
