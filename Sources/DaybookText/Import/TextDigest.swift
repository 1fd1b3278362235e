import DaybookJournal
import Synchronization

/// The identity, the salt and the time of a journal, which depend only on the lines of its text.
struct TextDigest: JournalClock {
  private let checksum: UInt64
  /// The time of the first transaction.
  let now: JournalTime

  /// Reads all lines.
  ///
  /// - Complexity: O(*n*)
  init(_ lines: LineReader, path: String) throws(TextJournalError) {
    var lines = TextLines(lines, path: path)
    var checksum: UInt64 = 0
    var first: JournalTime?
    while let line = try lines.next() {
      checksum = line.bytes.withSpan { XXH64.checksum($0, seed: checksum) }
      // A line without a time is an error of the import.
      if first == nil, line.number <= 2 {
        var reader = TextReader(line, path: path)
        first = (try? reader.readTransaction { _, _ in })?.time
      }
    }
    self.checksum = checksum
    now = first ?? JournalTime(nanoseconds: 0)
  }

  /// Time does not pass while the journal is created, so no work is due after an interval.
  var uptimeNanoseconds: Int64 { 0 }

  /// Returns a source of numbers that depend only on the text.
  func numbers() -> @Sendable () -> UInt64 {
    let (checksum, count) = (checksum, Counter())
    return {
      withUnsafeBytes(of: count.next().littleEndian) { XXH64.checksum($0.bytes, seed: checksum) }
    }
  }

  private final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)

    func next() -> UInt64 { count.wrappingAdd(1, ordering: .relaxed).newValue }
  }
}
