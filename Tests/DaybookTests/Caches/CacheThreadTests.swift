import Daybook
import DaybookJournal
import DaybookResults
import DaybookStore
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

/// The use of the cache by a fetch, and the files that a controller leaves.
@Suite("Caches of lists") struct CacheThreadTests {
  @Test func `a cache is written, reused and updated`() throws {
    let place = CachePlace()
    try place.fill()
    #expect(try place.origin() == "rebuilt because there was no cache")
    #expect(try place.origin() == "reused")
    try place.session { _, context in
      try context.delete(Game.self, id: 3)
      try context.insert(Game(id: 40, name: "new", level: "level 0"))
      try context.saveAndWait()
      try context.update(Club.self, id: 2) { $0.name = "a club" }
      try context.saveAndWait()
    }
    #expect(try place.origin() == "caught up by 2 transactions")
    #expect(try place.origin() == "reused")
    try place.session { _, context in
      try context.update(Club.self, id: 3) { $0.name = "another" }
      try context.saveAndWait()
    }
    #expect(try place.origin() == "caught up by 1 transaction")
  }

  @Test func `a replica with another base does not use the cache of the old one`() async throws {
    let log = MemorySharedLog(name: "games")
    let disk = SimulatedDisk(seed: 1)
    disk.mapsFiles = true
    func open() async throws -> Store {
      try await Store(
        at: CachePlace.path, sharing: log.connect(), types: [Game.self, Club.self],
        options: .simulated(on: disk))
    }
    func origin(_ store: Store) throws -> String {
      try CachePlace.origin(CachePlace.controller(CachePlace.request, store.makeContext()))
    }
    let whole = try await open()
    for id in 0..<6 {
      try await whole.write(isolation: nil) { try $0.insert(Game(id: id, name: "game \(id)")) }
    }
    for id in 0..<3 { try await whole.write(isolation: nil) { try $0.delete(Game.self, id: id) } }
    #expect(try origin(whole) == "rebuilt because there was no cache")
    try await whole.close()
    let again = try await open()
    #expect(try origin(again) == "reused")
    try await again.compactSharedLog(keeping: .nothing)
    try await again.close()
    // The user deletes the replica, but not the cache.
    for suffix in ["", "-shared"] { try disk.remove(CachePlace.path + suffix) }
    let new = try await open()
    #expect(new.base == 9)
    #expect(try origin(new) == "rebuilt because it is the cache of another list")
    try await new.close()
    let next = try await open()
    #expect(try origin(next) == "reused")
    try await next.close()
  }

  @Test func `lists at an earlier moment do not touch the cache`() throws {
    let place = CachePlace()
    try place.fill()
    #expect(try place.origin() == "rebuilt because there was no cache")
    let file = try #require(place.file())
    try place.session { store, _ in
      let context = try store.makeContext(at: 3)
      // What the last transaction left is the present.
      let controller = try CachePlace.controller(CachePlace.request, context)
      #expect(try CachePlace.origin(controller) == "reused")
      let follower = TableFollower(controller)
      controller.isBatchSafe = true
      controller.delegate = follower
      try context.travel(to: 2)
      #expect(follower.error == nil && follower.table.sections == shown(controller))
      try controller.performFetch()
      let note = "not cached because the context shows an earlier moment"
      #expect(try CachePlace.origin(controller) == note)
      try context.travel(to: 1)
      let past = try CachePlace.controller(CachePlace.request, store.makeContext(at: 2))
      #expect(try CachePlace.origin(past) == note)
    }
    #expect(place.file() == file)
    #expect(try place.origin() == "reused")
  }

  @Test func `a cache follows its live list and is written when the store is closed`()
    throws
  {
    let place = CachePlace()
    try place.fill()
    try place.session { _, context in
      let controller = try CachePlace.controller(CachePlace.request, context)
      let follower = TableFollower(controller)
      controller.delegate = follower
      for id in 50..<60 {
        try context.insert(Game(id: id, name: "game \(id)", level: "new \(id % 2)"))
        try context.delete(Game.self, id: id - 50)
        try context.saveAndWait()
      }
      #expect(follower.table.sections == shown(controller))
    }
    #expect(try place.origin() == "reused")
  }

