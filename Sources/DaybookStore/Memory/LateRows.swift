import DaybookJournal
import Synchronization

/// The rows in the part of the journal before a checkpoint. A store does not read this part when it
/// is opened, so it verifies these rows when they are first read. `RowMemory` uses this class for
/// such reads.
///
/// A read never returns damaged bytes. A function that can throw reports the damage. Many reads
/// cannot throw, so a read of a damaged row returns a substitute row, which contains the record's
/// identifier and the schema's defaults. Later reads of the same row return the same substitute.
//
// Shared state: `state`, guarded by its mutex. Callers read the returned bytes without the mutex,
// because a substitute never changes or moves.
final class LateRows: Sendable {
  /// A function that calls a closure for each row in a range of offsets, with the offset of the row
  /// and a substitute for it.
  typealias Source = @Sendable (Range<UInt64>, (UInt64, RawSpan) -> Void) -> Void

  let checks: LateChecks
  private let source: Source
  private let state = Mutex(Substitutes())

  /// The substitutes that were created.
  private struct Substitutes {
    /// The start offsets of the runs for which substitutes were created. A run is a part of the
    /// file that `LateChecks` verifies as a whole.
    var runs: Set<UInt64> = []
    var locations: [UInt64: RowLocation] = [:]
    // The heap only grows, and its bytes never move.
    var heap = PayloadHeap(.memory)
  }

  /// Creates late rows.
  ///
  /// - Parameters:
  ///   - checks: The checks that verify the rows.
  ///   - source: A function that creates the substitutes of damaged rows.
  init(_ checks: LateChecks, source: @escaping Source) {
    self.checks = checks
    self.source = source
  }

  /// Returns the substitute for the damaged row at a location. The result is empty if the
  /// checkpoint's state has no row at the location.
  func substitute(at location: RowLocation) -> UnsafeRawBufferPointer {
    state.withLock { state in
      let range = checks.run(around: location.rawValue)
      if state.runs.insert(range.lowerBound).inserted {
        source(range) { offset, row in
          state.locations[offset] = state.heap.add(row, sequence: 0)
        }
      }
      guard let substituteLocation = state.locations[location.rawValue] else {
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      // The pointer stays valid as long as this object exists, because no chunk of the heap moves
      // or is deallocated before that.
      return state.heap.withBytes(at: substituteLocation) { bytes in bytes.withUnsafeBytes { $0 } }
    }
  }
}

/// The part of a journal's file whose rows need no verification when they are read: the store
/// verified them when it replayed or wrote them. `LateRows` handles the part before it.
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

/// The stored values whose bytes were compared with their checksums. Many rows can refer to one
/// stored value of an earlier transaction; with this set, the value is verified only once.
///
/// An update that keeps a stored value does not need this set, because the row before the update
/// had the same reference. Therefore the transactions that a store writes itself add nothing to the
/// set.
final class CheckedValues: Sendable {
  // Shared state: the set, guarded by its mutex, because every thread that has a copy of the row
  // memory may apply transactions.
  private let values = Mutex<Set<StoredValue>>([])

  /// Returns whether the bytes of a value match its checksum.
  ///
  /// - Complexity: O(*n*) in the value's bytes at the first call for a value, and O(1) at later
  ///   calls
  func hold(_ value: StoredValue, in memory: RowMemory) -> Bool {
    if values.withLock({ $0.contains(value) }) { return true }
    let holds = memory.withStoredValue(value, of: .none) { bytes in
      guard let bytes else { return false }
      return XXH64.checksum(bytes, seed: 0) == value.checksum
    }
    if holds { values.withLock { _ = $0.insert(value) } }
    return holds
  }
}
