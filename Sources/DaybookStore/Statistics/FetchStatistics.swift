import Synchronization

/// Counters of the reads of lists in a store, from its opening on.
///
/// To *find* rows means to filter all records of an entity and to sort the matching ones. No record
/// value is created for that. A live list, or a list from a cache, does not repeat the search.
/// Records are read on access: one at a time or, if the request has a batch size, a batch at a
/// time.
public struct FetchStatistics: Hashable, Sendable {
  /// The number of searches. A search filters and sorts rows.
  public var findCount = 0
  /// The number of rows that the searches have found.
  public var foundRowCount = 0
  /// The total duration of the searches.
  public var findDuration = Duration.zero
  /// The number of batches that were read.
  public var batchCount = 0
  /// The number of records that were read in batches.
  public var batchRecordCount = 0
  /// The total duration of the batch reads.
  public var batchDuration = Duration.zero
  /// The number of records that were read one at a time.
  public var singleRecordCount = 0

  /// Creates statistics with all counters at zero.
  public init() {}

  /// Returns the reads after an earlier point in time.
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

/// Counts the reads of a store, on any thread.
package final class FetchCounter: Sendable {
  private let findCount = Atomic(0)
  private let foundRowCount = Atomic(0)
  private let findNanoseconds = Atomic<Int64>(0)
  private let batchCount = Atomic(0)
  private let batchRecordCount = Atomic(0)
  private let batchNanoseconds = Atomic<Int64>(0)
  private let singleRecordCount = Atomic(0)

  package init() {}

  package func recordFind(rowCount: Int, nanoseconds: Int64) {
    findCount.add(1, ordering: .relaxed)
    foundRowCount.add(rowCount, ordering: .relaxed)
    findNanoseconds.add(nanoseconds, ordering: .relaxed)
  }

  package func recordBatch(recordCount: Int, nanoseconds: Int64) {
    batchCount.add(1, ordering: .relaxed)
    batchRecordCount.add(recordCount, ordering: .relaxed)
    batchNanoseconds.add(nanoseconds, ordering: .relaxed)
  }

  package func recordSingle() { singleRecordCount.add(1, ordering: .relaxed) }

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
