import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Replicas and logs of which one has dropped the history that the other one would be compared with.
@Suite struct `Forks before the base of a log` {
  /// A log whose history went on differently after transaction 3, and was then compacted.
  ///
  /// - Parameter count: The number of transactions after the third in the replica of `two`, which
  ///   the log has lost. The base of the log is transaction 6.
  private func forkedLog(
    losing count: Int, isKnown: Bool
  ) async throws -> (one: Store, two: Store, log: MemorySharedLog) {
    let log = MemorySharedLog(name: "banks")
    let one = try await SharedMachine(5, log: log.connect()).open()
    for id in 1...3 { try await one.insert(id) }
    let groups = log.groups
    let two = try await SharedMachine(6, log: log.connect()).open()
    for id in 4..<4 + count { try await two.insert(id) }
    log.replaceGroups(groups)
    if isKnown {
      _ = try? await two.pull()
      guard case .diverged? = two.sharingStatus else {
        throw Surprise("\(two.sharingStatus as Any)")
      }
    }
    for id in 20...22 { try await one.insert(id) }
    try await one.compactSharedLog(keeping: .nothing)
    return (one, two, log)
  }

  @Test(arguments: [3, 6])
  func `a replica that has forked before a base restarts from it`(count: Int) async throws {
    let (one, two, log) = try await forkedLog(losing: count, isKnown: false)
    var found = "no error"
    do { _ = try await two.pull() } catch { found = "\(error)" }
    let list =
      count == 3
      ? "transaction 6, which it had acknowledged to this replica: 6 (2026-01-01T00:00:00Z)"
      : "transactions 6 to 9, which it had acknowledged to this replica: 6 (2026-01-01T00:00:00Z), "
        + "7 (2026-01-01T00:00:00Z), 8 (2026-01-01T00:00:00Z) and 1 more"
    #expect(
      found == "banks.daybook: the log banks does not contain \(list). The replica can be read, "
        + "and nothing is written. Repair it.")
    let plan = try #require(try await two.repairPlan())
    #expect(plan.action == .restart && plan.divergence.missingCount == count - 2)
    #expect(
      "\(plan)".hasSuffix(
        """
        The log or the replica has dropped its older history, so no transaction is known that both \
        contain. The repair keeps the file of the replica under another name, and restarts the \
        replica from the beginning of the log.
        """))
    let path = try #require(try await two.repair(plan).keptPath)
    #expect(try two.ids == [1, 2, 3, 20, 21, 22])
    #expect(path.hasSuffix("-lost-1") && two.sharingStatus == .connected)
    try await two.insert(30)
    try await one.pull()
    #expect(Audit.differences(one.snapshot, two.snapshot) == [])
    #expect(log.groups.count == 2)
    try await one.close()
    try await two.close()
  }

  @Test func `a diverged replica stays so if its log drops its end`() async throws {
    let (one, two, log) = try await forkedLog(losing: 2, isKnown: true)
    for _ in 0..<2 { #expect((try? await two.pull()) == nil) }
    guard case .diverged(let divergence)? = two.sharingStatus else {
      throw Surprise("\(two.sharingStatus as Any)")
    }
    #expect(divergence.missing.map(\.sequence) == [4, 5] && divergence.missingCount == 2)
    let plan = try #require(try await two.repairPlan())
    #expect(
      "\(plan)" == """
        The log banks does not contain 2 transactions of this replica:
          4 (2026-01-01T00:00:00Z)
          5 (2026-01-01T00:00:00Z)
        The log or the replica has dropped its older history, so no transaction is known that both \
        contain. The repair keeps the file of the replica under another name, and restarts the \
        replica from the beginning of the log.
        """)
    #expect(try two.ids == [1, 2, 3, 4, 5] && plan.action == .restart)
    // The log grows meanwhile, which does not change the plan.
    try await one.insert(23)
    let path = try #require(try await two.repair(plan).keptPath)
    #expect(path.hasSuffix("-lost-1") && two.sharingStatus == .connected)
    #expect(try two.ids == [1, 2, 3, 20, 21, 22, 23])
    try await two.insert(30)
    #expect(log.groups.count == 3)
    try await one.close()
    try await two.close()
  }

  /// The base and the end of the log are transaction 6.
  @Test(arguments: [6, 9])
  func `a late replica with a position of a different history diverges`(kept: Int) async throws {
    let (one, two, log) = try await forkedLog(losing: 3, isKnown: false)
    try await two.close()
    let late = SharedMachine(7, log: log.connect())
    let whole = MemorySharedLog(name: "banks")
    let machine = SharedMachine(5, log: whole.connect())
    let other = try await machine.open()
    for id in 1...3 { try await other.insert(id) }
    other.tend()
    late.disk.setContents(
      try #require(machine.disk.contents(of: SharedMachine.path)), at: SharedMachine.path)
    for id in 4...kept { try await other.insert(id) }
    try await other.close()
    late.disk.setContents(
      try #require(machine.disk.contents(of: "banks.daybook-shared")), at: "banks.daybook-shared")
    let store = try await late.open()
    guard case .diverged(let divergence)? = store.sharingStatus else {
      throw Surprise("\(store.sharingStatus as Any)")
    }
    let missing = (kept - 2...kept).map { "\($0) (also lost here)" }
    #expect("\(divergence.missing)" == "[\(missing.joined(separator: ", "))]")
    let plan = try #require(try await store.repairPlan())
    #expect(plan.action == .restart)
    #expect(try await store.repair(plan).keptPath?.hasSuffix("-lost-1") == true)
    #expect(try store.ids == [1, 2, 3, 20, 21, 22])
    try await store.close()
    try await one.close()
  }

  /// The ends of a log that was restored to a time before the base of a replica.
  enum Restored: CaseIterable {
    case shorter, asLong, longer
  }

  @Test(arguments: Restored.allCases)
  func `a replica whose base the log does not contain diverges`(restored: Restored) async throws {
    let log = MemorySharedLog(name: "banks")
    let one = try await SharedMachine(5, log: log.connect()).open()
    for id in 1...3 { try await one.insert(id) }
    try await one.close()
    let groups = log.groups
    let other = try await SharedMachine(6, log: log.connect()).open()
    for id in 4...6 { try await other.insert(id) }
    let whole = log.groups
    try await other.compactSharedLog(keeping: .nothing)
    let two = try await SharedMachine(7, log: log.connect()).open()
    try await two.insert(7)
    #expect(two.base == 6 && two.snapshot.sequence == 7)
    // A log that contains the base and its history again is the same log.
    log.replaceGroups(whole)
    #expect((try? await two.pull()) == nil)
    let short = try #require(try await two.repairPlan())
    #expect(short.action == .appendAgain && short.divergence.missingCount == 1)
    try await two.repair(short)
    #expect(log.groups.count == 8 && two.sharingStatus == .connected)

    log.replaceGroups(groups)
    let third = try await SharedMachine(8, log: log.connect()).open()
    let count = restored == .shorter ? 0 : restored == .asLong ? 4 : 9
    for id in 30..<30 + count { try await third.insert(id) }
    #expect((try? await two.pull()) == nil)
    guard case .diverged(let divergence)? = two.sharingStatus else {
      throw Surprise("\(two.sharingStatus as Any)")
    }
    let missing = restored == .shorter ? [4, 5, 6, 7] : [6, 7] as [SequenceNumber]
    #expect(divergence.missing.map(\.sequence) == missing)
    let plan = try #require(try await two.repairPlan())
    #expect(plan.action == .restart)
    #expect("\(plan)".contains("from the beginning of the log"))
    #expect(try two.ids == [1, 2, 3, 4, 5, 6, 7])
    let path = try #require(try await two.repair(plan).keptPath)
    #expect(path.hasSuffix("-lost-7") && two.sharingStatus == .connected)
    #expect(two.base == 0)
    #expect(Audit.differences(two.snapshot, third.snapshot) == [])
    try await two.insert(50)
    try await third.pull()
    #expect(Audit.differences(two.snapshot, third.snapshot) == [])
    try await other.close()
    try await two.close()
    try await third.close()
  }
}
