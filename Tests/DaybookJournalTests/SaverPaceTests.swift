import DaybookTesting
import Testing

@testable import DaybookJournal

/// How many of all who save are written together.
@Suite struct `The pace of those who save` {
  /// A pace of so many who come in a time, before a disk that is busy for another with each group.
  func pace(_ count: Int, in nanoseconds: Int64, disk: Int64) -> SaverPace {
    var pace = SaverPace()
    pace.noteCome(count, nanoseconds: nanoseconds)
    pace.noteDisk(nanoseconds: disk)
    return pace
  }

  @Test(arguments: [
    // What they make takes 4 µs each, and the disk 120: thirty come meanwhile.
    (64, 4_000, 120_000, 43), (512, 4_000, 120_000, 482), (90, 4_000, 120_000, 60),
    // They take 10 µs each: twelve come.
    (64, 10_000, 120_000, 52), (24, 10_000, 120_000, 16),
    // Where the disk takes a hundred times as long, and where it takes no time.
    (64, 4_000, 12_000_000, .max), (64, 4_000, 0, 64),
    // Three quarters of them come meanwhile, and one less.
    (64, 2_500, 120_000, .max), (64, 2_500, 117_500, 43),
    // Too few to be divided.
    (23, 10_000, 120_000, .max), (0, 10_000, 120_000, .max),
  ])
  func `those are left to the next group who come while the disk is busy, a third at the most`(
    all: Int, each: Int, disk: Int, expected: Int
  ) {
    let pace = pace(64, in: Int64(64 * each), disk: Int64(disk))
    #expect(pace.groupCount(of: all) == expected)
  }

  @Test func `of what is not known nobody is left out`() {
    var pace = SaverPace()
    #expect(pace.groupCount(of: 64) == .max)
    pace.noteDisk(nanoseconds: 100_000)
    #expect(pace.groupCount(of: 64) == .max)
    pace.noteCome(0, nanoseconds: 10_000)
    #expect(pace.groupCount(of: 64) == .max)
    // All have come when it was looked at.
    pace = self.pace(64, in: 0, disk: 100_000)
    #expect(pace.groupCount(of: 64) == .max)
  }

  @Test func `two thirds at least are written together, and nobody less than all without need`() {
    var generator = SplitMix64(seed: 24)
    var dividedCount = 0
    for _ in 0..<20_000 {
      let (count, all) = (
        Int.random(in: 0...100, using: &generator), Int.random(in: 0...2000, using: &generator)
      )
      let (time, disk) = (
        Int64.random(in: 0...1_000_000, using: &generator),
        Int64.random(in: 0...1_000_000, using: &generator)
      )
      let group = pace(count, in: time, disk: disk).groupCount(of: all)
      if group == .max { continue }
      dividedCount += 1
      #expect(all >= SaverPace.dividedCountMin)
      #expect(group >= all - all / 3 && group <= all)
      // All of them could not be made while the disk is busy.
      #expect(Double(time) / Double(count) * Double(all) > Double(disk))
      #expect(Double(all - group) <= Double(disk) * Double(count) / Double(time))
    }
    #expect(dividedCount > 5_000)
  }

  @Test
  func
    `it follows those who become faster or slower, and a single hiccup of the disk changes little`()
  {
    var pace = pace(64, in: 64 * 4_000, disk: 120_000)
    for _ in 0..<40 { pace.noteDisk(nanoseconds: 120_000) }
    pace.noteDisk(nanoseconds: 400_000)
    #expect(pace.groupCount(of: 64) == 43)
    for _ in 0..<40 { pace.noteDisk(nanoseconds: 400_000) }
    #expect(pace.groupCount(of: 64) == .max)
    for _ in 0..<40 { pace.noteCome(43, nanoseconds: 43 * 20_000) }
    #expect(pace.groupCount(of: 64) == 45)
    for _ in 0..<40 { pace.noteCome(43, nanoseconds: 43 * 1_000) }
    #expect(pace.groupCount(of: 64) == .max)
  }
}
