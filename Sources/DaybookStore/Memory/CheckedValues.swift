import DaybookJournal
import Synchronization

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
