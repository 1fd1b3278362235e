import DaybookJournal
import DaybookSimulation
import Testing

@Suite struct `A manual clock` {
  @Test func `a new clock starts at the beginning of 2026 with uptime zero`() {
    let clock = ManualClock()
    #expect("\(clock.now)" == "2026-01-01T00:00:00Z" && clock.uptimeNanoseconds == 0)
  }

  @Test func `advancing a clock moves the time of day and the uptime`() {
    let clock = ManualClock(now: JournalTime(nanoseconds: 10))
    clock.advance(by: .seconds(2) + .nanoseconds(3))
    #expect(clock.now.nanoseconds == 2_000_000_013 && clock.uptimeNanoseconds == 2_000_000_003)
    clock.advance(by: .zero)
    #expect(clock.uptimeNanoseconds == 2_000_000_003)
  }

  @Test func `setting the time of day does not change the uptime`() {
    let clock = ManualClock()
    clock.set(now: JournalTime(nanoseconds: -5))
    #expect(clock.now.nanoseconds == -5 && clock.uptimeNanoseconds == 0)
  }

  @Test func `a clock stops at its maximum time`() {
    let clock = ManualClock(now: JournalTime(nanoseconds: .max - 1))
    clock.advance(by: .seconds(Int64.max))
    #expect(clock.now.nanoseconds == .max && clock.uptimeNanoseconds == .max)
    clock.advance(by: .seconds(1))
    #expect(clock.now.nanoseconds == .max && clock.uptimeNanoseconds == .max)
  }
}
