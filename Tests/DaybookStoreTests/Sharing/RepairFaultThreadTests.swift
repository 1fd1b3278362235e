import DaybookJournal
import DaybookPlatform
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Repairs during which the disk or the log fails.
@Suite struct `Faults during a repair` {
  /// A replica with the transactions 1 to 5, whose log has lost the last two of them.
  private struct Lost {
    let log = MemorySharedLog(name: "banks")
    let planned: PlannedLog
    let machine: SharedMachine
    let store: Store

    /// - Parameter isForked: A Boolean value that indicates whether a different machine has
    ///   inserted record 6 after the loss.
    init(isForked: Bool) async throws {
      planned = PlannedLog(log)
      machine = SharedMachine(1, log: planned)
      store = try await machine.open()
      for id in 1...5 { try await store.insert(id) }
      log.replaceGroups(Array(log.groups.dropLast(2)))
      guard isForked else { return }
      let other = try await SharedMachine(2, log: log.connect()).open()
      try await other.insert(6)
      try await other.close()
    }

    func plan(of store: Store) async throws -> RepairPlan {
      try #require(try await store.repairPlan())
    }
  }

  @Test func `a restart whose last sync of the directory fails is read by the next opening`()
    async throws
  {
    let lost = try await Lost(isForked: true)
    let (store, machine) = (lost.store, lost.machine)
    let plan = try await lost.plan(of: store)
    // The first sync is that of the file beside the replica. The second is after the old file has
    // its second name, and the third is after the rename.
    machine.disk.clearLog()
    machine.disk.plan = .fail(call: 3, with: Errno.inputOutputError, only: [.syncDirectory])
    let stopped =
      "banks.daybook: writing stopped when a call failed (syncDirectory: Input/output error (5)). "
      + "Every transaction acknowledged as durable is safe and can be read. Call recover() to "
      + "continue."
    await expect(stopped) { try await store.repair(plan) }
    machine.disk.plan = .none
    // Snapshots stay readable. The store cannot write to a file that has lost its name.
    #expect(try store.ids == [1, 2, 3, 4, 5])
    await expect(
      "banks.daybook: the file was replaced or removed after it was opened. Nothing was written to "
        + "the new file. Open it again."
    ) { try await store.recover() }
    await expect(stopped) { try await store.close() }

    let again = try await machine.open(connectedTo: lost.log.connect())
    #expect(try again.ids == [1, 2, 3, 6] && again.sharingStatus == .connected)
    try await again.insert(7)
    try await again.close()
    #expect(machine.frames == lost.log.frames)
    let kept = try Store(
      reading: "banks.daybook-lost-4", types: [SharedCounter.self],
      options: .simulated(machine.disk))
    #expect(try kept.ids == [1, 2, 3, 4, 5])
    try await kept.close()
  }

  /// Compares the sentence of the error of a call that must fail.
  private func expect(
    _ sentence: String, location: SourceLocation = #_sourceLocation,
    of call: () async throws -> Void
  ) async {
    do {
      try await call()
      Issue.record("no error", sourceLocation: location)
    } catch { #expect("\(error)" == sentence, sourceLocation: location) }
  }

  @Test(arguments: [DiskError.Operation.syncDirectory, .sync, .rename, .link, .create, .write])
  func `a repair over a disk whose calls fail loses nothing`(
    operation: DiskError.Operation
  ) async throws {
    var failureCount = 0
    for call in 1... {
      let lost = try await Lost(isForked: true)
      let machine = lost.machine
      var store = lost.store
      let plan = try await lost.plan(of: store)
      machine.disk.clearLog()
      machine.disk.recordsCalls = true
      machine.disk.plan = .fail(call: call, with: Errno.inputOutputError, only: [operation])
      let report = try? await store.repair(plan)
      let hasFailed = machine.disk.log.count { $0.operation == operation } >= call
      machine.disk.plan = .none
      if report == nil { failureCount += 1 }
      // The pull at the end of a repair can stop writing, although the repair is complete.
      if (try? await store.recover()) == nil {
        try? await store.close()
        store = try await machine.open(connectedTo: lost.log.connect())
      }
      if let plan = try await store.repairPlan() { try await store.repair(plan) }
      // The replica may have restarted before the failure. No pull is needed after that.
      try await store.insert(7)
      #expect(try store.ids == [1, 2, 3, 6, 7], "call \(call)")
      try await store.close()
      #expect(machine.frames == lost.log.frames, "call \(call)")
      let kept = try Store(
        reading: "banks.daybook-lost-4", types: [SharedCounter.self],
        options: .simulated(machine.disk))
      #expect(try kept.ids == [1, 2, 3, 4, 5], "call \(call)")
      try await kept.close()
      // An attempt that failed before the restart leaves no second name of the replica.
      #expect(machine.disk.contents(of: "banks.daybook-lost-4.1") == nil, "call \(call)")
      if !hasFailed { break }
    }
    #expect(failureCount > 0)
  }

  @Test(arguments: [true, false], [true, false])
  func `a repair whose last pull fails is complete`(isForked: Bool, saves: Bool) async throws {
    let lost = try await Lost(isForked: isForked)
    let store = lost.store
    let plan = try await lost.plan(of: store)
    // The first call of `head` is in the comparison, and the second one in the pull.
    lost.planned.cut(at: .head, call: 2)
    let report = try await store.repair(plan)
    #expect(lost.planned.isCut)
    #expect(report.appendedCount == (isForked ? 0 : 2))
    #expect((report.keptPath != nil) == isForked)
    #expect(
      store.sharingStatus
        == .unavailable(SharedLogError(.unavailable("the cable is cut"), log: "banks")))
    #expect(try store.ids == (isForked ? [1, 2, 3] : [1, 2, 3, 4, 5]))
    lost.planned.isCut = false
    if saves {
      try await store.insert(7)
    } else {
      #expect(try await store.pull() == isForked)
    }
    let ids = isForked ? [1, 2, 3, 6] : [1, 2, 3, 4, 5]
    #expect(try store.ids == ids + (saves ? [7] : []))
    #expect(store.sharingStatus == .connected)
    try await store.close()
    #expect(lost.machine.frames == lost.log.frames)
  }
}
