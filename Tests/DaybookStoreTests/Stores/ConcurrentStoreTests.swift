import DaybookJournal
import DaybookStore
import DaybookTesting
import FoundationEssentials
import Glibc
import Testing

/// Many at once: savers, readers, one who follows, and undo. Run under the thread sanitizer too.
@Suite struct `Stores that many use at once` {
  private struct Account: Record {
    var id = 0
    var amount = 0
    static let schema = Schema<Account>("Account").attribute("amount", \.amount)
  }

  private static let accountCount = 10
  private static let total = 1000

  private func total(_ snapshot: StoreSnapshot) throws -> Int {
    try snapshot.objects(Account.self).reduce(0) { $0 + $1.amount }
  }

  /// Moves an amount from one account to another, again if someone else was faster.
  private func move(_ store: Store, _ generator: inout SplitMix64) async throws {
    let from = Int(generator.next() % UInt64(Self.accountCount))
    let to = Int(generator.next() % UInt64(Self.accountCount))
    let amount = Int(generator.next() % 10)
    while true {
      do {
        try await store.write(isolation: nil) { context in
          try context.update(Account.self, from) { $0.amount -= amount }
          try context.update(Account.self, to) { $0.amount += amount }
        }
        return
      } catch let error as StoreError {
        guard case .conflict = error.reason else { throw error }
      }
    }
  }

  @Test func `no saver's change is lost, and no reader sees half of one`() async throws {
    let disk = SimulatedDisk()
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for path in ["j", folder.appending(path: "j").path] {
      var options = JournalOptions()
      if path == "j" { options = .simulated(disk) }
      let settled = options
      let store = try Store(at: path, [Account.self], settled)
      try await store.write(isolation: nil) { context in
        for id in 0..<Self.accountCount {
          try context.insert(Account(id: id, amount: Self.total / Self.accountCount))
        }
      }
      let followed = try Store(following: path, [Account.self], settled)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for saver in 0..<4 as Range<UInt64> {
          group.addTask { () async throws in
            var generator = SplitMix64(seed: saver)
            for _ in 0..<30 { try await move(store, &generator) }
          }
        }
        for _ in 0..<2 {
          group.addTask { () async throws in
            var last = SequenceNumber.zero
            var held: [StoreSnapshot] = []
            for _ in 0..<60 {
              let snapshot = store.snapshot
              #expect(snapshot.sequence >= last)
              last = snapshot.sequence
              #expect(try total(snapshot) == Self.total)
              held.append(snapshot)
              await Task.yield()
            }
            for snapshot in held { #expect(try total(snapshot) == Self.total) }
          }
        }
        group.addTask { () async throws in
          for _ in 0..<60 {
            try followed.catchUp()
            #expect(try total(followed.snapshot) == Self.total)
            await Task.yield()
          }
        }
        group.addTask { () async throws in
          let context = store.makeContext(isolation: nil)
          context.undoLimit = 3
          for number in 0..<30 {
            try context.mergeChanges()
            let accounts = try (0..<Self.accountCount).compactMap {
              try context.object(Account.self, $0)
            }
            #expect(accounts.reduce(0) { $0 + $1.amount } == Self.total)
            try context.perform {
              try context.update(Account.self, number % 10) { $0.amount += 1 }
              try context.update(Account.self, (number + 1) % 10) { $0.amount -= 1 }
            }
            if number % 3 == 0 { _ = try? context.undo() }
            try context.rollback()
            await Task.yield()
          }
        }
        try await group.waitForAll()
      }
      try followed.catchUp()
      // A move of nothing, or to the same account, is no transaction.
      #expect(store.snapshot.sequence > 60 && store.snapshot.sequence <= 121)
      #expect(followed.snapshot.sequence == store.snapshot.sequence)
      #expect(try total(store.snapshot) == Self.total)
      #expect(
        try followed.snapshot.objects("Account") == store.snapshot.objects("Account"))
      try await store.close()
      let again = try Store(at: path, [Account.self], settled)
      #expect(try again.snapshot.objects("Account") == store.snapshot.objects("Account"))
    }
  }
}
