import DaybookJournal
import DaybookTesting
import Synchronization

/// The clock by which tests of journals and stores go.
package typealias TestClock = ManualClock

extension ManualClock {
  /// Creates a clock that stands at a number of nanoseconds after the beginning of 1970.
  package convenience init(now nanoseconds: Int64) {
    self.init(now: JournalTime(nanoseconds: nanoseconds))
  }

  /// Sets the time of day.
  package func set(_ nanoseconds: Int64) { set(now: JournalTime(nanoseconds: nanoseconds)) }

  /// Lets time pass.
  package func advance(milliseconds: Int64) { advance(by: .milliseconds(milliseconds)) }
}

/// A generator that many may ask.
package final class SharedGenerator: Sendable {
  private let generator: Mutex<SplitMix64>

  package init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

  package func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// Counts how often it was asked.
package final class SharedCount: Sendable {
  private let count = Mutex(0)

  package init() {}

  /// How often it was asked before.
  package func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
