import TestSupport
import Testing

@testable import DaybookBenchmarks

/// Tests the simulation of many logs on one server, and the page that shows its figures.
@Suite struct `The simulation of many logs` {
  private let quiet = ServerFigures(
    name: "quiet", processorCount: 2, memoryByteCount: 16e9, standbySeconds: 1e-3)
  private let notifying = Arrangement(name: "notifying")

  private func simulate(
    _ figures: ServerFigures, arrangement: Arrangement, logCount: Int, seconds: Double = 1
  ) -> SaveSimulation.Outcome {
    SaveSimulation.run(figures, arrangement: arrangement, logCount: logCount, seconds: seconds)
  }

  @Test func `the page shows the tables of the workload`() throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Grow.md")
    for line in ScaleTables(outcomes: ScaleOutcomes()).all.joined() {
      #expect(page.contains(line), "the page lacks: \(line)")
    }
  }

  @Test func `two simulations with one seed are equal`() {
    let outcomes = (0..<2).map { _ in simulate(quiet, arrangement: notifying, logCount: 5000) }
    #expect(outcomes[0].saves == outcomes[1].saves)
    #expect(outcomes[0].follows == outcomes[1].follows)
    #expect(!outcomes[0].saves.isEmpty)
  }

  @Test(arguments: Arrangement.all)
  func `a server that is not busy acknowledges each save once`(
    arrangement: Arrangement
  ) {
    let logCount = 1000 * arrangement.serverCount
    let outcome = simulate(
      ServerFigures.all[1], arrangement: arrangement, logCount: logCount, seconds: 20)
    // 1000 logs with 3 replicas, each with a save a minute, for 20 seconds.
    #expect(outcome.saves.count == 1000)
    #expect(outcome.isDrained)
  }

  @Test func `a save that does not wait takes the sum of its steps`() throws {
    let outcome = simulate(quiet, arrangement: notifying, logCount: 200, seconds: 10)
    let sum =
      quiet.appendSeconds + quiet.flushSeconds + quiet.standbySeconds
      + 2 * LoadAssumptions.networkSeconds
    let median = ScaleWorkload.percentile(of: outcome.saves, share: 0.5)
    #expect(abs(median - sum) < 1e-9, "\(median) instead of \(sum)")
    // No save is faster, because no step can be left out.
    #expect(try #require(outcome.saves.first) > sum - 1e-9)
  }

  @Test func `commits that notify wait for each other and others do not`() {
    // 2,000 saves a second, where one commit after the other takes 1.22 ms.
    let figures = ServerFigures(
      name: "large", processorCount: 1000, memoryByteCount: 1e12, standbySeconds: 1e-3)
    let slow = simulate(figures, arrangement: notifying, logCount: 40_000)
    #expect(slow.lockShare > 0.99 && !slow.isDrained)
    let fast = simulate(
      figures, arrangement: Arrangement(name: "", notifies: false), logCount: 40_000)
    #expect(fast.lockShare == 0 && fast.isDrained)
    #expect(ScaleWorkload.percentile(of: fast.saves, share: 0.99) < 3e-3)
    #expect(ScaleWorkload.limit(figures, arrangement: notifying, logCount: 40_000) == .lock)
  }

  @Test func `each limit is reported where it is the first`() {
    let each = Arrangement(name: "", connectsEachReplica: true)
    let polling = Arrangement(name: "", notifies: false)
    #expect(ScaleWorkload.limit(quiet, arrangement: each, logCount: 1000) == .sessions)
    #expect(ScaleWorkload.limit(quiet, arrangement: polling, logCount: 500_000) == .processors)
    #expect(ScaleWorkload.limit(quiet, arrangement: polling, logCount: 10_000_000) == .disk)
    var unsynced = ServerFigures.all[1]
    unsynced.flushSeconds = 0.2
    #expect(ScaleWorkload.limit(unsynced, arrangement: polling, logCount: 1000) == .syncs)
    #expect(ScaleWorkload.limit(quiet, arrangement: polling, logCount: 1000) == nil)
  }

  @Test func `clients that connect at once share the processors`() throws {
    let outcome = StormSimulation.run(quiet, clientCount: 500, pauses: .own)
    let seconds = try #require(outcome.seconds)
    let least = 500 * quiet.connectSeconds / Double(quiet.processorCount)
    #expect(seconds > least - 1e-9 && seconds < least + 0.06)
    #expect(outcome.attemptCount == 1)
  }

  @Test func `a storm ends if the pauses leave the server enough processor time`() {
    func seconds(_ clientCount: Int, _ pauses: StormSimulation.Pauses) -> Double? {
      StormSimulation.run(quiet, clientCount: clientCount, pauses: pauses).seconds
    }
    // Each client gives up after 5 seconds. In this time the server can connect 1,724 clients.
    let least = Int(
      StormSimulation.limitSeconds * Double(quiet.processorCount) / quiet.connectSeconds)
    #expect(least == 1724)
    #expect(seconds(least, .equal) != nil)
    // With a random part, some clients pause while others connect.
    #expect(seconds(1900, .equal) == nil && seconds(1900, .own) != nil)
    // Pauses of 2 seconds are too short for many clients.
    #expect(seconds(6000, .own) == nil && seconds(6000, .long) != nil)
  }

  @Test func `events are removed in the order of their times`() {
    var queue = EventQueue<Int>()
    var random: UInt64 = 1
    let times = (0..<500).map { _ in Double(RowGenerator.next(&random) % 100) }
    for (number, time) in times.enumerated() { queue.insert(number, at: time) }
    var removed: [Int] = []
    while let (time, number) = queue.removeFirst() {
      #expect(time == times[number])
      removed.append(number)
    }
    #expect(removed == times.indices.sorted { (times[$0], $0) < (times[$1], $1) })
  }
}
