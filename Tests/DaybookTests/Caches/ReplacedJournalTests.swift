import Daybook
import DaybookJournal
import DaybookPlatform
import DaybookStore
import DaybookTesting
import Synchronization
import TestSupport
import Testing

/// Derived files after another file replaces the journal.
@Suite struct `Files derived from a replaced journal` {
  private static let path = "games.daybook"
  private static let secret = Array("Secretariat".utf8)
  private static let request = ListRequest<Game>(
    sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.name))

  private func open(_ disk: SimulatedDisk) throws -> Store {
    var options = JournalOptions.simulated(on: disk)
    options.keepsCheckpoints = false
    return try Store(at: Self.path, types: [Game.self, Club.self], options: options)
  }

  /// A store that follows and shows a list with a cache, at the first of the two transactions.
  private func follow(
    _ disk: any Disk, _ simulated: SimulatedDisk
  ) throws -> (Store, FetchedResultsController<Game>) {
    var options = JournalOptions.simulated(on: simulated)
    options.disk = disk
    let store = try Store(following: Self.path, types: [Game.self, Club.self], options: options)
    let controller = FetchedResultsController(
      fetchRequest: Self.request, context: store.makeContext(), cacheName: "games")
    try controller.performFetch()
    #expect(controller.fetchedObjects?.count == 2)
    return (store, controller)
  }

  /// The files that contain the bytes of a name as it once was, or the key of it.
  private func filesWithSecret(on disk: SimulatedDisk) -> [String] {
    disk.paths.filter { path in
      let bytes = disk.contents(of: path) ?? []
      let key = Self.secret.prefix(8)
      return bytes.indices.contains { index in
        bytes[index...].starts(with: key) || bytes[index...].starts(with: key.reversed())
      }
    }
  }

  private func erase(on disk: SimulatedDisk) {
    let erased = Result {
      try Store.erase("Game", id: .int(1), at: Self.path, options: .simulated(on: disk))
    }
    #expect((try? erased.get()) != nil)
  }

  /// Creates a journal whose record has its old name, and a follower that shows it.
  private func makeDiskWithSecret() throws -> SimulatedDisk {
    let disk = SimulatedDisk()
    disk.mapsFiles = true
    let store = try open(disk)
    let context = store.makeContext()
    try context.insert(Game(id: 1, name: "Secretariat"))
    try context.insert(Game(id: 2, name: "plain"))
    try context.saveAndWait()
    try store.closeAndWait()
    return disk
  }

  private func rename(on disk: SimulatedDisk) throws {
    let store = try open(disk)
    let context = store.makeContext()
    try context.update(Game.self, id: 1) { $0.name = "renamed" }
    try context.saveAndWait()
    try store.closeAndWait()
  }

  @Test func `a follower that closes after an erasure writes no erased value`() throws {
    let disk = try makeDiskWithSecret()
    let (store, controller) = try follow(disk, disk)
    try rename(on: disk)
    #expect(filesWithSecret(on: disk).contains("/disk/\(Self.path)"))
    erase(on: disk)
    try store.closeAndWait()
    #expect(filesWithSecret(on: disk) == [])
    let failure = try #require(controller.cacheStatistics?.failure)
    #expect(
      "\(failure)"
        == """
        games.daybook: the file was replaced or removed after it was opened. Nothing was written to \
        the new file. Open it again.
        """)
  }

  /// The moments while a cache is written at which the journal is erased.
  private enum Moment: CaseIterable { case created, locked, written, synced, renamed }

  @Test(arguments: Moment.allCases)
  private func `an erasure at any moment of a cache's making leaves no erased value`(
    moment: Moment
  ) throws {
    let disk = try makeDiskWithSecret()
    let hasErased = Mutex(false)
    let isArmed = Mutex(false)
    let eraseOnce: @Sendable (String) -> Void = { path in
      guard path.contains("-cache-"), isArmed.withLock({ $0 }) else { return }
      let isFirst = hasErased.withLock { hasErased in
        defer { hasErased = true }
        return !hasErased
      }
      if isFirst { erase(on: disk) }
    }
    var passing = PassingDisk(disk)
    switch moment {
    case .created: passing.afterCreate = eraseOnce
    case .locked: passing.beforeLock = eraseOnce
    case .written: passing.beforeWrite = { path, _ in eraseOnce(path) }
    case .synced: passing.beforeSync = eraseOnce
    case .renamed: passing.beforeRename = eraseOnce
    }
    let (store, controller) = try follow(passing, disk)
    try rename(on: disk)
    isArmed.withLock { $0 = true }
    try withExtendedLifetime(controller) { try store.closeAndWait() }
    #expect(hasErased.withLock { $0 })
    #expect(filesWithSecret(on: disk) == [])
  }

  @Test func `a follower writes its cache while the journal is the same file`() throws {
    let disk = try makeDiskWithSecret()
    let (store, controller) = try follow(disk, disk)
    try rename(on: disk)
    try store.closeAndWait()
    #expect(controller.cacheStatistics?.failure == nil)
    #expect(disk.contents(of: Self.path + "-cache-games") != nil)
  }

  @Test func `a compaction leaves no cache of a moment that it drops`() throws {
    let disk = try makeDiskWithSecret()
    let (store, controller) = try follow(disk, disk)
    try rename(on: disk)
    try Store.compact(at: Self.path, options: .simulated(on: disk))
    try withExtendedLifetime(controller) { try store.closeAndWait() }
    #expect(filesWithSecret(on: disk) == [])
    #expect(disk.contents(of: Self.path + "-cache-games") == nil)
  }

  @Test func `a writer whose file lost its name writes neither cache nor checkpoint`() throws {
    let disk = try makeDiskWithSecret()
    var options = JournalOptions.simulated(on: disk)
    options.checkpointRule.closingByteCountMin = 1
    options.checkpointRule.closingDivisor = .max
    let store = try Store(at: Self.path, types: [Game.self, Club.self], options: options)
    let controller = FetchedResultsController(
      fetchRequest: Self.request, context: store.makeContext(), cacheName: "games")
    try controller.performFetch()
    // An older copy replaces the open journal.
    let other = SimulatedDisk()
    let otherStore = try Store(
      at: "o", types: [Game.self, Club.self], options: .simulated(on: other))
    let context = otherStore.makeContext()
    try context.insert(Game(id: 9, name: "other"))
    try context.saveAndWait()
    try otherStore.closeAndWait()
    try disk.remove(Self.path)
    disk.setContents(try #require(other.contents(of: "o")), at: Self.path)
    try withExtendedLifetime(controller) { try store.closeAndWait() }
    #expect(filesWithSecret(on: disk) == [])
    #expect(!disk.paths.contains { $0.contains("-checkpoint-") || $0.contains("-cache-") })
  }
}
