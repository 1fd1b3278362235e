import Daybook
import FoundationEssentials
import TestSupport
import Testing

/// Totals of lists, by every way to receive them.
@Suite struct `Totals of a list` {
  private typealias Games = FetchedResultsController<Game>

  private static let measures: [Measure<Game>] = [
    .count, .sum(\.score), .average(\.score), .min(\.club, at: \.name), .max(\.score),
  ]

  /// The totals of a list, and of each of its sections.
  private func totals(_ objects: FetchedObjects<Game>) -> [Totals<Game>] {
    [objects.totals, objects.allTotals] + objects.sections.map(\.totals)
  }

  private final class Follower: FetchedResultsDifferenceDelegate {
    var differences: [ListDifference<Game>] = []

    func controller(_ controller: Games, didChangeContentWith difference: ListDifference<Game>) {
      differences.append(difference)
    }
  }

  @Test func `totals of a controller, a replay and a moment equal those of a fetch`() throws {
    for seed in 0..<UInt64(FaultRow.count(200, full: 4000, least: 20)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      var request = changes.request()
      request.totals = Self.measures
      let controller = Games(fetchRequest: request, context: context)
      let follower = Follower()
      controller.delegate = follower
      try controller.performFetch()
      for _ in 0..<8 {
        for _ in 0...changes.below(4) { try changes.change(context) }
        let shown = try #require(controller.fetchedObjects)
        let before = totals(shown)
        follower.differences = []
        context.processPendingChanges()
        let after = totals(try #require(controller.fetchedObjects))
        #expect(after == totals(try context.fetch(request)), "seed \(seed)")
        #expect(controller.totals == after[0] && controller.allTotals == after[1])
        if before != after { #expect(follower.differences.count == 1, "seed \(seed)") }
        for difference in follower.differences {
          #expect(totals(difference.before) == before && totals(difference.after) == after)
          let list = difference.changedTotals.filter { $0.scope == .list }
          for change in list {
            #expect(change.old == before[0][change.measure])
            #expect(change.new == after[0][change.measure])
          }
          #expect(
            Self.measures.filter { before[0][$0] != after[0][$0] } == list.map(\.measure),
            "seed \(seed)")
        }
        try context.saveAndWait()
      }
      // Each step of a replay has the totals of its moment.
      let replay = try store.replay(request)
      while let step = try replay.next() {
        let sequence = try #require(step.transaction.sequence)
        let then = try store.snapshot(at: sequence).fetch(request)
        #expect(totals(step.difference.after) == totals(then), "seed \(seed), \(sequence)")
      }
      guard store.snapshot.sequence > 0 else { continue }
      // The difference of two moments contains the totals that differ.
      let difference = try store.difference(of: request, from: 1, to: store.snapshot.sequence)
      let (old, new) = (difference.before.totals, difference.after.totals)
      #expect(
        difference.changedTotals.filter { $0.scope == .list }.map(\.measure)
          == Self.measures.filter { old[$0] != new[$0] }, "seed \(seed)")
    }
  }

  private final class Classic: FetchedResultsControllerDelegate {
    var calls: [String] = []

    func controllerWillChangeContent(_ controller: Games) { calls.append("will") }

    func controller(
      _ controller: Games, didChange anObject: Any, at indexPath: IndexPath?,
      for type: FetchedResultsChangeType, newIndexPath: IndexPath?
    ) { calls.append("\(type)") }

    func controllerDidChangeContent(_ controller: Games) { calls.append("did") }
  }

  /// A controller of the first game, with totals of all.
  private func first(_ measures: [Measure<Game>]) throws -> Games {
    let context = try Store.inMemory(types: [Game.self, Club.self]).makeContext()
    for id in 0..<3 { try context.insert(Game(id: id, name: "\(id)", score: 10)) }
    let controller = Games(
      fetchRequest: ListRequest(sortedBy: [.ascending(\.name)], limit: 1, totals: measures),
      context: context)
    return controller
  }

  @Test func `a boundary that changes totals alone is a pair of calls without rows`() throws {
    let controller = try first([.sum(\.score)])
    let delegate = Classic()
    controller.delegate = delegate
    try controller.performFetch()
    try controller.context.update(Game.self, id: 2) { $0.score = 11 }
    controller.context.processPendingChanges()
    #expect(delegate.calls == ["will", "did"])
    #expect(controller.totals?[.sum(\.score)] == .integer(10))
    #expect(controller.allTotals?[.sum(\.score)] == .integer(31))
    // Another attribute of a row that is not shown changes nothing.
    try controller.context.update(Game.self, id: 2) { $0.level = "easy" }
    controller.context.processPendingChanges()
    #expect(delegate.calls == ["will", "did"])
    // Undo restores the totals.
    controller.context.undoLimit = 3
    try controller.context.update(Game.self, id: 1) { $0.score = 1 }
    controller.context.processPendingChanges()
    try controller.context.undo()
    #expect(delegate.calls == ["will", "did", "will", "did", "will", "did"])
    #expect(controller.allTotals?[.sum(\.score)] == .integer(31))
  }

  @Test func `a request with other totals is a difference of them`() throws {
    let controller = try first([.count])
    let follower = Follower()
    controller.delegate = follower
    try controller.performFetch()
    var request = controller.fetchRequest
    request.totals = [.max(\.score), .count]
    let difference = try #require(try controller.refetch(with: request))
    #expect(difference.description == "totals changed")
    #expect(difference.callbackLines() == ["willChange", "didChange"])
    #expect(
      difference.changedTotals.map { "\($0.scope) \($0.measure.name) \($0.new)" }
        == ["list max:score 10", "all max:score 10"])
    #expect(
      difference.changedTotals.map(\.description) == ["max:score 10", "all: max:score 10"])
    #expect(difference.changedTotals.map(\.old) == [nil, nil])
    #expect(try controller.refetch(with: request) == nil)
  }

  @Test func `streams and observed lists carry the totals`() async throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let request = ListRequest<Game>(
      sortedBy: [.ascending(\.name)], sectionedBy: .by(\.level), totals: [.sum(\.score)])
    var updates = try store.results(request).makeAsyncIterator()
    let initial = await updates.next()
    let first = try #require(initial)
    #expect(first.objects.totals[.sum(\.score)] == .null)
    try await store.write { try $0.insert(Game(id: 1, name: "Go", level: "hard", score: 5)) }
    let next = await updates.next()
    let second = try #require(next)
    #expect(second.objects.totals[.sum(\.score)] == .integer(5))
    #expect(second.sections.map { $0.totals["sum:score"] } == [.integer(5)])
    let changes = second.difference?.changedTotals.map { "\($0.scope): \($0.old ?? .null)" } ?? []
    #expect(changes.count == 2)
    #expect(changes.first == "list: nil")
  }
}
