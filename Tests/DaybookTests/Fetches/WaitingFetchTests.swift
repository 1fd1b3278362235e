import Daybook
import Synchronization
import TestSupport
import Testing

/// An asynchronous fetch finds the same records as a blocking one. It reports progress and can be
/// cancelled.
@Suite(.timeLimit(.minutes(5))) struct `A fetch that is waited for` {
  /// The reports of progress, in order.
  private final class Received: Sendable {
    private let progress = Mutex<[FetchProgress]>([])
    var all: [FetchProgress] { progress.withLock { $0 } }
    func note(_ received: FetchProgress) { progress.withLock { $0.append(received) } }

    /// Returns whether the law holds: reports start at zero, grow by some thousands or by the rest,
    /// and end with all rows.
    func holds(rowCount: Int) -> Bool {
      let seen = all.map(\.examinedRowCount)
      let steps = zip(seen, seen.dropFirst())
      return all.allSatisfy { $0.rowCount == rowCount } && seen.first == 0 && seen.last == rowCount
        && steps.allSatisfy { $0 < $1 && $1 - $0 < 5000 }
        && steps.dropLast().allSatisfy { $1 - $0 >= 4096 }
    }
  }

  private func made(_ count: Int) throws -> Store {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for id in 0..<count {
      try context.insert(Game(id: id, name: "\(id * 7919 % 1000)", score: id % 10))
    }
    try context.saveAndWait()
    return store
  }

  private let byName = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])

  @Test func `an asynchronous fetch equals a blocking one and reports progress`() async throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 3000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      for step in 0..<4 {
        let request = changes.request()
        let received = Received()
        let objects = try await store.fetch(request) { received.note($0) }
        let now = try store.snapshot.fetch(request)
        #expect(Array(objects) == Array(now), "seed \(seed), step \(step)")
        #expect(try received.holds(rowCount: store.snapshot.count(of: Game.self)), "seed \(seed)")
        #expect(objects.identifiers == (try await store.fetch(request, progress: nil).identifiers))
        for _ in 0...changes.below(8) { try changes.change(context) }
        try await context.save()
      }
    }
  }

  @Test func `an asynchronous fetch reports steps of some thousand rows`() async throws {
    for count in [4095, 4096, 4097, 8192, 13000] {
      let store = try made(count)
      let requests = [
        byName, ListRequest<Game>(filter: \Game.score == 3, sortedBy: [.ascending(\Game.name)]),
        ListRequest<Game>(
          sortedBy: [.ascending(\Game.score)], sectionedBy: .by(\Game.score), limit: 1),
      ]
      for request in requests {
        let received = Received()
        let objects = try await store.snapshot.fetch(request) { received.note($0) }
        let now = try store.snapshot.fetch(request)
        #expect(objects.identifiers == now.identifiers)
        #expect(received.holds(rowCount: count), "\(received.all)")
        #expect(received.all.count == 1 + (count + 4095) / 4096)
        #expect(received.all.last?.fraction == 1)
      }
    }
    let empty = Received()
    #expect(try await made(0).fetch(byName) { empty.note($0) }.isEmpty)
    #expect(empty.all.map { "\($0)" } == ["0 of 0"])
    #expect(empty.all.map(\.fraction) == [1])
  }

  @Test func `answers from its moment while the head moves`() async throws {
    let store = try made(10000)
    let snapshot = store.snapshot
    let before = try snapshot.fetch(byName).map(\.text)
    let failures = Mutex<[any Error]>([])
    let received = Received()
    // At each report, a hundred games are changed, deleted and inserted.
    let objects = try await store.fetch(byName) { progress in
      received.note(progress)
      do {
        let context = store.makeContext()
        for id in progress.examinedRowCount..<min(progress.examinedRowCount + 100, 10000) {
          try context.update(Game.self, id: id) { $0.name = "another" }
          try context.delete(Game.self, id: (id + 3000) % 10000)
          try context.insert(Game(id: 20000 + id, name: "new"))
        }
        try context.saveAndWait()
      } catch { failures.withLock { $0.append(error) } }
    }
    #expect(failures.withLock { $0.count } == 0)
    #expect(received.holds(rowCount: 10000))
    #expect(objects.map(\.text) == before)
    // At the last step there is nothing left to change.
    let saveCount = UInt64(received.all.count - 1)
    #expect(store.snapshot.sequence.rawValue == snapshot.sequence.rawValue + saveCount)
    let now = try store.snapshot.fetch(byName)
    #expect(now.map(\.text) != before)
    #expect(try await store.fetch(byName, progress: nil).map(\.text) == now.map(\.text))
  }

  /// Returns the outcome of a fetch that is cancelled when a closure returns true.
  private func outcome(
    _ store: Store, _ request: ListRequest<Game>, _ received: Received,
    givingUp isOver: @escaping @Sendable (FetchProgress) -> Bool
  ) async -> String {
    let task = Task {
      try await store.fetch(request) { progress in
        received.note(progress)
        if isOver(progress) { withUnsafeCurrentTask { $0?.cancel() } }
      }
    }
    do { return "\(try await task.value.count)" } catch {
      return error is CancellationError ? "cancelled" : "\(error)"
    }
  }

  @Test func `a cancelled fetch stops at the next step`() async throws {
    let store = try made(13000)
    for request in [byName, ListRequest<Game>(sortedBy: [.ascending(\Game.level)], limit: 3)] {
      for step in 0..<4 {
        let received = Received()
        let outcome = await outcome(store, request, received) { $0.examinedRowCount >= step * 4096 }
        #expect(outcome == "cancelled")
        #expect(received.all.map(\.examinedRowCount) == (0...step).map { $0 * 4096 })
      }
    }
    // A fetch that has reported all rows returns its result.
    let received = Received()
    #expect(await outcome(store, byName, received) { $0.examinedRowCount == 13000 } == "13000")
    #expect(received.holds(rowCount: 13000))
  }

  @Test func `a cancelled task does not start a fetch`() async throws {
    let store = try made(1)
    let received = Received()
    let byName = byName
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await store.snapshot.fetch(byName) { received.note($0) }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(received.all.isEmpty)
  }

  @Test func `an asynchronous fetch throws request errors without progress`() async throws {
    let received = Received()
    await #expect {
      try await made(1).fetch(ListRequest<Game>(sortedBy: [])) { received.note($0) }
    } throws: {
      "\($0)" == "the request for Game has no sort key; add one to sortedBy."
    }
    await #expect {
      try await Store.inMemory(types: [Club.self]).fetch(byName) { received.note($0) }
    } throws: {
      ($0 as? StoreError)?.reason == .unknownType("Game")
    }
    #expect(received.all.isEmpty)
  }

  @MainActor
  @Test func `leaves the caller's actor to others`() async throws {
    let store = try made(5000)
    let received = Received()
    let objects = try await store.fetch(byName) { progress in
      // The fetch goes on only when something else has run on the caller's actor.
      let flag = Flag()
      Task { @MainActor in flag.raise() }
      while !flag.isRaised {}
      received.note(progress)
    }
    #expect(objects.count == 5000)
    #expect(received.holds(rowCount: 5000))
  }

  private final class Flag: Sendable {
    private let raised = Mutex(false)
    var isRaised: Bool { raised.withLock { $0 } }
    func raise() { raised.withLock { $0 = true } }
  }
}
