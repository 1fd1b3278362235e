import DaybookJournal
import DaybookSimulation
import TestSupport
import Testing

@Suite("Conformance of shared logs") struct SharedLogConformanceTests {
  private func options(_ roundCount: Int, seed: UInt64 = 1) -> ConformanceOptions {
    var options = ConformanceOptions(
      seed: seed, roundCount: FaultRow.count(roundCount, full: roundCount * 50, least: 4))
    options.patience = .seconds(1)
    return options
  }

  @Test func `a log in memory obeys the laws with one connection`() async throws {
    try await checkConformance(of: { MemorySharedLog() }, options: options(20))
  }

  @Test func `a log in memory obeys the laws with many connections and restarts`() async throws {
    try await checkConformance(
      of: { MemorySharedLog() }, connecting: { $0.connect() }, restarting: { _ in },
      options: options(20))
  }

  @Test func `a log in memory obeys the laws with faults between it and its users`() async throws {
    for seed in 0..<UInt64(FaultRow.count(20, full: 1000, least: 4)) {
      let memory = LogTable()
      try await checkConformance(
        of: {
          let log = MemorySharedLog()
          let faulty = FaultySharedLog(over: log.connect(), plan: .random(seed: seed))
          memory.add(log, over: faulty)
          return faulty
        },
        connecting: {
          FaultySharedLog(over: memory.log(over: $0).connect(), plan: .random(seed: ~seed))
        }, restarting: { _ in }, options: options(1, seed: seed))
    }
  }

  @Test func `connections whose first calls all fail do not stop a writer`() async throws {
    let memory = LogTable()
    // Every new connection starts with eight calls without an answer.
    let faults = (1...8).reduce(LogFaultPlan.none) {
      $0.combined(with: .fault(.requestLost, call: $1))
    }
    try await checkConformance(
      of: {
        let log = MemorySharedLog()
        let faulty = FaultySharedLog(over: log.connect())
        memory.add(log, over: faulty)
        return faulty
      },
      connecting: { FaultySharedLog(over: memory.log(over: $0).connect(), plan: faults) },
      restarting: { _ in }, options: options(4))
  }

  private func sentence(
    roundCount: Int = 1, writerCount: Int = 2, of make: @escaping @Sendable () -> WrongLog
  ) async -> String {
    var options = ConformanceOptions(seed: 1, roundCount: roundCount)
    options.patience = .zero
    options.writerCount = writerCount
    do {
      try await checkConformance(
        of: make, connecting: { $0.connect() }, restarting: { $0.restart() }, options: options)
      return "no problem"
    } catch {
      return "\(error)"
    }
  }

  @Test func `the correct engine of these tests obeys the laws`() async {
    #expect(await sentence(roundCount: 4) { WrongLog(.correct) } == "no problem")
  }

