import DaybookJournal
import Synchronization

/// The rows of a checkpoint's state, which nobody had looked at when the store was opened: each is checked the
/// first time that somebody asks for it.
///
/// Bytes that are not what was written are never handed out. Whoever can throw says so; for all others a record
/// of which they are the row is, from then on, one with its identifier and the schema's defaults. So whatever
/// goes by rows finds some, and the same each time.
//
// Shared state: `stand`, guarded by its mutex, which is not held while rows are read.
final class LateRows: Sendable {
  /// Hands out a row for each record whose own stands between two offsets, with its offset.
  typealias Source = @Sendable (Range<UInt64>, (UInt64, RawSpan) -> Void) -> Void

  let checks: LateChecks
  private let source: Source
  private let stand = Mutex(StandIns())

  private struct StandIns {
    /// Where the runs begin of which the rows are known.
    var runs: Set<UInt64> = []
    var locations: [UInt64: RowLocation] = [:]
    // Rows are only ever added, and stay where they are.
    var heap = PayloadHeap(.memory)
  }

  /// - Parameter source: Makes rows that stand in for others.
  init(_ checks: LateChecks, _ source: @escaping Source) {
    self.checks = checks
    self.source = source
  }

  /// What stands in for the bytes at a location that are damaged; none if no record had its row there.
  func standIn(at location: RowLocation) -> UnsafeRawBufferPointer {
    stand.withLock { stand in
      let range = checks.run(around: location.rawValue)
      if stand.runs.insert(range.lowerBound).inserted {
        source(range) { offset, row in
          stand.locations[offset] = stand.heap.add(row, sequence: 0)
        }
      }
      guard let place = stand.locations[location.rawValue] else {
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      // A chunk of the heap stays where it is for as long as this is there.
      return stand.heap.withBytes(at: place) { bytes in bytes.withUnsafeBytes { $0 } }
    }
  }
}