  @Test func `a cache without a delegate stays as it was fetched`() throws {
    let place = CachePlace()
    try place.fill()
    try place.session { _, context in
      let controller = try CachePlace.controller(CachePlace.request, context)
      try context.delete(Game.self, id: 1)
      try context.saveAndWait()
      #expect(controller.cacheStatistics?.origin == .rebuilt(.missing))
      #expect(controller.fetchedObjects?.count == 20)
    }
    #expect(try place.origin() == "caught up by 1 transaction")
  }

  @Test func `a cache has saved rows only and the list misses nothing`() throws {
    let place = CachePlace()
    try place.fill()
    try place.session { _, context in
      try context.delete(Game.self, id: 7)
      try context.insert(Game(id: 41, name: "unsaved"))
      let controller = try CachePlace.controller(CachePlace.request, context)
      #expect(try CachePlace.origin(controller) == "rebuilt because there was no cache")
      #expect(controller.indexPath(forID: 41) != nil)
    }
    try place.session { _, context in
      let controller = try CachePlace.controller(CachePlace.request, context)
      #expect(try CachePlace.origin(controller) == "reused")
      #expect(controller.indexPath(forID: 41) == nil)
      #expect(controller.indexPath(forID: 7) != nil)
      let follower = TableFollower(controller)
      controller.delegate = follower
      try context.delete(Game.self, id: 7)
      try context.saveAndWait()
      // The store is closed while this is not saved.
      try context.delete(Game.self, id: 8)
      context.processPendingChanges()
      #expect(follower.table.sections == shown(controller))
    }
    #expect(try place.origin() == "reused")
  }

  @Test func `a cache serves any window`() throws {
    let place = CachePlace()
    try place.fill()
    var request = CachePlace.request
    request.limit = 5
    #expect(try place.origin(request) == "rebuilt because there was no cache")
    (request.limit, request.offset, request.batchSize) = (7, 3, 4)
    #expect(try place.origin(request) == "reused")
  }

  @Test(arguments: [
    ListRequest<Game>(
      filter: \Game.score >= 1, sortedBy: CachePlace.request.sortKeys,
      sectionedBy: CachePlace.request.sectioning),
    ListRequest<Game>(
      filter: \Game.score >= 0, sortedBy: [.ascending(\Game.name)],
      sectionedBy: CachePlace.request.sectioning),
    ListRequest<Game>(
      filter: \Game.score >= 0, sortedBy: CachePlace.request.sortKeys,
      sectionedBy: .by(\Game.level, descending: true)),
    ListRequest<Game>(filter: \Game.score >= 0, sortedBy: CachePlace.request.sortKeys),
    ListRequest<Game>(
      sortedBy: CachePlace.request.sortKeys, sectionedBy: CachePlace.request.sectioning),
  ]) func `a cache of another list is rebuilt and harms neither`(other: ListRequest<Game>) throws {
    let place = CachePlace()
    try place.fill()
    #expect(try place.origin() == "rebuilt because there was no cache")
    #expect(try place.origin(other) == "rebuilt because it is the cache of another list")
    #expect(try place.origin(other) == "reused")
    try place.session { _, context in
      let (one, two) = (
        try CachePlace.controller(CachePlace.request, context),
        try CachePlace.controller(other, context)
      )
      #expect(try CachePlace.origin(one) == "rebuilt because it is the cache of another list")
      let (oneFollower, otherFollower) = (TableFollower(one), TableFollower(two))
      (one.delegate, two.delegate) = (oneFollower, otherFollower)
      try context.update(Game.self, id: 5) { $0.level = "high" }
      try context.saveAndWait()
      _ = try (CachePlace.origin(one), CachePlace.origin(two))
    }
    #expect(try place.origin(other, "another name") == "rebuilt because there was no cache")
    #expect(try place.origin(other, "another name") == "reused")
  }

  @Test func `a refetch replaces the cache of another list`() throws {
    let place = CachePlace()
    try place.fill()
    try place.session { _, context in
      let controller = try CachePlace.controller(CachePlace.request, context)
      try controller.refetch(with: ListRequest(sortedBy: [.descending(\Game.name)]))
      _ = try CachePlace.origin(controller)
    }
    #expect(try place.origin(ListRequest(sortedBy: [.descending(\Game.name)])) == "reused")
  }