  @Test func `a SELECT before the INSERT lets two writers get one number`() async {
    let found = await sentence { WrongLog(.selectsBeforeInsert) }
    #expect(
      found == """
        seed 1, round 0: Two different groups that start at number 0 were acknowledged, with the checks \
        685af14da77a446c and 81956fed564bf6c0. Of all groups that start at one number, the log must append \
        exactly one.
        """)
  }

  @Test func `an answer before the commit loses a group in a crash`() async {
    let found = await sentence { WrongLog(.acknowledgesBeforeCommit) }
    #expect(
      found == """
        seed 1, round 0: The log ends before number 1, but the group of transaction 1 was acknowledged. The \
        log must keep each group that it acknowledged.
        """)
  }

  @Test func `a failover that loses a row is found by the check of the row in its place`() async {
    let found = await sentence { WrongLog(.losesRowOnFailover) }
    #expect(
      found == """
        seed 1, round 0: The log contains the group of transaction 1 with the checksum e81b59be02b44d02, but the \
        group of transaction 1 with the checksum 64f018ab9c9d2c75 was acknowledged. The log must keep each group \
        that it acknowledged.
        """)
  }

  @Test(arguments: [
    (
      WrongLog.Fault.ignoresChecks,
      """
      seed 1, round 0: An append of the group of transactions 10 to 13 returned appended. Expected \
      missingPredecessor, because the last frame of the log has a different check.
      """
    ),
    (
      .refusesRetries,
      """
      seed 1, round 0: An append of the group of the header with the checksum 42c4985cd3a4e734 returned conflict \
      after an earlier append of it had returned appended. Appending a group again that the log contains must \
      return appended.
      """
    ),
    (
      .remembersOnlyLast,
      """
      seed 1, round 0: An append of the group of the header with the checksum 42c4985cd3a4e734 returned conflict \
      after an earlier append of it had returned appended. Appending a group again that the log contains must \
      return appended.
      """
    ),
    (
      .ignoresNonces,
      """
      seed 1, round 0: Two groups that start at number 0 were acknowledged. Their bytes are equal, but their \
      nonces differ, so that they are the appends of two machines. The log must append exactly one of them.
      """
    ),
    (
      .losesCancelledAppends,
      """
      seed 1, round 0: The log ends before number 1, but the group of transactions 1 to 3 was acknowledged. \
      The log must keep each group that it acknowledged.
      """
    ),
    (
      .returnsEarlierHead,
      """
      seed 1, round 0: The head of the log is number 21 with the checksum 251e5bbe9b1b4e8c. Expected number 23 \
      with the checksum 9a067f8653acccda, which is the end of the last acknowledged group.
      """
    ),
    (
      .skipsGroups,
      """
      seed 1, round 0: After the group of transactions 10 to 12, the log returned the group of transactions 15 \
      to 18. A read must return consecutive groups.
      """
    ),
    (
      .ignoresLimit,
      """
      seed 1, round 0: A read from number 7 with a limit of 0 bytes returned 3 groups, and all but the last \
      have 2080 bytes. After the limit, a read must return no further group.
      """
    ),
    (
      .returnsNothingOverLimit,
      """
      seed 1, round 0: A read from number 0 with a limit of 0 bytes returned no group. Expected at least one, \
      starting with the group of the header.
      """
    ),
    (
      .changesBytes,
      """
      seed 1, round 0: The log returned the group of the header with the byte at 4383 equal to 0, but it was \
      appended with 26.
      """
    ),
    (
      .staysOpen,
      """
      seed 1, round 0: A call of head after close returned a result. Expected the error: The log wrong is \
      closed.
      """
    ),
    (
      .appendsAfterGaps,
      """
      seed 1, round 0: An append of the group of transactions 12 to 15 returned appended. Expected \
      missingPredecessor, because the log ends before the frame that the group follows.
      """
    ),
    (
      .startsAtNumber,
      """
      seed 1, round 0: A read from number 5 with a limit of 9223372036854775807 bytes returned the group of \
      transactions 8 to 9 first. Expected the group of transactions 4 to 7, which contains the number.
      """
    ),
    (
      .containsAGroup,
      """
      seed 1, round 0: The head of a new log is number 1 with the checksum 0000000000000007. Expected nil: a new \
      log has no group.
      """
    ),
    (
      .throwsRefused,
      """
      seed 1, round 0: The append failed, although the log is open: The log wrong cannot be used: fsync is \
      off.
      """
    ),
    (
      .appendsBelowBase,
      """
      seed 1, round 0: An append of the group of transactions 8 to 10 returned appended. Expected \
      missingPredecessor, because a base has replaced the group and the groups before it.
      """
    ),
    (
      .dropsTooMuch,
      """
      seed 1, round 0: The log returned 2 groups: the group of the header, the group of transactions 6 to \
      7. Expected 3: the group of the header, the group of transactions 2 to 5, the group of transactions \
      6 to 7.
      """
    ),
    (
      .keepsOldBase,
      """
      seed 1, round 0: The log returned the group of the header with a byte count of 4344, but it was \
      appended with 4616.
      """
    ),
    (
      .replacesAtAnyEnd,
      """
      seed 1, round 0: A base that ends at number 49 with the checksum 2cf39e3302edb5fc was accepted. \
      Expected false, because no group of the log ends there.
      """
    ),
  ]) func `a log that breaks one law is named`(_ fault: WrongLog.Fault, _ expected: String) async {
    // One writer appends in the same order in every run.
    let found = await sentence(writerCount: 1) { WrongLog(fault) }
    #expect(found == expected)
  }

  @Test func `an append that decides with rows that a base has replaced is named`() async {
    for _ in 0..<3 {
      let found = await sentence(writerCount: 4) { WrongLog(.readsBeforeReplacement) }
      // The observation depends on the order in which threads append and replace.
      let starts = [
        "Two different groups that start at number", "While bases were stored, ",
        "After a base was stored, ", "For a read from number 0, the log returned ",
      ]
      #expect(starts.contains { found.hasPrefix("seed 1, round 0: \($0)") }, "\(found)")
    }
  }

  @Test func `a group that was sent although its append threw unavailable is named`() async {
    let found = await sentence(writerCount: 1) { WrongLog(.sendsThenThrowsUnavailable) }
    let start = "seed 1, round 0: The log contains the group of transaction"
    let end = """
      , but every append of it threw unavailable. An append may throw unavailable only if nothing was sent.
      """
    // The group depends on the order in which threads append and read.
    #expect(found.hasPrefix(start) && found.hasSuffix(end), "\(found)")
  }
}
