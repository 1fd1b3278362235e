import Daybook
import DaybookJournal
import DaybookStore
import DaybookTesting
import Testing

/// A journal on a disk in memory with cached lists.
struct CachePlace {
  var disk: SimulatedDisk
  static let path = "games.daybook"

  /// Creates a place on a disk. Its journals have different identities unless the disk has a fixed
  /// seed.
  init(_ disk: SimulatedDisk = SimulatedDisk(seed: .random(in: .min ... .max))) { self.disk = disk }

  /// Opens the store, and closes it at the end.
  func session<Result>(_ body: (Store, EditingContext) throws -> Result) throws -> Result {
    let store = try open()
    let result = try body(store, store.makeContext())
    try store.closeAndWait()
    return result
  }

  func open() throws -> Store {
    try Store(at: CachePlace.path, types: [Game.self, Club.self], options: .simulated(on: disk))
  }

  /// A controller that has fetched.
  static func controller(
    _ request: ListRequest<Game>, _ context: EditingContext, _ name: String? = "games"
  ) throws -> FetchedResultsController<Game> {
    let controller = FetchedResultsController(
      fetchRequest: request, context: context, cacheName: name)
    try controller.performFetch()
    return controller
  }

  /// Returns the origin of a list that is fetched now, after comparing it with a computed list.
  func origin(
    _ request: ListRequest<Game> = CachePlace.request, _ name: String = "games",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    try session { _, context in
      try CachePlace.origin(
        CachePlace.controller(request, context, name), sourceLocation: sourceLocation)
    }
  }

  static func origin(
    _ controller: FetchedResultsController<Game>,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> String {
    let fresh = try CachePlace.controller(controller.fetchRequest, controller.context, nil)
    #expect(shown(controller) == shown(fresh), sourceLocation: sourceLocation)
    return try #require(controller.cacheStatistics).origin.description
  }

  static let request = ListRequest<Game>(
    filter: \Game.score >= 0,
    sortedBy: [.ascending(\Game.club, at: \.name), .ascending(\Game.name)],
    sectionedBy: .by(\Game.level))

  /// Some games and clubs, in three transactions.
  func fill(count: Int = 20) throws {
    try session { _, context in
      for id in 0..<4 { try context.insert(Club(id: id, name: "club \(9 - id)")) }
      try context.saveAndWait()
      for id in 0..<count {
        let level = id % 3 == 0 ? nil : "level \(id % 3)"
        let club: Reference<Club>? = id % 5 == 0 ? nil : Reference(id % 5)
        try context.insert(Game(id: id, name: "game \(id * 7 % 10)", club: club, level: level))
      }
      try context.saveAndWait()
      try context.update(Game.self, id: 3) { $0.score = 3 }
      try context.saveAndWait()
    }
  }

  /// Returns the file of a cache; nil without a file.
  func file(_ suffix: String = "games") -> [UInt8]? {
    disk.contents(of: CachePlace.path + "-cache-" + suffix)
  }

  func setFile(_ bytes: [UInt8], _ suffix: String = "games") {
    disk.setContents(bytes, at: CachePlace.path + "-cache-" + suffix)
  }
}
