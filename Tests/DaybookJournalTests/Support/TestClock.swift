import DaybookJournal
import DaybookTesting
import Synchronization

/// A clock that stands still until it is told to go.
final class TestClock: JournalClock {
  private let state: Mutex<(now: Int64, uptime: Int64)>

  /// The beginning of 2026, unless another moment is given.
  init(now: Int64 = 1_767_225_600_000_000_000) {
    state = Mutex((now, 0))
  }

  var now: JournalTime { JournalTime(nanoseconds: state.withLock { $0.now }) }
  var uptimeNanoseconds: Int64 { state.withLock { $0.uptime } }

  /// Sets the time of day, which people and servers do.
  func set(_ nanoseconds: Int64) { state.withLock { $0.now = nanoseconds } }

  /// Lets time pass.
  func advance(milliseconds: Int64) {
    state.withLock {
      $0.now += milliseconds * 1_000_000
      $0.uptime += milliseconds * 1_000_000
    }
  }
}

/// A generator that many may ask.
final class SharedGenerator: Sendable {
  private let generator: Mutex<SplitMix64>

  init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

  func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// Counts how often it was asked.
final class SharedCount: Sendable {
  private let count = Mutex(0)

  /// How often it was asked before.
  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}
