import Testing

@testable import DaybookBenchmarks

/// Tests the verdicts on measurements.
@Suite struct `Verdicts` {
  /// Returns a measurement with some repetitions: our time and the yardstick's.
  private func measured(
    _ promise: Measurement.Promise, _ samples: [(Double, Double)],
    _ quantity: Measurement.Quantity = .nanoseconds
  ) -> Measurement {
    Measurement(
      work: "work", yardstick: "yardstick", unit: "step", promise: promise,
      samples: samples.map { Measurement.Sample(ours: $0.0, yardstick: $0.1) },
      quantity: quantity)
  }

  private let there = Measurement.sortingTimeThere

  @Test func `the verdict on a time uses the best repetition`() {
    let met = measured(.atMost(1.25), [(200, 100), (125, 100), (300, 100)])
    #expect((met.ratio, met.verdict) == (1.25, .met))
    let missed = measured(.atMost(1.25), [(200, 100), (126, 100)])
    #expect((missed.ratio, missed.verdict) == (1.26, .missed))
  }

  @Test func `the verdict on a rate uses the best repetition`() {
    let met = measured(.atLeast(0.5), [(400, 100), (200, 100)])
    #expect((met.ratio, met.verdict) == (0.5, .met))
    let missed = measured(.atLeast(0.5), [(400, 100), (250, 100)])
    #expect((missed.ratio, missed.verdict) == (0.4, .missed))
  }

  @Test func `verdicts scale the limits by the yardstick`() {
    // This machine needs twice the time, so the limits are twice as long.
    let within = measured(.within(1000), [(2000, there * 2)])
    #expect((within.ratio, within.verdict) == (1000, .met))
    #expect(measured(.within(1000), [(2002, there * 2)]).verdict == .missed)
    let rate = measured(.perSecond(1_000_000), [(2000, there * 2)])
    #expect((rate.ratio, rate.verdict) == (1_000_000, .met))
    #expect(measured(.perSecond(1_000_000), [(2002, there * 2)]).verdict == .missed)
  }

  @Test func `the verdict on bytes uses the largest repetition`() {
    let met = measured(.bytesAtMost(48), [(40, 0), (48, 0)], .bytes)
    #expect((met.ratio, met.verdict) == (48, .met))
    #expect(measured(.bytesAtMost(48), [(40, 0), (48.1, 0)], .bytes).verdict == .missed)
  }

  @Test(arguments: [100.0, 1000])
  func `a verdict with widely spread yardsticks is inconclusive`(
    _ ours: Double
  ) {
    // The range is a quarter of the median, and then more.
    let steady = measured(.atMost(2), [(ours, 90), (ours, 100), (ours, 115)])
    #expect((steady.spread, steady.verdict) == (0.25, ours == 100 ? .met : .missed))
    let unsteady = measured(.atMost(2), [(ours, 90), (ours, 100), (ours, 116)])
    #expect((unsteady.spread, unsteady.verdict) == (0.26, .inconclusive))
  }

  @Test func `a measurement without a limit has no verdict`() {
    #expect(measured(.none, [(1000, 1), (1000, 100)]).verdict == .shown)
    let ofFewer = Measurement.Promise.atMost(1).ofAMillion(999_999)
    #expect(measured(ofFewer, [(1000, 1)]).verdict == .shown)
    let ofAMillion = Measurement.Promise.atMost(1).ofAMillion(1_000_000)
    #expect(measured(ofAMillion, [(1000, 1)]).verdict == .missed)
  }

  @Test func `verdicts use medians`() {
    #expect([[7], [9, 1, 5], [4, 1, 2, 9]].map { median($0) } == [7, 5, 3])
  }
}
