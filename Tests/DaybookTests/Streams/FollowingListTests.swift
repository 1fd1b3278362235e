import Daybook
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

/// A list that a program moves from snapshot to snapshot, and the cells of lists.
@Suite(.timeLimit(.minutes(5))) struct `A list that moves between snapshots` {
  /// Checks what a list says of its records and sections without reading them.
  private func checkCells(_ objects: FetchedObjects<Game>, _ comment: Comment) throws {
    #expect(objects.sections.flatMap { Array($0.objects) } == Array(objects), comment)
    for (section, info) in objects.sections.enumerated() {
      for row in 0..<info.numberOfObjects {
        let place = objects.index(at: IndexPath(row: row, section: section))
        #expect(objects[place] == info.objects[row], comment)
      }
    }
    let attributes: [FetchedAttribute<Game>] = [
      .attribute(\.name), .attribute(path: ["score"]), .attribute(named: "id"),
    ]
    let cells = try objects.values(of: attributes)
    #expect(cells.map { Array($0) } == objects.map(cell), comment)
    let places = objects.count / 3..<objects.count
    #expect(try objects.values(of: attributes, in: places) == Array(cells[places]), comment)
  }

  private func cell(_ game: Game) -> [AttributeValue] {
    [.string(game.name), .int(Int64(game.score)), .int(Int64(game.id))]
  }

  @Test func `the differences of a list that moves lead from each list to the next`() throws {
    for seed in 0..<UInt64(FaultRow.count(60, full: 1500)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(records: Game.self, Club.self)
      let context = store.makeContext()
      let request = changes.request()
      let list = try FollowingList(request, at: store.snapshot)
      var shown = list.objects.elements
      for step in 0..<12 {
        let comment = Comment("seed \(seed), step \(step)")
        for _ in 0...changes.below(3) { try changes.change(context) }
        try context.saveAndWait()
        if let update = try list.move(to: store.snapshot) {
          let difference = try #require(update.difference, comment)
          #expect(difference.causes.count == 1, comment)
          shown = try #require(shown.applying(difference.elementDifference), comment)
        }
        let now = try store.snapshot.fetch(request)
        #expect(shown == now.elements, comment)
        #expect(Array(list.objects) == Array(now), comment)
        #expect(list.snapshot.sequence == store.snapshot.sequence, comment)
        try checkCells(list.objects, comment)
      }
    }
  }

  @Test func `a walk moves to every moment in any order, and shows the state of the moment`() throws
  {
    var changes = GameChanges(seed: 1)
    let store = try Store.inMemory(records: Game.self, Club.self)
    let context = store.makeContext()
    for _ in 0..<20 {
      try changes.change(context)
      try context.saveAndWait()
    }
    let request = changes.request()
    let last = Int(store.snapshot.sequence.rawValue)
    let walk = try store.walk(from: nil)
    for _ in 0..<40 {
      let sequence = SequenceNumber(UInt64(changes.below(last + 1)))
      let then = try walk.move(to: sequence)
      #expect(walk.snapshot.sequence == sequence)
      #expect(try Array(then.fetch(request)) == Array(store.snapshot(at: sequence).fetch(request)))
    }
  }

  @Test func `a loop over the results of a store hears of a transaction that is read by itself`()
    async throws
  {
    let disk = SimulatedDisk()
    let writer = try Store(
      at: "games", records: Game.self, Club.self, options: .simulated(on: disk))
    let reader = try Store(
      following: "games", records: Game.self, Club.self, options: .simulated(on: disk),
      mode: .manual)
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
    var updates = try reader.results(request).makeAsyncIterator()
    let shown0 = await updates.next()
    #expect(shown0?.objects.count == 0)
    for id in 1...2 {
      let context = writer.makeContext()
      try context.insert(Game(id: id))
      try await context.save()
    }
    for count in 1...2 {
      #expect(try reader.readNextTransaction())
      let shown = await updates.next()
      #expect(shown?.objects.count == count)
    }
    #expect(try reader.readNextTransaction() == false)
  }

  @Test func `a fetch that reports its progress finds the same records as one that does not`()
    throws
  {
    var changes = GameChanges(seed: 2)
    let store = try Store.inMemory(records: Game.self, Club.self)
    let context = store.makeContext()
    for _ in 0..<30 { try changes.change(context) }
    try context.saveAndWait()
    let request = changes.request()
    var fractions: [Double] = []
    let found = try store.snapshot.fetchAndWait(request) { fractions.append($0.fraction) }
    #expect(Array(found) == Array(try store.snapshot.fetch(request)))
    #expect(fractions.first == 0 && fractions.last == 1 && fractions == fractions.sorted())
  }

  @Test func `an attribute that does not exist is an error also where no record is read`() throws {
    let store = try Store.inMemory(records: Game.self, Club.self)
    let found = try store.snapshot.fetch(
      ListRequest<Game>(sortedBy: [.ascending(\Game.name)]))
    let error = #expect(throws: RequestError.self) {
      try found.values(of: [.attribute(named: "nane")])
    }
    #expect(
      error?.description
        == "Game has no attribute 'nane'; did you mean 'name'?")
  }
}
