import Daybook
import DaybookTesting
import TestSupport
import Testing

/// Every kind of subscriber can follow a list by `CollectionDifference` values alone.
@MainActor @Suite(.timeLimit(.minutes(5))) struct `Collection differences of a list` {
  /// A store with a few transactions of random changes.
  private func history(_ changes: inout GameChanges) throws -> (Store, EditingContext) {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for _ in 0..<6 {
      for _ in 0...changes.below(3) { try changes.change(context) }
      try context.saveAndWait()
    }
    return (store, context)
  }

  private func isSame(_ one: FetchedObjects<Game>, as other: FetchedObjects<Game>) -> Bool {
    one.elements == other.elements && Array(one) == Array(other)
  }

  @Test func `a delegate, a stream and an observed list show the list by them alone`() async throws
  {
    for seed in 0..<UInt64(FaultRow.count(150, full: 3000)) {
      var changes = GameChanges(seed: seed)
      let (store, context) = try history(&changes)
      let request = changes.request()
      let controller = FetchedResultsController(fetchRequest: request, context: context)
      try controller.performFetch()
      let delegate = DifferenceFollower(controller)
      controller.delegate = delegate
      controller.isBatchSafe = changes.below(2) == 0
      var updates = try store.results(request).makeAsyncIterator()
      let first = await updates.next(isolation: MainActor.shared)
      var last = try #require(first)
      #expect(last.difference == nil)
      let observed = try ObservedList(request, in: store)
      var (streamScreen, observedScreen) = (CollectionScreen(), CollectionScreen())
      streamScreen.show(last.objects)
      observedScreen.show(observed.objects)
      for step in 0..<6 {
        let what = "seed \(seed), step \(step)"
        let shown = observed.objects
        for _ in 0...changes.below(3) { try changes.change(context) }
        try await context.save()
        let now = try store.snapshot.fetch(request)
        delegate.screen.hold(now, what: "delegate, \(what)")
        if !isSame(last.objects, as: now) {
          let next = await updates.next(isolation: MainActor.shared)
          last = try #require(next)
          streamScreen.apply(try #require(last.difference))
        }
        streamScreen.hold(now, what: "stream, \(what)")
        // The observed list changes when the main actor is free.
        while !isSame(observed.objects, as: now) { await Task.yield() }
        if !isSame(shown, as: now) { observedScreen.apply(try #require(observed.difference)) }
        observedScreen.hold(now, what: "observed, \(what)")
      }
      try await store.close()
    }
  }

  @Test func `a replay and the differences of two moments show the list by them alone`() throws {
    for seed in 0..<UInt64(FaultRow.count(150, full: 3000)) {
      var changes = GameChanges(seed: seed)
      let (store, _) = try history(&changes)
      let request = changes.request()
      let replay = try store.replay(request)
      var screen = CollectionScreen()
      screen.show(replay.objects)
      while let step = try replay.next() {
        screen.apply(step.difference)
        screen.hold(replay.objects, what: "replay, seed \(seed)")
      }
      screen.hold(try store.snapshot.fetch(request), what: "replayed, seed \(seed)")
      let last = Int(store.snapshot.sequence.rawValue)
      for _ in 0..<6 {
        let start = SequenceNumber(UInt64(changes.below(last + 1)))
        let end = SequenceNumber(UInt64(changes.below(last + 1)))
        let what = "seed \(seed), from \(start) to \(end)"
        let difference = try store.difference(of: request, from: start, to: end)
        var screen = CollectionScreen()
        screen.show(try store.snapshot(at: start).fetch(request))
        screen.apply(difference)
        screen.hold(try store.snapshot(at: end).fetch(request), what: what)
        screen.apply(difference.inverse)
        screen.hold(try store.snapshot(at: start).fetch(request), what: "back, \(what)")
      }
    }
  }

  @Test func `sections and rows that move are associated`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for (id, name, level) in [(1, "Go", "easy"), (2, "Chess", "hard"), (3, "Ludo", "hard")] {
      try context.insert(Game(id: id, name: name, level: level))
    }
    try context.saveAndWait()
    try context.update(Game.self, id: 1) { ($0.level, $0.score) = ("new", 7) }
    try context.update(Game.self, id: 3) { $0.score = 4 }
    try context.saveAndWait()
    var request = ListRequest<Game>(
      sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.level))
    let difference = try store.difference(of: request, from: 1, to: 2)
    let (easy, new) = (difference.before.elements[0], difference.after.elements[3])
    #expect(
      difference.elementDifference
        == CollectionDifference([
          .remove(offset: 0, element: easy, associatedWith: nil),
          .remove(offset: 1, element: .row(1), associatedWith: 4),
          .insert(offset: 3, element: new, associatedWith: nil),
          .insert(offset: 4, element: .row(1), associatedWith: 1),
        ]))
    #expect(
      difference.identifierDifference
        == CollectionDifference([
          .remove(offset: 0, element: 1, associatedWith: 2),
          .insert(offset: 2, element: 1, associatedWith: 0),
        ]))
    #expect(difference.changedIdentifiers == [1, 3])
    // Another request shows the same sections in another order: they move.
    let controller = FetchedResultsController(fetchRequest: request, context: context)
    try controller.performFetch()
    request.sectioning = .by(\Game.level, descending: true)
    let refetched = try #require(try controller.refetch(with: request))
    #expect(refetched.elementDifference.insertions.count == 2)
    for case .insert(_, _, let source) in refetched.elementDifference { #expect(source != nil) }
    #expect(refetched.changedIdentifiers.isEmpty)
  }

  @Test func `a list without a section key flattens to its rows`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    for id in 1...3 { try context.insert(Game(id: id, name: "\(id)")) }
    try context.saveAndWait()
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)], limit: 2)
    let objects = try store.snapshot.fetch(request)
    #expect(objects.elements == [.row(1), .row(2)])
    let difference = try store.difference(of: request, from: 0, to: 1)
    #expect([].applying(difference.elementDifference) == objects.elements)
    // The rows of one section flatten to that section and its rows.
    let sectioned = ListRequest<Game>(
      sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.name))
    let controller = FetchedResultsController(fetchRequest: sectioned, context: context)
    try controller.performFetch()
    let section = try #require(controller.sections?[1])
    #expect(section.objects.elements == Array(controller.fetchedObjects?.elements[2..<4] ?? []))
    #expect(section.objects.elements.last == .row(2))
  }
}
