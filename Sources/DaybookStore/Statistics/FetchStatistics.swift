import Synchronization

/// Counters of the reads that lists of a store have made since the store was opened.
///
/// A list reads in two steps. First, a *search* finds the rows of the list: it filters the rows of
/// an entity, all of them or those that an index leads to, and sorts the matching ones, without
/// creating records. A live list searches once and then follows the changes; a list from a cache
/// does not search. Second, records are created when the program accesses them: one at a time or,
/// if the request has a batch size, a batch at a time.
public struct FetchStatistics: Hashable, Sendable {
  /// The number of searches.
  public var fetchCount = 0
  /// The number of rows that the searches have read: all records of the entity, or with an index
  /// those that the search compared.
  public var readRowCount = 0
  /// The number of rows that the searches have found.
  public var foundRowCount = 0
  /// The total duration of the searches.
  public var fetchDuration = Duration.zero
  /// The number of times that an index was built from all records of its entity. A search with a
  /// newer state advances an existing index by the changed records instead.
  public var indexBuildCount = 0
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

  /// Returns the reads that were made after earlier statistics of the same store.
  ///
  /// ```swift
  /// let before = store.statistics.fetches
  /// show(controller.fetchedObjects?.prefix(20))
  /// print(store.statistics.fetches.since(before).batchCount)
  /// ```
  public func since(_ earlier: FetchStatistics) -> FetchStatistics {
    var since = self
    since.fetchCount -= earlier.fetchCount
    since.readRowCount -= earlier.readRowCount
    since.foundRowCount -= earlier.foundRowCount
    since.fetchDuration -= earlier.fetchDuration
    since.indexBuildCount -= earlier.indexBuildCount
    since.batchCount -= earlier.batchCount
    since.batchRecordCount -= earlier.batchRecordCount
    since.batchDuration -= earlier.batchDuration
    since.singleRecordCount -= earlier.singleRecordCount
    return since
  }
}

/// The counters of one store, which all threads that read lists increment. ``FetchStatistics`` is a
/// copy of their values.
package final class FetchCounter: Sendable {
  private let fetchCount = Atomic(0)
  private let readRowCount = Atomic(0)
  private let foundRowCount = Atomic(0)
  private let findNanoseconds = Atomic<Int64>(0)
  private let indexBuildCount = Atomic(0)
  private let batchCount = Atomic(0)
  private let batchRecordCount = Atomic(0)
  private let batchNanoseconds = Atomic<Int64>(0)
  private let singleRecordCount = Atomic(0)

  package init() {}

  package func recordFind(readCount: Int, rowCount: Int, nanoseconds: Int64) {
    fetchCount.add(1, ordering: .relaxed)
    readRowCount.add(readCount, ordering: .relaxed)
    foundRowCount.add(rowCount, ordering: .relaxed)
    findNanoseconds.add(nanoseconds, ordering: .relaxed)
  }

  package func recordIndexBuild() { indexBuildCount.add(1, ordering: .relaxed) }

  package func recordBatch(recordCount: Int, nanoseconds: Int64) {
    batchCount.add(1, ordering: .relaxed)
    batchRecordCount.add(recordCount, ordering: .relaxed)
    batchNanoseconds.add(nanoseconds, ordering: .relaxed)
  }

  package func recordSingle() { singleRecordCount.add(1, ordering: .relaxed) }

  package var statistics: FetchStatistics {
    var statistics = FetchStatistics()
    statistics.fetchCount = fetchCount.load(ordering: .relaxed)
    statistics.readRowCount = readRowCount.load(ordering: .relaxed)
    statistics.foundRowCount = foundRowCount.load(ordering: .relaxed)
    statistics.fetchDuration = .nanoseconds(findNanoseconds.load(ordering: .relaxed))
    statistics.indexBuildCount = indexBuildCount.load(ordering: .relaxed)
    statistics.batchCount = batchCount.load(ordering: .relaxed)
    statistics.batchRecordCount = batchRecordCount.load(ordering: .relaxed)
    statistics.batchDuration = .nanoseconds(batchNanoseconds.load(ordering: .relaxed))
    statistics.singleRecordCount = singleRecordCount.load(ordering: .relaxed)
    return statistics
  }
}
