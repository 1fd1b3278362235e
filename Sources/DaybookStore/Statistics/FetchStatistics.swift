import Synchronization

/// What has been read of a store for lists since it was opened.
///
/// To *find* rows is to ask all records of an entity whether they match, and to put those that do in order; no
/// record is made for that. A list that is live, or comes from a cache, is not found again. Records are
/// read when they are touched, one by one or, if a request has a batch size, a batch at a time.
public struct FetchStatistics: Hashable, Sendable {
  /// How often rows were found and put in order.
  public var findCount = 0
  /// How many rows were found.
  public var foundRowCount = 0
  /// How long that took.
  public var findDuration = Duration.zero
  /// How often several records were read at once.
  public var batchCount = 0
  /// How many records were read in these batches.
  public var batchRecordCount = 0
  /// How long that took.
  public var batchDuration = Duration.zero
  /// How many records were read alone.
  public var singleRecordCount = 0

  /// Nothing yet.
  public init() {}

  /// What has been read since an earlier moment.
  ///
  /// ```swift
  /// let before = store.statistics.fetches
  /// show(controller.fetchedObjects?.prefix(20))
  /// print(store.statistics.fetches.since(before).batchCount)
  /// ```
  public func since(_ earlier: FetchStatistics) -> FetchStatistics {
    var since = self
    since.findCount -= earlier.findCount
    since.foundRowCount -= earlier.foundRowCount
    since.findDuration -= earlier.findDuration
    since.batchCount -= earlier.batchCount
    since.batchRecordCount -= earlier.batchRecordCount
    since.batchDuration -= earlier.batchDuration
    since.singleRecordCount -= earlier.singleRecordCount
    return since
  }
}

/// Counts what is read of a store, on any thread.
package final class FetchCounter: Sendable {
  private let findCount = Atomic(0)
  private let foundRowCount = Atomic(0)
  private let findNanoseconds = Atomic<Int64>(0)
  private let batchCount = Atomic(0)
  private let batchRecordCount = Atomic(0)
  private let batchNanoseconds = Atomic<Int64>(0)
  private let singleRecordCount = Atomic(0)

  package init() {}

  package func noteFind(rowCount: Int, nanoseconds: Int64) {
    findCount.add(1, ordering: .relaxed)
    foundRowCount.add(rowCount, ordering: .relaxed)
    findNanoseconds.add(nanoseconds, ordering: .relaxed)
  }

  package func noteBatch(recordCount: Int, nanoseconds: Int64) {
    batchCount.add(1, ordering: .relaxed)
    batchRecordCount.add(recordCount, ordering: .relaxed)
    batchNanoseconds.add(nanoseconds, ordering: .relaxed)
  }

  package func noteSingle() { singleRecordCount.add(1, ordering: .relaxed) }

  package var statistics: FetchStatistics {
    var statistics = FetchStatistics()
    statistics.findCount = findCount.load(ordering: .relaxed)
    statistics.foundRowCount = foundRowCount.load(ordering: .relaxed)
    statistics.findDuration = .nanoseconds(findNanoseconds.load(ordering: .relaxed))
    statistics.batchCount = batchCount.load(ordering: .relaxed)
    statistics.batchRecordCount = batchRecordCount.load(ordering: .relaxed)
    statistics.batchDuration = .nanoseconds(batchNanoseconds.load(ordering: .relaxed))
    statistics.singleRecordCount = singleRecordCount.load(ordering: .relaxed)
    return statistics
  }
}