  @Test func `a cache of another journal is rebuilt`() throws {
    let (place, other) = (CachePlace(), CachePlace())
    try place.fill()
    try other.fill()
    #expect(try place.origin() == "rebuilt because there was no cache")
    other.setFile(try #require(place.file()))
    #expect(try other.origin() == "rebuilt because it belongs to another journal")
  }

  @Test func `ahead of a journal, or of another past of it, are made anew`() throws {
    let place = CachePlace()
    try place.fill()
    let before = place.disk.copy()
    try place.session { _, context in
      try context.delete(Game.self, id: 3)
      try context.saveAndWait()
    }
    #expect(try place.origin() == "rebuilt because there was no cache")
    let file = try #require(place.file())
    let restored = CachePlace(before)
    restored.setFile(file)
    #expect(try restored.origin() == "rebuilt because it is ahead of the journal")
    // Also if it has many more rows than there are.
    let grown = CachePlace(before.copy())
    try grown.session { _, context in
      for id in 100..<400 { try context.insert(Game(id: id)) }
      try context.saveAndWait()
    }
    _ = try grown.origin()
    let small = CachePlace(before.copy())
    small.setFile(try #require(grown.file()))
    #expect(try small.origin() == "rebuilt because it is ahead of the journal")
    try restored.session { _, context in
      try context.delete(Game.self, id: 4)
      try context.saveAndWait()
    }
    restored.setFile(file)
    #expect(try restored.origin() == "rebuilt because the journal has another history")
    #expect(try restored.origin() == "reused")
  }

  @Test func `a cache that is far behind is rebuilt, which is faster`() throws {
    let place = CachePlace()
    try place.fill()
    #expect(try place.origin() == "rebuilt because there was no cache")
    let name = String(repeating: "long ", count: 80)
    try place.session { _, context in
      for step in 0..<3 {
        for id in 100..<1300 {
          if step == 0 { try context.insert(Game(id: id)) }
          try context.update(Game.self, id: id) { $0.name = "\(name)\(step)" }
        }
        try context.saveAndWait()
      }
    }
    #expect(try place.origin() == "rebuilt because it is 3 transactions older")
    #expect(try place.origin() == "reused")
  }

  @Test func `cannot be had in memory, or of what nobody can tell from another`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let controller = try CachePlace.controller(CachePlace.request, store.makeContext())
    #expect(try CachePlace.origin(controller) == "not cached because the store is in memory")
    try store.deleteCache(withName: nil)
    let place = CachePlace()
    try place.fill()
    let predicate = #Predicate<Game> { $0.name.count * 2 > $0.score }
    let request = ListRequest<Game>(
      filter: Filter(predicate), sortedBy: [.ascending(\Game.name)])
    #expect(
      try place.origin(request) == "not cached because a predicate is evaluated on records")
    #expect(place.file() == nil)
  }

  @Test func `a cache needs a mapped journal if the journal is followed`() throws {
    try TemporaryDirectory.with { directory in
      var options = JournalOptions()
      for reading in [JournalReading.mapped, .copied] {
        options.reading = reading
        let path = directory.path("\(reading).daybook")
        let store = try Store(at: path, types: [Game.self, Club.self], options: options)
        let context = store.makeContext()
        try context.insert(Game(id: 1, name: "one"))
        try context.saveAndWait()
        for origin in ["rebuilt because there was no cache", "reused"] {
          let controller = try CachePlace.controller(CachePlace.request, context)
          #expect(try CachePlace.origin(controller) == origin)
          store.derivedWork.waitUntilIdle()
        }
        let follower = try Store(following: path, types: [Game.self, Club.self], options: options)
        let controller = try CachePlace.controller(CachePlace.request, follower.makeContext())
        let expected =
          reading == .mapped
          ? "reused" : "not cached because the journal is followed and read by copying"
        let origin = try CachePlace.origin(controller)
        #expect(origin == expected)
        try follower.closeAndWait()
        try store.closeAndWait()
      }
    }
  }

