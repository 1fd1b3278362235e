import DaybookTesting
import TestSupport
import Testing

@testable import DaybookJournal

/// How long a thread stays awake while the disk writes.
@Suite struct `The vigil of whoever syncs` {
  /// What a sync takes on a disk, by how long the thread stays awake.
  struct SimulatedDisk: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var nanoseconds: @Sendable (_ awake: Int64) -> Int64
    /// Which lengths are as good as any there.
    var best: Set<Int>
  }

  static let disks: [SimulatedDisk] = [
    // Its bytes are written within 15 µs, and whoever sleeps is woken 15 µs late.
    SimulatedDisk(
      testDescription: "one that writes in 15 µs",
      nanoseconds: { $0 >= 15_000 ? 70_000 + max($0, 15_000) : 100_000 }, best: [2]),
    SimulatedDisk(
      testDescription: "one that writes in 5 µs",
      nanoseconds: { $0 >= 5_000 ? 30_000 + $0 : 50_000 }, best: [1]),
    SimulatedDisk(
      testDescription: "one that writes in 25 µs",
      nanoseconds: { $0 >= 25_000 ? 120_000 : 150_000 }, best: [3]),
    SimulatedDisk(
      testDescription: "one to which it is the same", nanoseconds: { _ in 5_000_000 }, best: [0]),
    SimulatedDisk(
      testDescription: "memory", nanoseconds: { max($0, 500) }, best: [0]),
    SimulatedDisk(
      testDescription: "one on which the thread is in the way",
      nanoseconds: { 100_000 + $0 }, best: [0]),
  ]

  /// Syncs so many times, each a sixteenth faster or slower by chance, and some with a hiccup.
  func run(
    _ vigil: inout Vigil, _ count: Int, on disk: SimulatedDisk, _ generator: inout SplitMix64
  ) -> [Int64] {
    (0..<count).map { _ in
      let awake = vigil.begin()
      let time = disk.nanoseconds(awake)
      let isHiccup = Int.random(in: 0..<50, using: &generator) == 0
      vigil.end(
        nanoseconds: isHiccup
          ? time * 100 : time + Int64.random(in: -time / 16...time / 16, using: &generator))
      return awake
    }
  }

  @Test(arguments: disks)
  func `it finds what is fastest, and keeps to it`(_ disk: SimulatedDisk) {
    var generator = SplitMix64(seed: 11)
    for _ in 0..<20 {
      var vigil = Vigil()
      _ = run(&vigil, 3_000, on: disk, &generator)
      let kept = run(&vigil, 3_000, on: disk, &generator)
      let bestCount = kept.count { awake in disk.best.contains { Vigil.lengths[$0] == awake } }
      #expect(bestCount > 3_000 * 3 / 4, "usually \(Vigil.lengths[vigil.usual])")
    }
  }

  @Test func `it follows a disk that becomes another one`() {
    var generator = SplitMix64(seed: 12)
    var vigil = Vigil()
    for disk in (Self.disks + Self.disks.reversed()).filter({ $0.testDescription != "memory" }) {
      _ = run(&vigil, 6_000, on: disk, &generator)
      #expect(disk.best.contains(vigil.usual), "\(disk.testDescription)")
    }
  }

  @Test func `one sync of eight tries another length, each in turn`() {
    var vigil = Vigil()
    var tried: [Int64] = []
    for count in 1...96 {
      let awake = vigil.begin()
      vigil.end(nanoseconds: 100_000)
      if count % Vigil.trialInterval == 0 {
        tried.append(awake)
      } else {
        #expect(awake == 20_000)
      }
    }
    #expect(tried == [10_000, 30_000, 0, 10_000, 30_000, 0, 10_000, 30_000, 0, 10_000, 30_000, 0])
  }

  /// A clock that goes on by a microsecond whenever it is looked at.
  final class TickingClock: JournalClock {
    private let looks = SharedCount()
    var now: JournalTime { JournalTime(nanoseconds: 0) }
    var uptimeNanoseconds: Int64 { Int64(looks.next()) * 1_000 }
  }

  @Test func `it is kept from when the disk was told, and no longer`() {
    var vigil = Vigil()
    let clock = TickingClock()
    let start = clock.uptimeNanoseconds
    vigil.keep(since: start, by: clock)
    #expect(vigil.count == 1)
    // It was looked at until it said 20 µs, and this is the look behind that.
    #expect(clock.uptimeNanoseconds - start == 21_000)
    // Who has had something else to do for so long sleeps at once.
    let before = clock.uptimeNanoseconds
    vigil.keep(since: before - 20_000, by: clock)
    #expect(clock.uptimeNanoseconds - before == 2_000)
  }

  @Test func `syncs that fail say nothing of any length`() {
    var vigil = Vigil()
    for _ in 0..<1_000 { _ = vigil.begin() }
    #expect(vigil.count == 1_000 && vigil.usual == 2)
    // None was known before, so it is known now what is usual, and nothing is decided.
    vigil.end(nanoseconds: 100_000)
    #expect(vigil.usual == 2)
  }
}
