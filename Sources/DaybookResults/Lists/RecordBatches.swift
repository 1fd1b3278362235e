import DaybookJournal
import DaybookStore
import Synchronization

#if DAYBOOK_THREAD_SANITIZER
  import DaybookPlatform

  typealias Mutex = SanitizedMutex
#endif

/// Reads the records of one moment of a list, so many at a time, and keeps those that were read last.
final class RecordBatches<R: FetchableRecord>: Sendable {
  private struct Kept {
    /// By the number of the batch, in the order in which they were last touched.
    var batches: [(number: Int, records: [R])] = []
  }

  private let size: Int
  private let kept = Mutex(Kept())

  /// How many batches are kept: what somebody looks at lies in two, and both ways of scrolling on in
  /// two more.
  private static var keptMax: Int { 4 }

  /// - Parameter size: How many records are read at a time; 0 for one after another.
  init(size: Int) { self.size = max(0, size) }

  func record(atRank rank: Int, of snapshot: ResultSnapshot) -> R {
    let fetches = snapshot.state.catalog.fetches
    guard size > 1 else {
      fetches.noteSingle()
      return snapshot.records(R.self, atRanks: rank..<rank + 1)[0]
    }
    let first = snapshot.visibleRanks.lowerBound
    let (number, place) = (rank - first).quotientAndRemainder(dividingBy: size)
    return kept.withLock { kept in
      if let index = kept.batches.lastIndex(where: { $0.number == number }) {
        if index < kept.batches.count - 1 { kept.batches.append(kept.batches.remove(at: index)) }
      } else {
        let start = first + number * size
        let count = min(size, snapshot.visibleRanks.upperBound - start)
        let clock = MachineClock().uptimeNanoseconds
        let records = snapshot.records(R.self, atRanks: start..<start + count)
        fetches.noteBatch(
          recordCount: count, nanoseconds: MachineClock().uptimeNanoseconds - clock)
        if kept.batches.count == RecordBatches.keptMax { kept.batches.removeFirst() }
        kept.batches.append((number, records))
      }
      return kept.batches[kept.batches.count - 1].records[place]
    }
  }
}
