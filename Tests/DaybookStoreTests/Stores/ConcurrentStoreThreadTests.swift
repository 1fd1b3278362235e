import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

/// Concurrent savers, readers, a follower, and undo. These tests also run with the thread
/// sanitizer.
@Suite("Concurrent use of a store") struct ConcurrentStoreThreadTests {
  private struct Account: Record {
    var id = 0
    var amount = 0
    var note: String?
    static let schema = RecordSchema<Account>("Account")
      .attribute("amount", at: \.amount).attribute("note", at: \.note)
  }

  private static let accountCount = 10
  private static let total = 1000

  private func total(_ snapshot: StoreSnapshot) throws -> Int {
    try snapshot.objects(Account.self).reduce(0) { $0 + $1.amount }
  }

  /// Moves an amount from one account to another, and repeats the move after a conflict.
  private func move(_ store: Store, _ generator: inout SplitMix64) async throws {
    let from = Int(generator.next() % UInt64(Self.accountCount))
    let to = Int(generator.next() % UInt64(Self.accountCount))
    let amount = Int(generator.next() % 10)
    while true {
      do {
        try await store.write(isolation: nil) { context in
          try context.update(Account.self, id: from) { $0.amount -= amount }
          try context.update(Account.self, id: to) { $0.amount += amount }
        }
        return
      } catch let error as StoreError {
        guard case .conflict = error.reason else { throw error }
      }
    }
  }

  @Test func `concurrent saves lose no change, and readers see only whole transactions`()
    async throws
  {
    let disk = SimulatedDisk()
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "daybook-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for path in ["j", folder.appending(path: "j").path] {
      var options = JournalOptions()
      if path == "j" { options = .simulated(disk) }
      let settled = options
      let store = try Store(at: path, types: [Account.self], options: settled)
      try await store.write(isolation: nil) { context in
        for id in 0..<Self.accountCount {
          try context.insert(Account(id: id, amount: Self.total / Self.accountCount))
        }
      }
      let followed = try Store(following: path, types: [Account.self], options: settled)
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
              try context.object(Account.self, id: $0)
            }
            #expect(accounts.reduce(0) { $0 + $1.amount } == Self.total)
            try context.perform {
              try context.update(Account.self, id: number % 10) { $0.amount += 1 }
              try context.update(Account.self, id: (number + 1) % 10) { $0.amount -= 1 }
            }
            if number % 3 == 0 { _ = try? context.undo() }
            try context.rollback()
            await Task.yield()
          }
        }
        try await group.waitForAll()
      }
      try followed.catchUp()
      // Moving no amount, or to the same account, makes no transaction.
      #expect(store.snapshot.sequence > 60 && store.snapshot.sequence <= 121)
      #expect(followed.snapshot.sequence == store.snapshot.sequence)
      #expect(try total(store.snapshot) == Self.total)
      #expect(
        try followed.snapshot.objects("Account") == store.snapshot.objects("Account"))
      try await store.close()
      let again = try Store(at: path, types: [Account.self], options: settled)
      #expect(try again.snapshot.objects("Account") == store.snapshot.objects("Account"))
    }
  }

  @Test func `a store has exactly the acknowledged saves after the disk was temporarily full`()
    async throws
  {
    for seed in 0..<3 as Range<UInt64> {
      let disk = SimulatedDisk()
      let store = try Store(at: "j", types: [Account.self], options: .simulated(disk))
      let acknowledged = Acknowledged()
      disk.capacity = 0
      await withTaskGroup(of: Void.self) { group in
        for saver in 0..<4 {
          group.addTask {
            // Each saver repeats its last save until there is space.
            for number in 0..<40 {
              let id = saver * 1000 + number
              repeat {
                do {
                  try await store.write(isolation: nil) { context in
                    // A large note, so that each write has to allocate space.
                    let note = String(repeating: "long ", count: 5000 + id)
                    try context.insert(Account(id: id, amount: number, note: note))
                    // Each save depends on the previous one.
                    if number > 0, try context.object(Account.self, id: id - 1) != nil {
                      try context.delete(Account.self, id: id - 1)
                    }
                  }
                  await acknowledged.add(id)
                } catch {
                  await acknowledged.refuse(error)
                  await Task.yield()
                }
              } while await acknowledged.wants(number, id)
            }
          }
        }
        group.addTask {
          var generator = SplitMix64(seed: seed)
          // The disk is full until a save is refused; then its capacity changes at random until the
          // savers finish.
          while await acknowledged.errors.isEmpty { await Task.yield() }
          while await !acknowledged.isDone {
            disk.capacity = generator.next() & 1 == 0 ? 0 : nil
            await Task.yield()
          }
          disk.capacity = nil
        }
        await group.waitForAll()
      }
      let (ids, errors) = await (acknowledged.ids, acknowledged.errors)
      for error in errors {
        guard case .journal(let journal) = (error as? StoreError)?.reason,
          journal.reason == .diskFull || journal.reason == .precedingRefused
        else {
          Issue.record("\(error)")
          continue
        }
      }
      #expect(store.snapshot.sequence.rawValue == UInt64(ids.count))
      let there = try Set(store.snapshot.objects(Account.self).map(\.id))
      #expect(there == ids.filter { !ids.contains($0 + 1) })
      #expect(!ids.isEmpty && !errors.isEmpty, "\(ids.count) saved, \(errors.count) refused")
      try await store.close()
      let again = try Store(at: "j", types: [Account.self], options: .simulated(disk))
      #expect(try again.snapshot.objects("Account") == store.snapshot.objects("Account"))
      #expect(again.snapshot.sequence == store.snapshot.sequence)
    }
  }

  private actor Acknowledged {
    var ids: Set<Int> = []
    var errors: [any Error] = []
    /// Returns whether a saver has to repeat its save.
    func wants(_ number: Int, _ id: Int) -> Bool { number == 39 && !ids.contains(id) }
    /// A Boolean value that indicates whether the last record of each saver has been saved.
    var isDone: Bool { (0..<4).allSatisfy { ids.contains($0 * 1000 + 39) } }
    func add(_ id: Int) { ids.insert(id) }
    func refuse(_ error: any Error) { errors.append(error) }
  }
}
