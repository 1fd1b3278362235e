import DaybookJournal
import Synchronization

/// The rows of a checkpoint's state. They are verified at their first read, and not when the store
/// is opened.
///
/// Damaged bytes are never returned. A caller that can throw reports the damage. All other callers
/// get a substitute row, which contains the record's identifier and the schema's defaults. Every
/// later read of the record returns the same substitute.
//
// Shared state: `state`, guarded by its mutex. The mutex is not held while the returned bytes are
// read.
final class LateRows: Sendable {
  /// Calls a closure with a substitute for each row in a range of offsets, and with the offset of
  /// the row.
  typealias Source = @Sendable (Range<UInt64>, (UInt64, RawSpan) -> Void) -> Void

  let checks: LateChecks
  private let source: Source
  private let state = Mutex(Substitutes())

  private struct Substitutes {
    /// The starts of the runs for which substitutes were created.
    var runs: Set<UInt64> = []
    var locations: [UInt64: RowLocation] = [:]
    // Substitutes are only added, and never move.
    var heap = PayloadHeap(.memory)
  }

  /// Creates late rows.
  ///
  /// - Parameters:
  ///   - checks: The checks that verify the rows.
  ///   - source: Creates the substitutes of damaged rows.
  init(_ checks: LateChecks, source: @escaping Source) {
    self.checks = checks
    self.source = source
  }

  /// Returns the substitute for the damaged bytes at a location; empty if no record had its row
  /// there.
  func substitute(at location: RowLocation) -> UnsafeRawBufferPointer {
    state.withLock { state in
      let range = checks.run(around: location.rawValue)
      if state.runs.insert(range.lowerBound).inserted {
        source(range) { offset, row in
          state.locations[offset] = state.heap.add(row, sequence: 0)
        }
      }
      guard let place = state.locations[location.rawValue] else {
        return UnsafeRawBufferPointer(start: nil, count: 0)
      }
      // A chunk of the heap does not move during the life of this object.
      return state.heap.withBytes(at: place) { bytes in bytes.withUnsafeBytes { $0 } }
    }
  }
}

/// The part of a journal's file in which every row was verified before it could be read.
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

/// The large values of earlier transactions that were verified against their checksums. Each value
/// is verified once, however many rows refer to it.
///
/// A row that keeps the value of its predecessor is not verified again. So the transactions that a
/// store writes add nothing here.
final class CheckedValues: Sendable {
  // Shared state: the set, guarded by its mutex, because every owner of the memory may apply
  // transactions.
  private let places = Mutex<Set<StoredValue>>([])

  /// Returns whether the bytes of a value match its checksum.
  ///
  /// - Complexity: O(*n*) in the value's bytes at the first call, O(1) afterwards.
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
