import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

private struct Account: Record {
  var id = 0
  var balance = 0
  static let schema = RecordSchema<Account>("Account").attribute("balance", at: \.balance)
}

/// The examples of the page on shared stores.
@Suite struct `The page on sharing` {
  @Test func `the examples run as the page shows them`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "banks.daybook").path
    // The opening begins.
    let log = MemorySharedLog(name: "banks")  // in a program: a log on a server
    let store = try await Store(at: path, sharing: log.connect(), records: Account.self)
    try await store.write { try $0.insert(Account(id: 1, balance: 100)) }
    // The opening ends.

    // The saving begins.
    try await store.write { context in
      try context.update(Account.self, id: 1) { $0.balance += 10 }
    }
    // The saving ends.
    // The pulling begins.
    try await store.pull()
    // The pulling ends.
    #expect(try store.snapshot.object(Account.self, id: 1)?.balance == 110)

    var pending: UnknownAppend?
    let context = store.makeContext(isolation: nil)
    // The failing begins.
    do {
      try await context.save()
    } catch {
      switch error.reason {
      case .journal: print("try again later: \(error)")  // certainly not saved
      case .unknown(let append): pending = append  // sent, but there was no answer
      default: throw error
      }
    }
    // The failing ends.
    #expect(pending == nil)

    // The measuring begins.
    if let sharing = store.statistics.sharing {
      print(sharing.lag, sharing.lastAgreement.map { "since \($0)" } ?? "never connected")
      print(sharing.appendedTransactionCount, sharing.pulledTransactionCount, sharing.conflictCount)
    }
    // The measuring ends.
    #expect(store.statistics.sharing?.lag == 0)

    log.replaceGroups(Array(log.groups.dropLast()))
    _ = try? await store.pull()
    // The diverging begins.
    if case .diverged(let divergence)? = store.sharingStatus {
      print(divergence)  // the first missing transactions
      print(divergence.missingCount, divergence.lastCommon, divergence.isForked)
    }
    // The diverging ends.
    guard case .diverged? = store.sharingStatus else {
      Issue.record("the status is \(store.sharingStatus as Any)")
      return
    }
    // The repair begins.
    if let plan = try await store.repairPlan() {
      print(plan)
      let report = try await store.repair(plan)
      print(report.appendedCount, report.keptPath ?? "no file was replaced")
    }
    // The repair ends.
    #expect(store.sharingStatus == .connected)
    #expect(log.groups.count == 3)
    try await store.close()
  }

  @Test func `the examples of a commit run as the page shows them`() async throws {
    try await TemporaryDirectory.with { scratch in
      let file = URL(filePath: scratch.path("pending.json"))
      let memory = MemorySharedLog(name: "banks")
      let planned = PlannedLog(memory)
      let store = try await SharedMachine(1, log: planned).open([Account.self])
      try await store.write(isolation: nil) { try $0.insert(Account(id: 1, balance: 1)) }
      // The committing begins.
      do {
        let commit = try await store.commit(waitingUpTo: .seconds(30)) { context in
          try context.update(Account.self, id: 1) { $0.balance += 10 }
        }
        print(commit.receipt?.safety ?? "nothing has changed")
      } catch let error as StoreError {
        switch error.reason {
        case .notSaved: print("try again later: \(error)")
        case .notKnown(let pending): try JSONEncoder().encode(pending).write(to: file)
        default: throw error
        }
      }
      // The committing ends.
      #expect(try store.snapshot.object(Account.self, id: 1)?.balance == 11)

      planned.plan(.answerLost)
      var unknown: PendingOutcome?
      do {
        _ = try await store.commit(waitingUpTo: .zero, isolation: nil) { context in
          try context.update(Account.self, id: 1) { $0.balance += 10 }
        }
      } catch let error as StoreError {
        if case .notKnown(let pending) = error.reason { unknown = pending }
      }
      let pending = try #require(unknown)
      // The asking begins.
      let receipt = try await store.outcome(of: pending)
      // The asking ends.
      #expect(receipt?.sequence == 3)
      try await store.close()
    }
  }

  @Test func `the example of automatic repairs runs as the page shows it`() async throws {
    try await TemporaryDirectory.with { scratch in
      let path = scratch.path("banks.daybook")
      let memory = MemorySharedLog(name: "banks")
      let log = memory.connect()
      // The healing begins.
      let store = try await Store(
        at: path, sharing: log, records: Account.self, repairs: .automatic)
      // The healing ends.
      try await store.write(isolation: nil) { try $0.insert(Account(id: 1, balance: 1)) }
      memory.replaceGroups(Array(memory.groups.dropLast()))
      try await store.pull()
      #expect(memory.groups.count == 2)
      try await store.close()
    }
  }

  @Test func `the example of a compaction runs as the page shows it`() async throws {
    let log = MemorySharedLog(name: "banks")
    let store = try await Store(
      at: "banks.daybook", sharing: log.connect(), records: Account.self,
      options: .simulated(SimulatedDisk(seed: 3)))
    try await store.write(isolation: nil) { try $0.insert(Account(id: 1, balance: 1)) }
    // The compaction begins.
    let compaction = try await store.compactSharedLog(keeping: .days(30))
    print("\(compaction.droppedTransactionCount) transactions were dropped")
    // The compaction ends.
    #expect(compaction.droppedTransactionCount == 0 && log.groups.count == 2)
    try await store.close()
  }

  @Test func `the example of a publication runs as the page shows it`() async throws {
    try await TemporaryDirectory.with { scratch in
      let path = scratch.path("banks.daybook")
      let log = MemorySharedLog(name: "banks")
      try await Store(at: path, records: Account.self).close()
      // The publishing begins.
      try await Store.publish(at: path, to: log.connect())
      // The publishing ends.
      #expect(log.groups.count == 1)
    }
  }

  @Test func `the page shows the code of the examples`() throws {
    let page = try ProjectFiles.lines("Sources/DaybookStore/DaybookStore.docc/Share.md")
    let source = try ProjectFiles.lines("Tests/DaybookStoreTests/SharePageThreadTests.swift")
    let shown = DocumentationPage.blocks("```swift", in: page)
    let names = [
      "opening", "saving", "pulling", "committing", "asking", "failing", "measuring", "diverging",
      "repair", "healing", "compaction", "publishing",
    ]
    let parts = try names.map { try DocumentationPage.part($0, of: source) }
    #expect(shown == parts)
  }
}
