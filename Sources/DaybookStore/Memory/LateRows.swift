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
  init(_ checks: LateChecks, source: @escaping Source) {
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

/// The part of a journal's file in which every row was found whole before anybody asked for one.
@usableFromInline
package struct CheckedRange: Sendable {
  @usableFromInline let start: UInt64
  @usableFromInline let byteCount: UInt64

  init(of file: ByteView, lateChecks: LateChecks?) {
    let end = UInt64(file.count)
    start = lateChecks.map { $0.isDone ? 0 : min($0.endOffset, end) } ?? 0
    byteCount = end - start
  }

  @inlinable @inline(__always)
  package func contains(_ location: RowLocation) -> Bool { location.rawValue &- start < byteCount }
}

/// The large values of earlier transactions that were compared with their checks, so that each is read once, however
/// many rows name it.
///
/// A row that keeps the value of the row before it is not compared, so a journal that a store wrote adds none.
final class CheckedValues: Sendable {
  // Shared state: the set, guarded by its mutex, as everyone who has the memory may fold.
  private let places = Mutex<Set<StoredValue>>([])

  /// Returns whether the bytes of a value fit its check.
  ///
  /// - Complexity: O(*n*) in the value's bytes at the first call, O(1) afterwards
  func hold(_ value: StoredValue, in memory: RowMemory) -> Bool {
    if places.withLock({ $0.contains(value) }) { return true }
    let holds = memory.withStoredValue(value, of: .none) { bytes in
      guard let bytes else { return false }
      return XXH64.check(bytes, seed: 0) == value.check
    }
    if holds { places.withLock { _ = $0.insert(value) } }
    return holds
  }
}
