import Daybook
import DaybookJournal
import DaybookPlatform
@_spi(Tools) import DaybookStore
import DaybookCLibrary
import Synchronization
import TestSupport
import Testing

/// Every way to use a store, as what a program holds while it does.
enum StoreUse: String, CaseIterable, Sendable {
  case store, snapshot, context, viewContext, drafts, momentContext, observer, controller
  case cachedController, stream, waitingLoop, observedList, batched
  case follower, followerLoop, followerList, followerViewContext, reader

  var isFollowing: Bool { rawValue.hasPrefix("follower") }

  @MainActor func open(_ path: String) throws -> Store {
    var options = JournalOptions()
    if self == .batched { options.durability = .batched(interval: .milliseconds(1000)) }
    if isFollowing { return try Store(following: path, records: Game.self, Club.self) }
    if self == .reader { return try Store(reading: path, records: Game.self, Club.self) }
    return try Store(at: path, records: Game.self, Club.self, options: options)
  }

  /// Begins to use a store, and returns what the program holds besides the store.
  @MainActor func begin(_ store: Store, watch: ReleaseWatch) async throws -> [Any] {
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
    switch self {
    case .store, .follower, .reader: return [try store.snapshot.objects(Game.self)]
    case .snapshot: return [store.snapshot]
    case .context: return [store.makeContext()]
    case .momentContext: return [try store.makeContext(at: 1)]
    case .viewContext, .followerViewContext:
      _ = try store.viewContext.objects(Game.self)
      return []
    case .drafts:
      let context = store.viewContext
      context.undoLimit = 3
      try context.insert(Game(id: 7, name: "Draft"))
      context.processPendingChanges()
      try context.delete(Game.self, id: 1)
      return []
    case .observer: return [store.viewContext.observe { _ in }]
    case .controller, .cachedController:
      let controller = FetchedResultsController(
        fetchRequest: request, context: store.viewContext,
        cacheName: self == .cachedController ? "games" : nil)
      let delegate = ListDelegate()
      controller.delegate = delegate
      try controller.performFetch()
      try await store.write { try $0.insert(Game(id: 9, name: "Nine")) }
      watch.add(controller, delegate)
      return [controller, delegate]
    case .stream: return [try store.results(request)]
    case .waitingLoop, .followerLoop:
      let updates = try store.results(request).makeAsyncIterator()
      let count = store.publications.waiterCount
      watch.loop = Task {
        var updates = updates
        var count = 0
        while await updates.next(isolation: MainActor.shared) != nil { count += 1 }
        return count
      }
      while store.publications.waiterCount == count { await Task.yield() }
      return []
    case .observedList, .followerList:
      let list = try ObservedList(request, in: store)
      watch.add(list)
      return [list]
    case .batched:
      try await store.write { try $0.insert(Game(id: 9, name: "Nine")) }
      return []
    }
  }
}

/// Weak references of a test to the objects that it watches.
@MainActor final class ReleaseWatch {
  private final class Weak {
    weak var object: AnyObject?
    init(_ object: AnyObject) { self.object = object }
  }

  private var objects: [Weak] = []
  var loop: Task<Int, Never>?

  func add(_ objects: AnyObject...) { self.objects += objects.map { Weak($0) } }

  var aliveCount: Int { objects.count { $0.object != nil } }

  /// Waits until nothing is alive: a test would not end if something stayed.
  func waitUntilAllIsReleased() async { while aliveCount > 0 { await Task.yield() } }
}

private final class ListDelegate: FetchedResultsSnapshotDelegate {
  func controller(
    _ controller: FetchedResultsController<Game>, didChangeContentWith snapshot: ListSnapshot<Game>
  ) {}
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct `The life of a store` {
  private func make(_ path: String) async throws {
    let store = try Store(at: path, records: Game.self, Club.self)
    try await store.write { context in
      try context.insert(Game(id: 1, name: "Go"))
      try context.insert(Game(id: 2, name: "Chess"))
    }
    try await store.close()
  }

  @Test(arguments: StoreUse.allCases)
  func `a store closes its file with its last reference`(use: StoreUse)
    async throws
  {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("j")
      try await make(path)
      let watch = ReleaseWatch()
      @MainActor func work() async throws {
        let store = try use.open(path)
        watch.add(store)
        let held = try await use.begin(store, watch: watch)
        #expect(watch.aliveCount > 0)
        #expect(!OpenFiles.paths(beginningWith: path).isEmpty)
        withExtendedLifetime((store, held)) {}
      }
      try await work()
      // A loop over what another process saves goes on until its task is cancelled.
      if use.isFollowing { watch.loop?.cancel() }
      await watch.waitUntilAllIsReleased()
      while !OpenFiles.paths(beginningWith: path).isEmpty { await Task.yield() }
      _ = await watch.loop?.value
      if use != .reader, !use.isFollowing {
        let again = try Store(at: path, records: Game.self, Club.self)
        #expect(try again.snapshot.object(Game.self, id: 7) == nil)
        try await again.close()
      }
    }
  }