  @Test func `a cache identifies closures by name and version`() throws {
    let place = CachePlace()
    try place.fill()
    func request(_ version: Int, _ text: String) -> ListRequest<Game> {
      ListRequest(
        sortedBy: [.ascending(\Game.name)],
        sectionedBy: .computed(id: "half", version: version) { (game: Game) in
          game.id < 10 ? text : "the rest"
        })
    }
    #expect(try place.origin(request(1, "some")) == "rebuilt because there was no cache")
    #expect(try place.origin(request(1, "some")) == "reused")
    #expect(
      try place.origin(request(2, "few")) == "rebuilt because it is the cache of another list")
  }

  @Test func `caches are deleted by name or all at once`() throws {
    let place = CachePlace()
    try place.fill()
    for name in ["one", "two", "Two"] {
      #expect(try place.origin(name: name) == "rebuilt because there was no cache")
    }
    #expect(place.file("one") != nil && place.file("%54wo") != nil)
    try place.session { store, _ in
      try store.deleteCache(withName: "two")
      // No cache has this name.
      try store.deleteCache(withName: "three")
    }
    #expect(try place.origin(name: "two") == "rebuilt because there was no cache")
    #expect(try place.origin(name: "one") == "reused")
    try place.session { store, context in
      let controller = try CachePlace.controller(CachePlace.request, context, "one")
      controller.delegate = nil
      try store.deleteCache(withName: nil)
      #expect(place.file("one") == nil && place.file("two") == nil && place.file("%54wo") == nil)
    }
    #expect(try place.origin(name: "one") == "rebuilt because there was no cache")
  }

  @Test func `a deleted cache is not written by waiting work`() throws {
    let place = CachePlace()
    try place.fill()
    try place.session { store, context in
      let controller = try CachePlace.controller(CachePlace.request, context)
      let follower = TableFollower(controller)
      controller.delegate = follower
      store.derivedWork.waitUntilIdle()
      try context.delete(Game.self, id: 3)
      try context.saveAndWait()
      #expect(place.file() != nil)
      try store.deleteCache(withName: "games")
    }
    #expect(place.file() == nil)
  }

  /// A game as a later program has it.
  private struct LaterGame: Record {
    var id = 0
    var name = ""
    var club: Reference<Club>?
    var level: String?
    var score = 7
    var players = 2

    static let schema = RecordSchema<LaterGame>("Game")
      .attribute("name", at: \.name)
      .reference("club", at: \.club)
      .attribute("level", at: \.level)
      .attribute("score", at: \.score)
      .attribute("players", at: \.players)
  }

  @Test func `a cache of a smaller schema is rebuilt`() throws {
    let place = CachePlace()
    try place.fill()
    #expect(try place.origin() == "rebuilt because there was no cache")
    var options = JournalOptions()
    options.disk = place.disk
    for origin in ["rebuilt because it is the cache of another list", "reused"] {
      let store = try Store(
        at: CachePlace.path, types: [LaterGame.self, Club.self], options: options)
      let request = ListRequest<LaterGame>(
        filter: CachePlace.request.filter, sortedBy: CachePlace.request.sortKeys,
        sectionedBy: CachePlace.request.sectioning)
      let controller = FetchedResultsController(
        fetchRequest: request, context: store.makeContext(), cacheName: "games")
      try controller.performFetch()
      #expect(try #require(controller.cacheStatistics).origin.description == origin)
      #expect(controller.fetchedObjects?.count == 20)
      try store.closeAndWait()
    }
  }

  @Test func `a cache file has a name that every system accepts`() throws {
    let place = CachePlace()
    try place.fill()
    let long = String(repeating: "ä", count: 300)
    for name in ["../up/and:away", "", "Ärger\n", long, long + "x"] {
      #expect(try place.origin(name: name) == "rebuilt because there was no cache")
      #expect(try place.origin(name: name) == "reused")
    }
    #expect(place.file("..%2fup%2fand%3aaway") != nil)
    #expect(place.file("%c3%84rger%0a") != nil)
    let names = try place.disk.list(".").filter { $0.contains("-cache-") }
    #expect(names.count == 5 && names.allSatisfy { $0.utf8.count < 200 })
  }

  @Test func `a failed cache write is reported and the list is unaffected`() throws {
    let place = CachePlace()
    try place.fill()
    place.disk.makeDirectory(CachePlace.path + "-cache-games")
    try place.session { store, context in
      let controller = try CachePlace.controller(CachePlace.request, context)
      store.derivedWork.waitUntilIdle()
      let origin = try CachePlace.origin(controller)
      #expect(
        origin == """
          rebuilt because it could not be read (games.daybook: read of \
          /disk/games.daybook-cache-games: Is a directory (21).)
          """)
      let statistics = try #require(controller.cacheStatistics)
      #expect(statistics.writeCount == 0 && statistics.sequence == nil)
      #expect(
        statistics.failure?.description
          == "/disk/games.daybook-cache-games: rename: Is a directory (21).")
    }
  }

  @Test func `a failed cache write is retried only at the end`() throws {
    let place = CachePlace()
    try place.fill()
    place.disk.makeDirectory(CachePlace.path + "-cache-games")
    /// Returns the number of reads of the file before a write.
    func looks() -> Int {
      place.disk.log.count {
        $0.operation == .status && $0.path.hasSuffix("-cache-games")
      }
    }
    var looksOfFirst = 0
    try place.session { store, context in
      place.disk.recordsCalls = true
      let controller = try CachePlace.controller(CachePlace.request, context)
      store.derivedWork.waitUntilIdle()
      let follower = TableFollower(controller)
      controller.delegate = follower
      looksOfFirst = looks()
      #expect(looksOfFirst > 0)
      for id in 100..<103 {
        try context.insert(Game(id: id, name: "game \(id)", club: nil, level: nil))
        try context.saveAndWait()
        store.derivedWork.waitUntilIdle()
      }
      #expect(looks() == looksOfFirst)
      #expect(controller.cacheStatistics?.writeCount == 0)
      #expect(follower.table.sections == shown(controller))
    }
    #expect(looks() == looksOfFirst + 1)
  }

  @Test func `take the place of no journal, and of no other's file through a link`() throws {
    let place = CachePlace()
    try place.fill()
    let journal = try #require(place.disk.contents(of: CachePlace.path))
    place.setFile(journal, "2024")
    place.disk.setContents(Array("notes".utf8) + [UInt8](repeating: 65, count: 9), at: "notes.txt")
    place.disk.makeLink(at: CachePlace.path + "-cache-linked", to: "notes.txt")
    place.setFile(Array("a note of mine".utf8), "notes.txt")
    try place.session { store, context in
      let controllers = try ["2024", "linked"].map {
        try CachePlace.controller(CachePlace.request, context, $0)
      }
      for controller in controllers {
        #expect(try CachePlace.origin(controller) == "rebuilt because it is damaged")
      }
      store.derivedWork.waitUntilIdle()
      #expect(
        controllers[0].cacheStatistics?.failure?.description
          == "/disk/games.daybook-cache-2024: rename: File exists (17).")
      #expect(controllers[1].cacheStatistics?.failure == nil)
      try store.deleteCache(withName: "2024")
    }
    // The link has become a file.
    #expect(try place.origin(CachePlace.request, "linked") == "reused")
    try place.session { store, _ in try store.deleteCache(withName: nil) }
    #expect(place.file("2024") == journal && place.file("linked") == nil)
    #expect(place.file("notes.txt") == Array("a note of mine".utf8))
    #expect(place.disk.contents(of: "notes.txt")?.count == 14)
  }

  @Test func `a cache of a changed closure with an old version is rebuilt`() throws {
    let place = CachePlace()
    try place.fill()
    func request(_ make: @escaping @Sendable (Game) -> String?) -> ListRequest<Game> {
      ListRequest(
        sortedBy: [.ascending(\Game.name)],
        sectionedBy: .computed(id: "kind", version: 2, makeSection: make))
    }
    let first = request { $0.id > 15 ? "high" : nil }
    #expect(try place.origin(first) == "rebuilt because there was no cache")
    #expect(try place.origin(first) == "reused")
    let other = request { "\($0.id % 3)" }
    #expect(try place.origin(other) == "rebuilt because it is damaged")
    #expect(try place.origin(other) == "reused")
    // One row in another section is found as well.
    let third = request { $0.id == 7 ? "2" : "\($0.id % 3)" }
    try place.session { _, context in
      let controller = try CachePlace.controller(third, context)
      #expect(try CachePlace.origin(controller) == "rebuilt because it is damaged")
      let follower = TableFollower(controller)
      controller.delegate = follower
      try context.update(Game.self, id: 8) { $0.name = "another" }
      try context.saveAndWait()
      #expect(follower.table.sections == shown(controller))
    }
  }

  @Test func `a cache counts its writes`() throws {
    let place = CachePlace()
    try place.fill()
    try place.session { store, context in
      let controller = try CachePlace.controller(CachePlace.request, context)
      store.derivedWork.waitUntilIdle()
      let statistics = try #require(controller.cacheStatistics)
      #expect(statistics.writeCount == 1 && statistics.sequence == 3 && statistics.failure == nil)
    }
  }
}

extension CachePlace {
  fileprivate func origin(name: String) throws -> String {
    try origin(CachePlace.request, name)
  }
}
