import Daybook
import DaybookTesting
import TestSupport
import Testing

/// The law of the whole: every subscriber, in every form and at any pace, shows the same list as a
/// fresh fetch.
@MainActor @Suite(.timeLimit(.minutes(60))) struct `Everybody who follows a list` {
  /// The subscribers of a context: by calls, by flat differences, and by snapshots.
  private final class Delegates {
    let table: TableFollower
    let flat: DifferenceFollower
    let snapshot: SnapshotFollower
    private let controllers: [FetchedResultsController<Game>]

    init(_ request: ListRequest<Game>, _ context: EditingContext) throws {
      controllers = (0..<3).map { _ in
        FetchedResultsController(fetchRequest: request, context: context)
      }
      for controller in controllers { try controller.performFetch() }
      controllers[0].isBatchSafe = true
      table = TableFollower(controllers[0])
      flat = DifferenceFollower(controllers[1])
      snapshot = SnapshotFollower(controllers[2])
      controllers[0].delegate = table
      controllers[1].delegate = flat
      controllers[2].delegate = snapshot
    }

    func refetch(with request: ListRequest<Game>) throws {
      for controller in controllers { try controller.refetch(with: request) }
    }

    func hold(_ request: ListRequest<Game>, _ context: EditingContext, _ what: String) throws {
      let fresh = FetchedResultsController(fetchRequest: request, context: context)
      try fresh.performFetch()
      let sections = shown(fresh)
      #expect(controllers.allSatisfy { shown($0) == sections }, "shown, \(what)")
      #expect(table.error == nil && table.table.sections == sections, "table, \(what)")
      #expect(snapshot.sections == sections, "snapshot, \(what)")
      flat.screen.hold(try #require(fresh.fetchedObjects), what: "collections, \(what)")
    }
  }

  /// The subscribers of the store: a loop, and an observed list.
  private struct Readers {
    private var updates: LiveResults<Game>.Iterator
    private var last: LiveResults<Game>.Update
    private let observed: ObservedList<Game>

    @MainActor init(_ request: ListRequest<Game>, _ store: Store) async throws {
      updates = try store.results(request).makeAsyncIterator()
      let first = await updates.next(isolation: MainActor.shared)
      last = try #require(first)
      observed = try ObservedList(request, in: store)
    }

    /// - Returns: What the store has, as all of them show it.
    @MainActor mutating func hold(
      _ request: ListRequest<Game>, _ store: Store, _ what: String
    ) async throws -> [TableView.Section] {
      let now = try store.snapshot.fetch(request)
      let fresh = FetchedResultsController(fetchRequest: request, context: store.makeContext())
      try fresh.performFetch()
      let sections = shown(fresh)
      if Array(last.objects) != Array(now) || shown(last.sections) != sections {
        let before = last.objects
        let next = await updates.next(isolation: MainActor.shared)
        last = try #require(next)
        if case .difference(let difference) = last {
          #expect(difference.before.identifiers == before.identifiers, "before, \(what)")
        }
      }
      #expect(Array(last.objects) == Array(now) && shown(last.sections) == sections, "\(what)")
      // This is not a matter of time: without the update the test would not end.
      while shown(observed.sections) != sections || Array(observed.objects) != Array(now) {
        await Task.yield()
      }
      #expect(observed.isCurrent && observed.difference.map { !$0.isEmpty } ?? true, "\(what)")
      return sections
    }
  }

  @Test func `every kind of subscriber shows the same rows as a fresh fetch`() async throws {
    for seed in 0..<UInt64(FaultRow.count(2000, full: 5000)) {
      var changes = GameChanges(seed: seed)
      let store =
        seed % 2 == 0
        ? try Store.inMemory(types: [Game.self, Club.self])
        : try Store(at: "games", records: Game.self, Club.self, options: simulated)
      let (context, other) = (store.makeContext(), store.makeContext())
      (context.mergePolicy, other.mergePolicy) = (.contextWins, .contextWins)
      context.undoLimit = 4
      for _ in 0..<8 { try changes.change(context) }
      try await context.save()
      var request = changes.request()
      let delegates = try Delegates(request, context)
      var readers = try await Readers(request, store)
      for step in 0..<6 {
        let what = "seed \(seed), step \(step)"
        switch changes.below(10) {
        case 0: try context.rollback()
        // What others have changed since is not undone.
        case 1: _ = try? context.undo()
        case 2: _ = try? context.redo()
        case 3:
          for _ in 0...changes.below(3) { try changes.change(other) }
          try await other.save()
          try context.mergeChanges()
        case 4:
          request = changes.request()
          try delegates.refetch(with: request)
          readers = try await Readers(request, store)
        case 5: break
        default:
          for _ in 0...changes.below(3) { try changes.change(context) }
          context.processPendingChanges()
        }
        try delegates.hold(request, context, what)
        _ = try await readers.hold(request, store, what)
        guard changes.below(2) == 0 else { continue }
        // When everything is saved, all of them show one thing.
        try await context.save()
        try delegates.hold(request, context, "saved, \(what)")
        let saved = try await readers.hold(request, store, "saved, \(what)")
        #expect(delegates.table.table.sections == saved, "saved, \(what)")
      }
      try await store.close()
    }
  }

  private var simulated: JournalOptions {
    var options = JournalOptions()
    (options.disk, options.worksInBackground) = (SimulatedDisk(), false)
    return options
  }
}