  @Test(arguments: StoreUse.allCases)
  func `a closed store releases its descriptors although objects remain`(
    use: StoreUse
  ) async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("j")
      try await make(path)
      let watch = ReleaseWatch()
      let store = try use.open(path)
      let held = try await use.begin(store, watch: watch)
      let snapshot = store.snapshot
      let games = try snapshot.objects(Game.self)
      try await store.close()
      #expect(OpenFiles.paths(beginningWith: path) == [])
      #expect(try snapshot.objects(Game.self) == games)
      #expect(games.count >= 2)
      if use.isFollowing {
        #expect(sentence { _ = try store.catchUp() } == "\(path): the journal is closed.")
        #expect(store.followingError == nil)
      }
      // Closing twice is not an error.
      try await store.close()
      withExtendedLifetime(held) {}
      watch.loop?.cancel()
      _ = await watch.loop?.value
    }
  }

  @Test(arguments: [JournalReading.mapped, .copied])
  func `a closed store from a checkpoint still shows all records`(
    reading: JournalReading
  ) async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("j")
      try await make(path)
      let first = try Store(at: path, records: Game.self, Club.self)
      first.writeCheckpoint()
      try await first.close()
      var options = JournalOptions()
      options.reading = reading
      let store = try Store(at: path, records: Game.self, Club.self, options: options)
      let isMapped = reading == .mapped
      #expect((store.statistics.checkpoints?.openedFrom != nil) == isMapped)
      let snapshot = store.snapshot
      try await store.close()
      #expect(OpenFiles.paths(beginningWith: path) == [])
      // No row was read before.
      #expect(try snapshot.objects(Game.self).map(\.name) == ["Go", "Chess"])
      #expect(sentence { try store.backup(to: path + "2") } == "\(path): the journal is closed.")
    }
  }

  @Test func `a store released during a save ends after the save`() async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("j")
      try await make(path)
      let gate = SyncGate()
      let watch = ReleaseWatch()
      @MainActor func save() throws -> Task<Receipt?, any Error> {
        var disk = PassingDisk(SystemDisk())
        disk.beforeSync = { if $0 == path { gate.pass() } }
        var options = JournalOptions()
        options.disk = disk
        let store = try Store(at: path, records: Game.self, Club.self, options: options)
        watch.add(store)
        gate.shut()
        return Task.detached {
          let context = store.makeContext()
          try context.insert(Game(id: 3, name: "Hex"))
          return try await context.save()
        }
      }
      let saving = try save()
      // The save needs a thread of the tasks, so none of those waits for it here.
      await withCheckedContinuation { arrival in
        _ = TestThread {
          gate.awaitArrival()
          arrival.resume()
        }
      }
      #expect(watch.aliveCount == 1)
      gate.open()
      gate.letOneGo()
      #expect(try await saving.value?.safety == .durable)
      await watch.waitUntilAllIsReleased()
      let again = try Store(reading: path, records: Game.self, Club.self)
      #expect(try again.snapshot.object(Game.self, id: 3)?.name == "Hex")
    }
  }

  @Test(arguments: [Durability.full, .batched(interval: .milliseconds(1000)), .none])
  func `a store released on the main actor is synced elsewhere`(
    durability: Durability
  ) async throws {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("j")
      try await make(path)
      let threads = Threads()
      var disk = PassingDisk(SystemDisk())
      disk.beforeSync = { if $0 == path { threads.note() } }
      var options = JournalOptions()
      (options.disk, options.durability) = (disk, durability)
      let chosen = options
      @MainActor func begin() async throws -> Store {
        let store = try Store(at: path, records: Game.self, Club.self, options: chosen)
        try await store.write { try $0.insert(Game(id: 3, name: "Hex")) }
        try store.viewContext.insert(Game(id: 4, name: "Draft"))
        return store
      }
      var store: Store? = try await begin()
      #expect(store != nil)
      let ownCount = threads.count(of: pthread_self())
      store = nil
      #expect(threads.count(of: pthread_self()) == ownCount)
      // The last sync may precede the release, as the interval of a batch can pass in between.
      while !OpenFiles.paths(beginningWith: path).isEmpty { await Task.yield() }
      #expect(threads.count > 0)
      let again = try Store(reading: path, records: Game.self, Club.self)
      #expect(try again.snapshot.object(Game.self, id: 3)?.name == "Hex")
    }
  }

  @Test func `a referenced view context keeps its store open`() async throws {
    let context: EditingContext
    do {
      let store = try Store.inMemory(records: Game.self, Club.self)
      context = store.viewContext
      #expect(store.viewContext === context)
    }
    try context.insert(Game(id: 1, name: "Go"))
    try await context.save()
    #expect(try context.store.snapshot.count(of: Game.self) == 1)
  }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct `A view context that nobody holds` {
  @Test func `a view context keeps drafts, undo history and settings`() throws {
    let store = try Store.inMemory(records: Game.self, Club.self)
    store.viewContext.undoLimit = 5
    store.viewContext.metadata.author = "Ann"
    try store.viewContext.insert(Game(id: 1, name: "Go"))
    store.viewContext.processPendingChanges()
    #expect(try store.viewContext.object(Game.self, id: 1)?.name == "Go")
    #expect(store.viewContext.hasChanges && store.viewContext.undoLimit == 5)
    #expect(store.viewContext.metadata.author == "Ann")
    #expect(try store.viewContext.undo() == [])
    #expect(!store.viewContext.hasChanges)
  }

  @Test func `a view context makes boundaries and merges other saves`() async throws {
    let store = try Store.inMemory(records: Game.self, Club.self)
    var origins: [StoreTransaction.Origin] = []
    let token = store.viewContext.observe { event in
      if case .transaction(let transaction) = event { origins.append(transaction.origin) }
    }
    try store.viewContext.insert(Game(id: 1, name: "Go"))
    while origins.isEmpty { await Task.yield() }
    #expect(origins == [.changes])
    try await Task.detached { try await store.write { try $0.insert(Game(id: 2, name: "Hex")) } }
      .value
    while origins.count < 2 { await Task.yield() }
    #expect(origins == [.changes, .merge])
    withExtendedLifetime(token) {}
  }
}

/// The threads that have made a call.
private final class Threads: Sendable {
  private let calls = Mutex<[pthread_t]>([])

  func note() { calls.withLock { $0.append(pthread_self()) } }
  var count: Int { calls.withLock { $0.count } }
  func count(of thread: pthread_t) -> Int { calls.withLock { $0.count { $0 == thread } } }
}
