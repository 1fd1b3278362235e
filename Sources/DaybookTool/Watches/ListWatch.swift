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
  /// The differences before the first transaction that is followed; nil if all were returned.
  private var past: ListReplay<DynamicRecord>?
  /// The list at the start of the past differences.
  private let start: (objects: ListObjects, snapshot: StoreSnapshot)

  /// - Parameters:
  ///   - store: The store that follows the journal.
  ///   - request: The request of the list.
  ///   - first: The transaction after which the watch starts; nil for the last one.
  init(_ store: Store, request: DynamicRequest, from first: SequenceNumber? = nil) throws {
    self.store = store
    let head = store.snapshot
    list = try FollowingList(request, at: head)
    guard let first, first < head.sequence else {
      (past, start) = (nil, (list.objects, head))
      return
    }
    let replay = try store.replay(request, from: first.next, to: head.sequence)
    (past, start) = (replay, (replay.objects, try store.snapshot(at: first)))
  }

  /// The list after the last event. While past differences are returned, it is the list at their
  /// start.
  var objects: ListObjects { past == nil ? list.objects : start.objects }

  /// The state of the list. While past differences are returned, it is the state at their start.
  var snapshot: StoreSnapshot { past == nil ? list.snapshot : start.snapshot }

  /// Returns the next change of the list. Returns nil if no new transaction has changed the list.
  ///
  /// - Throws: ``StoreError``
  /// - Complexity: O(*k* log *n*) for *k* changed rows; O(*n* log *n*) if the schema has new
  ///   attributes, or if a new file has replaced the journal
  func next() throws -> Event? {
    if let step = try past?.next() {
      guard let sequence = step.transaction.sequence, let time = step.transaction.time else {
        preconditionFailure("a transaction of a journal has no number")
      }
      return .difference(
        step.difference, after: sequence, time: time, metadata: step.transaction.metadata)
    }
    past = nil
    while try store.readNextTransaction() {
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
