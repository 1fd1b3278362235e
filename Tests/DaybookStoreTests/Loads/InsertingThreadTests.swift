import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Adding many records") struct InsertingThreadTests {
  private struct Player: Record, Equatable {
    var id = 0
    var name: String?
    var number: Int?
    static let schema = RecordSchema<Player>("Player").attribute("name", at: \.name, required: true)
      .attribute("number", at: \.number).unique(\.number)
  }

  private struct Stranger: Record {
    var id = 0
    static let schema = RecordSchema<Stranger>("Stranger")
  }

  private let disk = SimulatedDisk()

  private func open() throws -> Store {
    try Store(at: "j", types: [Player.self, Unique.self], options: .simulated(disk))
  }

  private func players(_ ids: some Sequence<Int>) -> [Player] {
    ids.map { Player(id: $0, name: "player \($0)") }
  }

  /// Records the reported counts.
  private final class Received: Sendable {
    private let counts = Mutex<[Int]>([])
    var all: [Int] { counts.withLock { $0 } }
    func note(_ count: Int) { counts.withLock { $0.append(count) } }
  }

  /// Loads records in both ways into separate stores, and passes the reported counts and the error
  /// to a body.
  private func load(
    _ records: [Player], by count: Int, into ids: [Int] = [],
    _ body: (Store, _ received: [Int], any Error) throws -> Void
  ) async throws {
    for waits in [false, true] {
      let store = try Store.inMemory(types: [Player.self])
      let context = store.makeContext()
      for player in players(ids) { try context.insert(player) }
      try context.saveNow()
      let received = Received()
      let error = await #expect(throws: (any Error).self) {
        if waits {
          try insertAndWait(records, by: count, store, received)
        } else {
          try await store.insert(contentsOf: records, inTransactionsOf: count) { received.note($0) }
        }
      }
      try body(store, received.all, try #require(error))
    }
  }

  private func insertAndWait(
    _ records: [Player], by count: Int, _ store: Store, _ received: Received
  ) throws {
    try store.insertAndWait(contentsOf: records, inTransactionsOf: count) { received.note($0) }
  }

  @Test func `a load gives the records that a context inserts`() async throws {
    for (count, size) in [(0, 3), (1, 1), (7, 3), (9, 3), (2500, 1000), (100, 1)] {
      let store = try open()
      let received = Received()
      let receipts = try await store.insert(
        contentsOf: players(0..<count), inTransactionsOf: size,
        metadata: TransactionMetadata(author: "somebody")
      ) { received.note($0) }
      let transactionCount = (count + size - 1) / size
      #expect(receipts.map(\.sequence.rawValue) == (0..<transactionCount).map { UInt64($0 + 1) })
      #expect(receipts.allSatisfy { $0.safety == .durable && !$0.isRepeated })
      #expect(received.all == (0..<transactionCount).map { min(count, ($0 + 1) * size) })
      let other = try Store.inMemory(types: [Player.self, Unique.self])
      let context = other.makeContext()
      for player in players(0..<count) { try context.insert(player) }
      try context.saveNow()
      let players = try other.snapshot.objects(Player.self)
      #expect(try store.snapshot.objects(Player.self) == players)
      if count > 0 {
        let heading = store.snapshot.frozen.heading(of: 1)
        #expect(heading?.metadata.author == "somebody")
      }
      try await store.close()
      #expect(Audit.differences(try open().snapshot, store.snapshot) == [])
      try disk.remove("j")
    }
  }

  @Test func `a load accepts lazy sequences and identifiers of every type`() async throws {
    let store = try open()
    let records = (0..<300).lazy.map { Unique(name: "\($0)") }
    try await store.insert(contentsOf: records, inTransactionsOf: 50)
    #expect(
      try store.snapshot.objects(Unique.self).map(\.name) == (0..<300).map { "\($0)" })
    try insertAndWait(players(0..<10), by: 4, store, Received())
    #expect(try store.snapshot.objects(Player.self) == players(0..<10))
    try await store.close()
  }

  @MainActor private final class Titles {
    var title = "Dr."
    var usedCount = 0
    func name(_ id: Int) -> String {
      usedCount += 1
      return "\(title) \(id)"
    }
  }

  private actor Loader {
    private var prefix = "player"
    func load(_ ids: Range<Int>, into store: Store) async throws {
      try await store.insert(
        contentsOf: ids.lazy.map { Player(id: $0, name: "\(self.prefix) \($0)") },
        inTransactionsOf: 40)
    }
  }

  @Test @MainActor func `a load reads a lazy sequence on the actor of its caller`() async throws {
    let store = try open()
    let titles = Titles()
    try await store.insert(
      contentsOf: (0..<100).lazy.map { Player(id: $0, name: titles.name($0)) },
      inTransactionsOf: 40)
    #expect(titles.usedCount == 100)
    try await Loader().load(100..<200, into: store)
    #expect(
      try store.snapshot.objects(Player.self).map(\.name)
        == (0..<100).map { "Dr. \($0)" } + (100..<200).map { "player \($0)" })
    #expect(store.snapshot.sequence == 6)
    try await store.close()
  }

  @Test func `a load stores large values and values of every type`() async throws {
    for seed in 0..<UInt64(FaultRow.count(20, full: 200)) {
      var random = SplitMix64(seed: seed)
      let records = (0..<60).map { EveryType.random("r\($0 * 7 % 60)", using: &random) }
      let store = try Store(
        at: "j", types: [EveryType.self, Numbered.self], options: .simulated(disk))
      try await store.insert(
        contentsOf: records, inTransactionsOf: 1 + Int(random.next() % 25))
      let other = try Store.inMemory(types: [EveryType.self, Numbered.self])
      let context = other.makeContext()
      for record in records { try context.insert(record) }
      try context.saveNow()
      // The records are read from the writing store and from a reopened one.
      for isOpenedAgain in [false, true] {
        let store =
          isOpenedAgain
          ? try Store(at: "j", types: [EveryType.self, Numbered.self], options: .simulated(disk))
          : store
        let loaded = try store.snapshot.objects(EveryType.self)
        #expect(loaded == records, "seed \(seed)")
        #expect(try other.snapshot.objects(EveryType.self) == loaded, "seed \(seed)")
        // Referrers are found whether the records were loaded or inserted.
        for number in 0..<100 {
          let id = "r\(number)"
          #expect(
            try referrers(to: id, in: store) == referrers(to: id, in: other),
            "seed \(seed): \(id)")
        }
        try await store.close()
      }
      try disk.remove("j")
    }
  }

  /// Returns the records whose parent is a given one, and those with it among their children.
  private func referrers(to id: String, in store: Store) throws -> [[String]] {
    [
      try store.snapshot.records(referringTo: id, by: \EveryType.parent).map(\.id),
      try store.snapshot.records(referringTo: id, by: \EveryType.children).map(\.id),
    ]
  }

  @Test func `a load finds existing records at every position among the identifiers`() async throws
  {
    // The new identifiers are after, before and between the existing ones, in ascending and
    // descending order.
    let there = [-7, 0, 20, Int.max]
    for last in there {
      let store = try Store.inMemory(types: [Player.self])
      let context = store.makeContext()
      for player in players(there.filter { $0 <= last }) { try context.insert(player) }
      try context.saveNow()
      for twin in there where twin <= last {
        let others = [Int.min, -8, -6, 21, Int.max - 1].filter { $0 != twin }
        for ids in [others + [twin], [twin] + others, (others + [twin]).sorted()] {
          let error = await #expect(throws: StoreError.self) {
            try await store.insert(contentsOf: players(ids))
          }
          let description = try #require(error).description
          #expect(description == "store in memory: Player \(twin) already exists.")
        }
      }
      try await store.insert(contentsOf: players([Int.min, -8, -6, 21, Int.max - 1]))
      try await store.insert(contentsOf: players([4, 3, 5]))
      let error = await #expect(throws: StoreError.self) {
        try await store.insert(contentsOf: players([6, 7, 3]))
      }
      let description = try #require(error).description
      #expect(description == "store in memory: Player 3 already exists.")
    }
  }

  @Test func `a load shows saved transactions while later records are produced`() async throws {
    let store = try open()
    let sequences = Received()
    let records = (0..<100).lazy.map { id in
      // Eight transactions have a number now, and at most four of them are not yet saved.
      if id == 90 { sequences.note(Int(store.snapshot.sequence.rawValue)) }
      return Player(id: id, name: "player \(id)")
    }
    try await store.insert(contentsOf: records, inTransactionsOf: 10)
    #expect(sequences.all.count == 1 && sequences.all.allSatisfy { $0 >= 4 }, "\(sequences.all)")
    try await store.close()
  }

  @Test func `a load detects one identifier in two Unicode spellings`() async throws {
    let store = try Store.inMemory(types: [EveryType.self, Numbered.self])
    let spellings = ["e\u{301}", "\u{e9}"].map { EveryType(id: $0) }
    for size in [1, 2] {
      let error = await #expect(throws: StoreError.self) {
        try await store.insert(contentsOf: spellings, inTransactionsOf: size)
      }
      let description = try #require(error).description
      #expect(description == "store in memory: EveryType \u{e9} already exists.")
    }
  }

  @Test func `contexts merge the transactions of a load`() async throws {
    let store = try open()
    let context = store.makeContext()
    let received = Received()
    let token = context.observe { event in
      if case .transaction(let transaction) = event { received.note(transaction.changes.count) }
    }
    try await store.insert(contentsOf: players(0..<25), inTransactionsOf: 10)
    try context.mergeChanges()
    #expect(received.all.reduce(0, +) == 25)
    withExtendedLifetime(token) {}
    try await store.close()
  }

  @Test func `a load stops at the transaction with an existing record`() async throws {
    // The existing record is the first, one in the middle, or the last.
    for twin in [0, 11, 12, 34] {
      try await load(players(0..<35), by: 10, into: [twin]) { store, received, error in
        #expect("\(error)" == "store in memory: Player \(twin) already exists.")
        let savedCount = twin / 10 * 10
        #expect(received == (0..<twin / 10).map { ($0 + 1) * 10 })
        let ids = try store.snapshot.objects(Player.self).map(\.id)
        #expect(ids == [twin] + (0..<savedCount))
      }
    }
  }

  @Test func `a load stops at the transaction with a duplicate record`() async throws {
    // The duplicates are in one transaction, in consecutive ones, or far apart.
    for (ids, twin) in [([5, 5], 5), (Array(0..<10) + [9], 9), (Array(0..<50) + [1], 1)] {
      try await load(players(ids), by: 10) { store, received, error in
        #expect("\(error)" == "store in memory: Player \(twin) already exists.")
        #expect(received.last ?? 0 == ids.count / 10 * 10)
        let count = try store.snapshot.objects(Player.self).count
        #expect(count == ids.count / 10 * 10)
      }
    }
  }

  @Test func `a load validates the rules of the schema`() async throws {
    var records = players(0..<30)
    records[13].name = nil
    records[17].name = nil
    try await load(records, by: 10) { store, received, error in
      #expect(
        "\(error)" == """
          store in memory: Player 13 has no name, which is required; Player 17 has no name, which is \
          required. Nothing was saved.
          """)
      #expect(received == [10])
    }
    records = players(0..<30)
    records[4].number = 7
    records[22].number = 7
    try await load(records, by: 10) { store, received, error in
      #expect(
        "\(error)"
          == "store in memory: Player 22 has the same number as Player 4. Nothing was saved.")
      #expect(received == [10, 20])
    }
  }

  @Test func `a load of a type unknown to the store is refused`() async throws {
    let store = try Store.inMemory(types: [Player.self])
    let error = await #expect(throws: StoreError.self) {
      try await store.insert(contentsOf: [Stranger()])
    }
    #expect(error?.reason == .unknownType("Stranger"))
  }

  @Test func `a load into a closed or following store is refused`() async throws {
    let store = try open()
    let followed = try Store(
      following: "j", types: [Player.self, Unique.self], options: .simulated(disk))
    for isClosed in [false, true] {
      let error = await #expect(throws: StoreError.self) {
        try await (isClosed ? store : followed).insert(contentsOf: players(0..<1))
      }
      let answer = isClosed ? "the journal is closed." : "the store is read-only."
      #expect(error?.description == "j: \(answer)")
      // A load of no records is not refused.
      #expect(try await followed.insert(contentsOf: players(0..<0)).isEmpty)
      try await store.close()
    }
  }

  @Test func `one of several concurrent loads saves each record`() async throws {
    let store = try open()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for part in 0..<4 {
        group.addTask {
          let ids = part * 100..<part * 100 + 100
          return try await store.insert(contentsOf: players(ids), inTransactionsOf: 7).count
        }
      }
      for try await count in group { #expect(count == 15) }
    }
    #expect(try store.snapshot.objects(Player.self).map(\.id).sorted() == Array(0..<400))
    // The later loads of a record are refused and save nothing.
    let answers = await withTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          do {
            try await store.insert(contentsOf: players(1000..<1100), inTransactionsOf: 7)
            return "done"
          } catch { return "\(error)" }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let refusal = "j: Player 1000 already exists."
    #expect(answers.sorted() == ["done", refusal, refusal, refusal])
    let last = try store.snapshot.objects(Player.self).suffix(100)
    #expect(last.map(\.id) == Array(1000..<1100))
    try await store.close()
  }

  @Test func `a load of a context's unsaved record is a conflict for the context`() async throws {
    let store = try open()
    let context = store.makeContext()
    try context.insert(Player(id: 3, name: "mine"))
    try await store.insert(contentsOf: players(0..<10))
    let error = await #expect(throws: StoreError.self) { try await context.save() }
    #expect(
      error?.description == "j: Player 3 was inserted both here and elsewhere. Nothing was saved.")
    #expect(try context.object(Player.self, id: 3)?.name == "mine")
    try await store.close()
  }

  @Test func `a cancelled load ends between two transactions`() async throws {
    let store = try open()
    let received = Received()
    let load = Task {
      try await store.insert(contentsOf: players(0..<1000), inTransactionsOf: 10) { count in
        received.note(count)
        if count == 30 { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    await #expect(throws: CancellationError.self) { try await load.value }
    // Transactions in flight are completed: at most five.
    let last = try #require(received.all.last)
    #expect((30...80).contains(last))
    #expect(try store.snapshot.objects(Player.self).map(\.id) == Array(0..<last))
    try await store.close()
  }

  @Test func `a repeated load with the same key saves the missing transactions`() async throws {
    let store = try open()
    var records = players(0..<40)
    records[25].name = nil
    let said = TransactionMetadata(idempotencyKey: "import")
    await #expect(throws: StoreError.self) {
      try await store.insert(contentsOf: records, inTransactionsOf: 10, metadata: said)
    }
    #expect(store.snapshot.frozen.heading(of: 2)?.metadata.idempotencyKey == "import/2")
    let receipts = try await store.insert(
      contentsOf: players(0..<40), inTransactionsOf: 10, metadata: said)
    #expect(receipts.map(\.isRepeated) == [true, true, false, false])
    #expect(receipts.map(\.sequence) == [1, 2, 3, 4])
    #expect(try store.snapshot.objects(Player.self) == players(0..<40))
    try await store.close()
  }

  @Test func `a load on a failing disk keeps whole reported transactions`()
    async throws
  {
    let callCount = try await load(on: disk).calls
    var brokenOffCount = 0
    for index in 1...callCount {
      let disk = SimulatedDisk()
      disk.plan = .fail(call: index, with: EIO)
      let (received, _) = try await load(on: disk)
      disk.plan = .none
      disk.killProcess()
      let store = try Store(at: "j", types: [Player.self], options: .simulated(disk))
      let ids = try store.snapshot.objects(Player.self).map(\.id)
      #expect(ids == Array(0..<ids.count) && ids.count % 10 == 0, "call \(index): \(ids)")
      #expect(ids.count >= received.last ?? 0, "call \(index): \(received)")
      if ids.count < 60 { brokenOffCount += 1 }
      try await store.close()
    }
    #expect(brokenOffCount > 3)
  }

  /// Loads records on a failing disk, and returns the reported counts and the number of calls.
  private func load(on disk: SimulatedDisk) async throws -> (received: [Int], calls: Int) {
    let received = Received()
    do {
      let store = try Store(at: "j", types: [Player.self], options: .simulated(disk))
      try await store.insert(contentsOf: players(0..<60), inTransactionsOf: 10) {
        received.note($0)
      }
    } catch is StoreError {}
    return (received.all, disk.callCount)
  }
}

/// Blocking calls for tests that run alone in a task.
extension EditingContext {
  fileprivate func saveNow() throws { try saveAndWait() }
}
