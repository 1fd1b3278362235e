import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

/// Row 12: the clock goes backwards, jumps or is frozen. Times in the journal never decrease.
@Suite struct `A clock with wrong times` {
  private let day: Int64 = 86_400_000_000_000
  private let start = TestClock().now.nanoseconds

  private func open(_ disk: SimulatedDisk, _ clock: TestClock) throws -> FileJournal {
    var options = JournalOptions.simulated(disk)
    options.clock = clock
    return try FileJournal(at: "a", options: options)
  }

  private func times(_ journal: any Journal) throws -> [Int64] {
    var reader = try journal.transactions(from: 1)
    var times: [Int64] = []
    while let transaction = try reader.next() { times.append(transaction.time.nanoseconds) }
    return times
  }

  /// The clock's time at each append and the expected receipt: the recorded time, whether it was
  /// raised, and whether the clock is reported as very late.
  private var readings: [(clock: Int64, recorded: Int64, isRaised: Bool, isFar: Bool)] {
    [
      (start, start, false, false),
      (start, start, false, false),
      (start - 1, start, true, false),
      (start + 5, start + 5, false, false),
      (start + 5 - day, start + 5, true, false),
      (start + 4 - day, start + 5, true, true),
      (start + 10 * day, start + 10 * day, false, false),
      (start + 6, start + 10 * day, true, true),
      (.min, start + 10 * day, true, true),
      (.max, .max, false, false),
      (.max - 1, .max, true, false),
      (0, .max, true, true),
    ]
  }

  @Test func `recorded times never decrease, and receipts report raised times`() throws {
    try FaultRow.run(12, "the clock backwards, forwards, frozen") { count in
      for isReopened in [false, true] {
        let disk = SimulatedDisk()
        let clock = TestClock()
        var journal = try open(disk, clock)
        let memory = MemoryJournal(clock: clock)
        for reading in readings {
          count += 1
          clock.set(reading.clock)
          for journal in [journal, memory] as [any Journal] {
            guard
              case .appended(let receipt) = try journal.appendAndWait([1], at: nil, expecting: nil)
            else { throw Surprise("an append was not made at \(reading)") }
            #expect(receipt.time.nanoseconds == reading.recorded, "\(reading)")
            let clockTime = reading.isRaised ? reading.clock : nil
            #expect(receipt.clockTime?.nanoseconds == clockTime, "\(reading)")
            #expect(receipt.clockIsBehind == reading.isFar, "\(reading)")
          }
          guard isReopened else { continue }
          try journal.closeAndWait()
          journal = try open(disk, clock)
          let ahead = reading.recorded.subtractingReportingOverflow(reading.clock)
          let received = ahead.overflow ? .max : ahead.partialValue
          #expect(
            journal.report.aheadOfClockNanoseconds == (received > day ? received : nil),
            "\(reading)")
        }
        let expected = readings.map(\.recorded)
        #expect(try times(journal) == expected)
        #expect(try times(memory) == expected)
      }
    }
  }

  @Test func `an explicit time is raised like the clock's time`() throws {
    let journal = try open(SimulatedDisk(), TestClock())
    for (given, recorded) in [(500, 500), (499, 500), (-3, 500), (501, 501)] as [(Int64, Int64)] {
      let outcome = try journal.appendAndWait([1], at: JournalTime(nanoseconds: given))
      guard case .appended(let receipt) = outcome else { throw Surprise("\(outcome)") }
      #expect(receipt.time.nanoseconds == recorded)
      #expect(receipt.clockTime?.nanoseconds == (given == recorded ? nil : given))
    }
  }

  @Test func `a transaction at the minimum time is not ahead of the clock`() throws {
    let disk = SimulatedDisk()
    let journal = try open(disk, TestClock())
    _ = try journal.appendAndWait([1], at: .distantPast)
    try journal.closeAndWait()
    #expect(try open(disk, TestClock()).report.isUneventful)
    let summary = try FileJournal.verify(at: "a", options: .simulated(disk)) {
      Issue.record("\($0)")
    }
    #expect(summary.problemCount == 0)
  }

  @Test func `a frozen clock gives all transactions one time and keeps their order`()
    throws
  {
    let journal = try open(SimulatedDisk(), TestClock())
    for byte in 0..<100 as Range<UInt8> { try journal.mustAppend([byte]) }
    #expect(Set(try times(journal)) == [start])
    #expect(try journal.payloads() == (0..<100).map { [$0] })
  }

  @Test func `verification reports times that decrease and times ahead of the clock`() throws {
    let disk = SimulatedDisk()
    var crafted = CraftedJournal()
    for time in [start, start - 1, start + day, start + day + 1, start + 2 * day, 3] {
      crafted.append([1], at: time)
    }
    disk.setContents(crafted.bytes(), at: "a")
    var problems: [String] = []
    let summary = try FileJournal.verify(at: "a", options: .simulated(disk)) {
      problems.append("\($0)")
    }
    #expect(
      problems == [
        "a: byte 16448: transaction 2 has an earlier time than the transaction before it.",
        "a: byte 16576: transaction 4 is more than a day ahead of the clock.",
        "a: byte 16704: transaction 6 has an earlier time than the transaction before it.",
      ])
    #expect(summary.problemCount == 3 && summary.transactionCount == 6)
    // The journal can be read, and continues with its last time.
    let journal = try open(disk, TestClock(now: 2))
    #expect(try journal.mustAppend([1]).time.nanoseconds == 3)
  }
}
