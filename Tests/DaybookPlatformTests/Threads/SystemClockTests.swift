import DaybookPlatform
import Testing

@Suite struct `The clocks of the operating system` {
  @Test(
    arguments: [
      (0, 0, 0), (1, 5, 1_000_000_005), (-1, 0, -1_000_000_000),
      (9_223_372_036, 854_775_806, .max - 1), (9_223_372_036, 854_775_807, .max),
      // These times are in the last 146 milliseconds of the last second, or later.
      (9_223_372_036, 854_775_808, .max), (9_223_372_036, 999_999_999, .max),
      (9_223_372_037, 0, .max), (Int.max, 999_999_999, .max), (Int.min, 0, .min),
    ] as [(Int, Int, Int64)])
  func `a time beyond the range is clamped to the range`(
    seconds: Int, nanoseconds: Int, expected: Int64
  ) {
    #expect(
      SystemClock.nanoseconds(seconds: seconds, nanoseconds: nanoseconds) == expected)
  }
}
