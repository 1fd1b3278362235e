import Daybook
import DaybookStore
import FoundationEssentials
import TestSupport
import Testing

/// With a batch size a fetch finds identifiers first, and records are read when they are accessed.
@Suite struct `Records in batches` {
  private func controller(
    batchSize: Int, sectioned: Bool = false
  ) throws -> FetchedResultsController<Game> {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for id in 0..<234 {
      try context.insert(Game(id: id, name: "game \(id % 10)", level: "level \(id % 50)"))
    }
    try context.saveAndWait()
    return FetchedResultsController(
      fetchRequest: ListRequest<Game>(
        sortedBy: [.descending(\Game.id)], sectionedBy: sectioned ? .by(\Game.level) : nil,
        batchSize: batchSize),
      context: context)
  }

  /// The reads since the last call, as a log.
  private struct Log {
    var last = FetchStatistics()

    mutating func take(_ controller: FetchedResultsController<Game>) -> String {
      let fetches = controller.context.store.statistics.fetches
      let new = fetches.since(last)
      last = fetches
      #expect((new.fetchDuration > .zero) == (new.fetchCount > 0))
      #expect((new.batchDuration > .zero) == (new.batchCount > 0))
      return """
        \(new.fetchCount) found \(new.foundRowCount), \
        \(new.batchCount) batches \(new.batchRecordCount), \(new.singleRecordCount) alone
        """
    }
  }

  @Test func `one fetch finds all rows, and then twenty are read as somebody scrolls`() throws {
    let controller = try controller(batchSize: 20)
    var log = Log()
    try controller.performFetch()
    #expect(log.take(controller) == "1 found 234, 0 batches 0, 0 alone")
    #expect(controller.fetchedObjects?.count == 234)
    #expect(controller.fetchedObjects?.identifiers.first == 233)
    #expect(controller.indexPath(forID: 100) == IndexPath(row: 133, section: 0))
    #expect(log.take(controller) == "0 found 0, 0 batches 0, 0 alone")
    for row in 0..<20 {
      #expect(controller.object(at: IndexPath(row: row, section: 0)).id == 233 - row)
    }
    #expect(log.take(controller) == "0 found 0, 1 batches 20, 0 alone")
    for row in 20..<100 { _ = controller.object(at: IndexPath(row: row, section: 0)) }
    #expect(log.take(controller) == "0 found 0, 4 batches 80, 0 alone")
    for row in 100..<234 { _ = controller.object(at: IndexPath(row: row, section: 0)) }
    #expect(log.take(controller) == "0 found 0, 7 batches 134, 0 alone")
    // The records that were read last are still in memory.
    for row in (170..<234).reversed() { _ = controller.object(at: IndexPath(row: row, section: 0)) }
    #expect(log.take(controller) == "0 found 0, 0 batches 0, 0 alone")
  }

  @Test func `batches cross sections and count unsaved records`() throws {
    let controller = try controller(batchSize: 50, sectioned: true)
    try controller.context.insert(Game(id: 1000, name: "not saved", level: "level 0"))
    var log = Log()
    try controller.performFetch()
    #expect(log.take(controller) == "1 found 235, 0 batches 0, 0 alone")
    let first = try #require(controller.sections?.first)
    #expect(first.objects.map(\.id) == [1000, 200, 150, 100, 50, 0])
    #expect(controller.sections?.last?.objects.first?.name == "game 9")
    #expect(log.take(controller) == "0 found 0, 2 batches 85, 0 alone")
  }

  @Test func `batches start and end with the window`() throws {
    let controller = try controller(batchSize: 20)
    var request = controller.fetchRequest
    (request.offset, request.limit) = (30, 50)
    try controller.refetch(with: request)
    var log = Log()
    _ = log.take(controller)
    _ = controller.fetchedObjects?.prefix(20).map(\.id)
    #expect(log.take(controller) == "0 found 0, 1 batches 20, 0 alone")
    #expect(controller.fetchedObjects?.map(\.id) == Array((154...203).reversed()))
    #expect(log.take(controller) == "0 found 0, 2 batches 30, 0 alone")
  }

  @Test func `a live list is not found again, and only what is touched is read again`() throws {
    let controller = try controller(batchSize: 20)
    let delegate = SilentDelegate()
    controller.delegate = delegate
    var log = Log()
    try controller.performFetch()
    _ = controller.object(at: IndexPath(row: 0, section: 0))
    _ = log.take(controller)
    try controller.context.delete(Game.self, id: 232)
    controller.context.processPendingChanges()
    #expect(controller.fetchedObjects?.count == 233)
    #expect(log.take(controller) == "0 found 0, 0 batches 0, 0 alone")
    #expect(controller.object(at: IndexPath(row: 1, section: 0)).id == 231)
    #expect(log.take(controller) == "0 found 0, 1 batches 20, 0 alone")
  }

  @Test func `without a batch size records are read one after another`() throws {
    let controller = try controller(batchSize: 0)
    var log = Log()
    try controller.performFetch()
    _ = controller.fetchedObjects?.prefix(3).map(\.id)
    #expect(log.take(controller) == "1 found 234, 0 batches 0, 3 alone")
  }

  @Test func `a list from a cache is not found again`() throws {
    let place = CachePlace()
    try place.fill()
    for found in [20, 0] {
      try place.session { store, context in
        let controller = try CachePlace.controller(CachePlace.request, context)
        #expect(controller.fetchedObjects?.count == 20)
        #expect(store.statistics.fetches.foundRowCount == found)
      }
    }
  }
}

/// A delegate that follows a list and reads nothing of it.
private final class SilentDelegate: FetchedResultsControllerDelegate {
  func controllerDidChangeContent(_ controller: FetchedResultsController<Game>) {}
}
