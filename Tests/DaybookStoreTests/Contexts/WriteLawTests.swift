import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Testing

/// The bodies of `Store.write` run one after another, so no update is lost.
@Suite struct `The law of concurrent increments` {
  /// A counter that many tasks increment, with the sequence number that the last body has read.
  private struct Counter: Record {
    var id = 0
    var count = 0
    var readSequence = 0
    var note = ""
    static let schema = RecordSchema<Counter>("Counter")
      .attribute("count", at: \.count).attribute("readSequence", at: \.readSequence)
      .attribute("note", at: \.note)
  }

  private static let taskCount = 8
  private static let incrementCount = 50

  @Sendable private static func increment(_ context: EditingContext) throws {
    let sequence = Int(context.sequence.rawValue)
    try context.update(Counter.self, id: 0) { counter in
      counter.count += 1
      counter.readSequence = sequence
    }
  }

  private static func makeCounter(in store: Store) async throws {
    try await store.write(isolation: nil) { try $0.insert(Counter()) }
  }

  @Test(arguments: [nil, Durability.full, .batched(interval: .milliseconds(20)), .none])
  func `N tasks with M increments each add N times M beside saving contexts`(
    durability: Durability?
  ) async throws {
    let disk = SimulatedDisk()
    var options = JournalOptions.simulated(disk)
    options.durability = durability ?? .full
    let store =
      try durability == nil
      ? Store.inMemory(records: Counter.self)
      : Store(at: "j", types: [Counter.self], options: options)
    try await Self.makeCounter(in: store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.taskCount {
        group.addTask {
          for _ in 0..<Self.incrementCount {
            try await store.write(isolation: nil, body: Self.increment)
          }
        }
      }
      for number in 1...2 {
        group.addTask {
          let context = store.makeContext(isolation: nil)
          for turn in 0..<Self.incrementCount {
            // One record that only this context changes, and one that all writers change.
            if turn == 0 { try context.insert(Counter(id: number)) }
            try context.update(Counter.self, id: number) { $0.count += 1 }
            var isSaved = false
            while !isSaved {
              try context.update(Counter.self, id: 0) { $0.count += 1 }
              do {
                try await context.save()
                isSaved = true
              } catch let error as StoreError {
                guard case .conflict = error.reason else { throw error }
                try context.rollback()
                try context.mergeChanges()
                if turn == 0 { try context.insert(Counter(id: number)) }
                try context.update(Counter.self, id: number) { $0.count += 1 }
              }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let total = (Self.taskCount + 2) * Self.incrementCount
    #expect(try store.snapshot.object(Counter.self, id: 0)?.count == total)
    for number in 1...2 {
      #expect(try store.snapshot.object(Counter.self, id: number)?.count == Self.incrementCount)
    }
    try await store.close()
  }

  @Test(arguments: [Durability.full, .batched(interval: .milliseconds(20)), .none])
  func `only acknowledged increments count while the disk is temporarily full`(
    durability: Durability
  ) async throws {
    let disk = SimulatedDisk()
    var options = JournalOptions.simulated(disk)
    options.durability = durability
    let store = try Store(at: "j", types: [Counter.self], options: options)
    try await Self.makeCounter(in: store)
    let acknowledgedCount = Guarded(0)
    let refusals = Guarded<[any Error]>([])
    let isDone = Guarded(false)
    await withTaskGroup(of: Void.self) { group in
      let filler = Task {
        var generator = SplitMix64(seed: 1)
        while !isDone.withLock({ $0 }) {
          disk.capacity = generator.next() & 1 == 0 ? 0 : nil
          await Task.yield()
        }
        disk.capacity = nil
      }
      for task in 1...Self.taskCount {
        group.addTask {
          for number in 0..<Self.incrementCount {
            do {
              try await store.write(isolation: nil) { context in
                try Self.increment(context)
                // A large note, so that each write has to allocate space.
                let note = String(repeating: "note ", count: 5000 + number)
                try context.insert(Counter(id: task * 1000 + number, note: note))
              }
              acknowledgedCount.withLock { $0 += 1 }
            } catch {
              refusals.withLock { $0.append(error) }
            }
          }
        }
      }
      await group.waitForAll()
      isDone.withLock { $0 = true }
      await filler.value
    }
    for error in refusals.withLock({ $0 }) {
      guard case .journal(let journal)? = (error as? StoreError)?.reason,
        journal.reason == .diskFull || journal.reason == .precedingRefused
      else {
        Issue.record("\(error)")
        continue
      }
    }
    let count = acknowledgedCount.withLock { $0 }
    #expect(try store.snapshot.object(Counter.self, id: 0)?.count == count)
    #expect(try store.snapshot.count(of: Counter.self) == 1 + count)
    try await store.close()
    let again = try Store(at: "j", types: [Counter.self], options: options)
    #expect(try again.snapshot.object(Counter.self, id: 0)?.count == count)
  }

  @Test func `each write reads the state after the transaction that precedes it`() async throws {
    let store = try Store(at: "j", types: [Counter.self], options: .simulated(SimulatedDisk()))
    try await Self.makeCounter(in: store)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 1...4 {
        group.addTask {
          for _ in 0..<Self.incrementCount {
            try await store.write(isolation: nil, body: Self.increment)
          }
        }
        group.addTask {
          let context = store.makeContext(isolation: nil)
          for number in 0..<Self.incrementCount {
            try context.insert(Counter(id: task * 1000 + number, readSequence: -1))
            try await context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    var transactions = try store.transactions(from: 2)
    var writeCount = 0
    while let transaction = try transactions.next() {
      let sequence = try #require(transaction.sequence)
      guard transaction.changes.contains(where: { $0.id == .int(0) }) else { continue }
      writeCount += 1
      let counter = try store.snapshot(at: sequence).object(Counter.self, id: 0)
      #expect(counter?.readSequence == Int(sequence.rawValue) - 1)
    }
    #expect(writeCount == 4 * Self.incrementCount)
  }

  @Test(arguments: [Durability.full, .batched(interval: .milliseconds(20)), .none])
  func `only acknowledged increments count while disk calls fail and callers recover`(
    durability: Durability
  ) async throws {
    for seed in 0..<3 as Range<UInt64> {
      let disk = SimulatedDisk()
      var options = JournalOptions.simulated(disk)
      options.durability = durability
      let store = try Store(at: "j", types: [Counter.self], options: options)
      try await Self.makeCounter(in: store)
      let acknowledgedCount = Guarded(0)
      let unknown = Guarded<[UnknownAppend]>([])
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<4 as Range<UInt64> {
          group.addTask {
            var generator = SplitMix64(seed: seed * 4 + task)
            for _ in 0..<Self.incrementCount {
              if generator.next() % 8 == 0 {
                disk.clearLog()
                disk.plan = .fail(
                  call: 1, with: EIO, only: generator.next() & 1 == 0 ? [.sync] : [.write])
              }
              do {
                try await store.write(isolation: nil, body: Self.increment)
                acknowledgedCount.withLock { $0 += 1 }
              } catch {
                if case .unknown(let append)? = (error as? StoreError)?.reason {
                  unknown.withLock { $0.append(append) }
                }
                _ = try? await store.recover()
              }
            }
          }
        }
        await group.waitForAll()
      }
      disk.plan = .none
      try await store.recover()
      let included = unknown.withLock { $0 }.filter { store.isIncluded($0) == true }
      let count = acknowledgedCount.withLock { $0 } + included.count
      #expect(try store.snapshot.object(Counter.self, id: 0)?.count == count, "seed \(seed)")
      try await store.close()
      let again = try Store(at: "j", types: [Counter.self], options: options)
      #expect(try again.snapshot.object(Counter.self, id: 0)?.count == count, "seed \(seed)")
      try await again.close()
    }
  }
}
