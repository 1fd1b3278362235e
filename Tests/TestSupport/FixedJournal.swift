import DaybookJournal
import DaybookSimulation

/// The fixed values of every journal that is made for a sample.
package enum FixedJournal {
  package static let identity = JournalIdentity(
    high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
  package static let salt: UInt64 = 0x0DA7_B00C_5A17_0001

  /// Returns the options of the worked example's journal on a simulated disk: fixed identity, salt
  /// and clock.
  package static func options(
    on disk: SimulatedDisk, clock: TestClock = TestClock()
  ) -> JournalOptions {
    var options = JournalOptions()
    options.disk = disk
    options.worksInBackground = false
    options.reading = .copied
    let drawn = SharedNumbers([identity.high, identity.low, salt, 1, salt + 1])
    options.random = { drawn.next() }
    options.clock = clock
    return options
  }
}

extension [UInt8] {
  /// Returns the bytes without trailing zeros, filled up to whole pages and at least to a journal's
  /// first four pages.
  package func inWholePages() -> [UInt8] {
    let page = JournalLayout.pageByteCount
    let used = lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    let end = Swift.max((used + page - 1) / page * page, Int(JournalLayout.firstFrameOffset))
    return self[..<Swift.min(count, end)] + [UInt8](repeating: 0, count: Swift.max(0, end - count))
  }
}

/// A sequence of given numbers, followed by ascending ones.
private final class SharedNumbers: Sendable {
  private let numbers: [UInt64]
  private let drawn = SharedCount()

  init(_ numbers: [UInt64]) { self.numbers = numbers }

  func next() -> UInt64 {
    let index = drawn.next()
    return index < numbers.count ? numbers[index] : UInt64(index)
  }
}
