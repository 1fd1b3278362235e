import DaybookJournal
import DaybookResults
import DaybookStore
import Synchronization

/// Writes a list to the file of its cache, on whatever thread is asked to.
//
// Shared state: `statistics`, guarded by its mutex.
final class CacheKeeper: Sendable {
  /// The file's name behind that of the journal.
  let suffix: String
  private let files: DerivedFiles
  private let definition: String
  private let path: String
  private let kept: Mutex<CacheStatistics>

  init(
    suffix: String, files: DerivedFiles, definition: String, path: String,
    statistics: CacheStatistics
  ) {
    self.suffix = suffix
    self.files = files
    self.definition = definition
    self.path = path
    kept = Mutex(statistics)
  }

  var statistics: CacheStatistics { kept.withLock { $0 } }

  /// Writes a list, whose rows have the slots of a moment.
  ///
  /// - Parameter origin: The moment, and where it is in the journal.
  func write(_ snapshot: ResultSnapshot, from origin: DerivedFiles.Origin) {
    let moment = origin.moment
    let file = CacheFile(moment: moment, definition: definition, entries: snapshot.entries)
    var failure: StoreError?
    do throws(JournalError) {
      try files.write(suffix, from: origin) { (output) throws(DiskError) in
        try output.writeAll(file.bytes.span.bytes, at: 0)
      }
    } catch {
      failure = StoreError(.journal(error), path: path)
    }
    kept.withLock { kept in
      kept.failure = failure
      guard failure == nil else { return }
      kept.writeCount += 1
      kept.sequence = moment.sequence
    }
  }
}
