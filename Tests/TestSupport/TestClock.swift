import DaybookJournal
import DaybookTesting
import Synchronization

/// A clock that stands still until it is told to go.
package final class TestClock: JournalClock {
  private let state: Mutex<(now: Int64, uptime: Int64)>

  /// The beginning of 2026, unless another moment is given.
  package init(now: Int64 = 1_767_225_600_000_000_000) {
    state = Mutex((now, 0))
  }

  package var now: JournalTime { JournalTime(nanoseconds: state.withLock { $0.now }) }
  package var uptimeNanoseconds: Int64 { state.withLock { $0.uptime } }

  /// Sets the time of day, which people and servers do.
  package func set(_ nanoseconds: Int64) { state.withLock { $0.now = nanoseconds } }

  /// Lets time pass.
  package func advance(milliseconds: Int64) {
    state.withLock {
      $0.now += milliseconds * 1_000_000
      $0.uptime += milliseconds * 1_000_000
    }
  }
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
