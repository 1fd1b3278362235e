import DaybookJournal
import DaybookStore
import Synchronization

#if DAYBOOK_THREAD_SANITIZER
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif

/// A reader of the records of one list at one moment. The reader reads records in batches, and
/// caches the most recently used batches. All sections of one `FetchedObjects` share one reader.
//
// Shared state: `cache`, guarded by its mutex. A thread holds the mutex while it reads a batch, so
// that two threads do not read the same batch.
final class RecordBatches<R: FetchableRecord>: Sendable {
  /// The state that the mutex guards.
  private struct Cache {
    /// The batches with their numbers, the least recently used first.
    var batches: [(number: Int, records: [R])] = []
  }

  private let size: Int
  private let cache = Mutex(Cache())

  /// The maximum number of cached batches. The rows on a screen are usually in at most two batches,
  /// and scrolling in either direction needs one more.
  private static var batchCountMax: Int { 4 }

  /// - Parameter size: The number of records that are read together; 0 or 1 reads each record
  ///   alone.
  init(size: Int) { self.size = max(0, size) }

  /// Returns the record at a rank. If its batch is not cached, the whole batch is read.
  func record(atRank rank: Int, of snapshot: ResultSnapshot) -> R {
    let fetches = snapshot.state.catalog.fetches
    guard size > 1 else {
      fetches.recordSingle()
      return snapshot.records(R.self, atRanks: rank..<rank + 1)[0]
    }
    let first = snapshot.visibleRanks.lowerBound
    let (number, offset) = (rank - first).quotientAndRemainder(dividingBy: size)
    return cache.withLock { cache in
      // Most calls need the batch of the previous call. The type of the records is not known here,
      // so a search by the standard library would look up types of generics. A loop does not.
      var index = cache.batches.count - 1
      while index >= 0, cache.batches[index].number != number { index -= 1 }
      if index >= 0 {
        if index < cache.batches.count - 1 { cache.batches.append(cache.batches.remove(at: index)) }
      } else {
        let start = first + number * size
        let count = min(size, snapshot.visibleRanks.upperBound - start)
        let clock = MachineClock().uptimeNanoseconds
        let records = snapshot.records(R.self, atRanks: start..<start + count)
        fetches.recordBatch(
          recordCount: count, nanoseconds: MachineClock().uptimeNanoseconds - clock)
        if cache.batches.count == RecordBatches.batchCountMax { cache.batches.removeFirst() }
        cache.batches.append((number, records))
      }
      return cache.batches[cache.batches.count - 1].records[offset]
    }
  }
}
