import Daybook

/// A list of a journal that a different process writes. The list is updated by one transaction at a
/// time, so that `daybook watch` prints the difference of each.
final class ListWatch {
  /// A change of the list.
  enum Event {
    /// A transaction changed the list.
    case difference(
      RecordDifference, after: SequenceNumber, time: JournalTime, metadata: TransactionMetadata)
    /// The complete list. A new file has replaced the journal, for example after a compaction, and
    /// the transactions since the last event are not available.
    case reset(ListObjects)
  }

  private let store: Store
  private let list: FollowingList<DynamicRecord>

  init(_ store: Store, request: ListRequest) throws {
    self.store = store
    list = try FollowingList(request, at: store.snapshot)
  }

  /// The list after the last event.
  var objects: ListObjects { list.objects }

  /// The state of the list.
  var snapshot: StoreSnapshot { list.snapshot }

  /// Returns the next change of the list. Returns nil if no new transaction has changed the list.
  ///
  /// - Throws: ``StoreError``
  /// - Complexity: O(*k* log *n*) for *k* changed rows; O(*n* log *n*) if the schema has new
  ///   attributes, or if a new file has replaced the journal
  func next() throws -> Event? {
    while try store.catchUpByOne() {
      let snapshot = store.snapshot
      switch try list.move(to: snapshot) {
      case nil: continue
      case .initial(let objects), .reset(let objects): return .reset(objects)
      case .difference(let difference):
        // After the replacement of the file, one difference can contain several transactions.
        // Several transactions have no common metadata.
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
