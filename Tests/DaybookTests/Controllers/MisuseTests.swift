import Daybook
import FoundationEssentials
import Testing

private let games = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])

/// A store of one game.
private func openGames() throws -> Store {
  let store = try Store.inMemory(records: Game.self, Club.self)
  let context = store.makeContext()
  try context.insert(Game(id: 1, name: "Go"))
  try context.saveAndWait()
  return store
}

/// A mistake of the caller ends the program after a sentence that says what to do.
@Suite struct `A mistake in how a list is used` {
  private func line(_ result: ExitTest.Result?) -> String? {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("Daybook: ") }.map { String($0.dropFirst("Daybook: ".count)) }
  }

  @Test func `a record before the first fetch names the context and performFetch`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let controller = FetchedResultsController(
        fetchRequest: games,
        context: try openGames().makeContext(file: "App/List.swift", line: 7))
      _ = controller.object(at: IndexPath(row: 0, section: 0))
    }
    #expect(
      line(result) == """
        object(at:) was called before performFetch() of a controller of Game, which shows nothing yet. Its \
        context is created at App/List.swift:7. Call performFetch() first; fetchedObjects is nil until then.
        """)
  }

  #if DEBUG
    @Test func `a list without a delegate is reported once at the first change`() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        let context = try openGames().makeContext(file: "App/List.swift", line: 7)
        let lists = (0..<3).map { _ in
          FetchedResultsController(fetchRequest: games, context: context)
        }
        for list in lists { try list.performFetch() }
        lists[0].tracksChanges = true
        for id in 2...4 {
          try context.insert(Game(id: id, name: "Game \(id)"))
          context.processPendingChanges()
        }
        precondition(lists.map { $0.fetchedObjects?.count } == [4, 1, 1])
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.split(separator: "\n").count { $0.hasPrefix("Daybook: ") } == 1)
      #expect(
        line(result) == """
          a controller of Game has no delegate, so its list stays as it was fetched, although its context, \
          created at App/List.swift:7, has changes. Set a delegate, or set tracksChanges to true. This is \
          reported once.
          """)
    }

    @Test func `a list that is tracked or unchanged is not reported`() async {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        let context = try openGames().makeContext()
        let list = FetchedResultsController(fetchRequest: games, context: context)
        try list.performFetch()
        context.processPendingChanges()
        list.tracksChanges = true
        try context.insert(Game(id: 2, name: "Ludo"))
        context.processPendingChanges()
        precondition(list.fetchedObjects?.count == 2)
      }
      #expect(line(result) == nil)
    }
  #endif

  @Test func `moving a list to another store names the remedy`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let list = try FollowingList(games, at: openGames().snapshot)
      _ = try list.move(to: openGames().snapshot)
    }
    #expect(
      line(result) == """
        a list of store in memory was moved to a snapshot of another store. Move it to snapshots of the store \
        that it was made for.
        """)
  }

  @Test func `an index path outside of a section's list names the list`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let request = ListRequest<Game>(
        sortedBy: [.ascending(\Game.name)], sectionedBy: .by(named: "name"))
      let store = try openGames()
      let context = store.makeContext()
      try context.insert(Game(id: 2, name: "Ludo"))
      try await context.save()
      let objects = try store.snapshot.fetch(request)
      _ = objects.sections[1].objects.index(at: IndexPath(row: 0, section: 0))
    }
    #expect(
      line(result) == """
        the index path [0, 0] is out of range for the list of Game. Use the index path of a record in the \
        list.
        """)
  }

  @Test func `an invalid section index names the valid ones`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let controller = FetchedResultsController(
        fetchRequest: games, context: try openGames().makeContext())
      try controller.performFetch()
      _ = controller.object(at: IndexPath(row: 0, section: 3))
    }
    #expect(
      line(result) == """
        section 3 is out of range: the list has a section count of 1. Use one of the indices of its sections.
        """)
  }

  @Test func `an invalid row index names the valid ones`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let controller = FetchedResultsController(
        fetchRequest: games, context: try openGames().makeContext())
      try controller.performFetch()
      _ = controller.object(at: IndexPath(row: 4, section: 0))
    }
    #expect(
      line(result) == """
        row 4 is out of range: section 0 has a row count of 1. Use a row below numberOfObjects of the section.
        """)
  }

  @Test func `an index beyond the end names the record count`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try openGames().snapshot.fetch(games)[2]
    }
    #expect(
      line(result) == """
        record 2 is out of range: the list of Game has a record count of 1. Use one of the list's indices.
        """)
  }

  @Test func `a value that was not fetched names the fetched ones`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let values = try openGames().snapshot.fetchValues(
        games, of: [.attribute(\Game.name)])
      _ = values[0][\Game.score]
    }
    #expect(
      line(result) == """
        the value of score was used, and the fetch was of name. Add the attribute to those of fetchValues.
        """)
  }

  @Test func `a difference of two stores names both`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try openGames().snapshot.difference(to: openGames().snapshot, of: games)
    }
    #expect(
      line(result) == """
        difference(to:of:) was called for snapshots of two stores, store in memory and store in memory. Take \
        both from the same store.
        """)
  }
}
