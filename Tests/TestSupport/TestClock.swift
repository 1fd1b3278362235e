import DaybookJournal
import DaybookSimulation
import Synchronization

/// The clock of tests of journals and stores.
package typealias TestClock = ManualClock

extension ManualClock {
  /// Creates a clock with a number of nanoseconds since the start of 1970.
  package convenience init(now nanoseconds: Int64) {
    self.init(now: JournalTime(nanoseconds: nanoseconds))
  }

  /// Sets the time of day.
  package func set(_ nanoseconds: Int64) { set(now: JournalTime(nanoseconds: nanoseconds)) }

  /// Advances the clock.
  package func advance(milliseconds: Int64) { advance(by: .milliseconds(milliseconds)) }
}

/// A random generator that several threads can share.
package final class SharedGenerator: Sendable {
  private let generator: Mutex<SplitMix64>

  package init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

  package func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// A counter of its calls.
package final class SharedCount: Sendable {
  private let count = Mutex(0)

  package init() {}

  /// Returns the number of earlier calls.
  package func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
