import DaybookJournal
import DaybookResults
import DaybookSimulation
import DaybookStore
import Testing

@Suite struct `Sections of closures` {
  private let bySize = Sectioning.computed(id: "size", version: 1) { (item: Item) -> String? in
    item.rank > 100 ? nil : item.rank > 5 ? "large" : "small"
  }

  private func request(_ sectioning: Sectioning) -> ListRequest<Item> {
    ListRequest(sortedBy: [.descending(\Item.rank)], sectionedBy: sectioning)
  }

  @Test func `sections of a closure sort by name, nil first, and follow changes`() throws {
    let store = try Store.inMemory(types: [Item.self])
    let context = store.makeContext()
    for (id, rank) in [3, 9, 500, 7, 1].enumerated() {
      try context.insert(Item(id: id, rank: rank))
    }
    try context.saveAndWait()
    let catalog = store.snapshot.frozen.catalog
    let projection = Projection(try request(bySize).plan(catalog), of: store.snapshot.frozen)
    #expect("\(projection.snapshot.shown)" == ": 2, large: 1 3, small: 0 4")
    try context.update(Item.self, id: 1) { $0.rank = 2 }
    context.metadata.author = "me"
    try context.saveAndWait()
    var transactions = try store.transactions(from: 2)
    let transaction = try #require(try transactions.next())
    let difference = projection.received { $0.fold(transaction, to: store.snapshot.frozen) }
    #expect(
      difference.callbackLines() == [
        "willChange", "move [1, 0] -> [2, 1] 1", "didChange",
      ])
    // Every difference names the author of its changes.
    #expect(difference.causes.map(\.metadata.author) == ["me"])
    #expect(difference.causes.map(\.sequence) == [2])
  }

  @Test func `sections of a closure follow changes of values that only it reads`() throws {
    let context = try Store.inMemory(types: [Item.self]).makeContext()
    for (id, rank) in [3, 9, 500].enumerated() { try context.insert(Item(id: id, rank: rank)) }
    try context.saveAndWait()
    let request = ListRequest<Item>(sortedBy: [.ascending(\Item.id)], sectionedBy: bySize)
    let projection = Projection(try request.plan(context.frozen.catalog), of: context.frozen)
    var callbacks: [String] = []
    let token = context.observe { event in
      guard case .transaction(let transaction) = event else { return }
      let difference = projection.received { $0.fold(transaction, to: context.frozen) }
      callbacks += difference.callbackLines()
    }
    defer { withExtendedLifetime(token) {} }
    #expect("\(projection.snapshot.shown)" == ": 2, large: 1, small: 0")
    try context.update(Item.self, id: 1) { $0.rank = 1 }
    context.processPendingChanges()
    #expect("\(projection.snapshot.shown)" == ": 2, small: 0 1")
    #expect(
      callbacks == [
        "willChange", "move [1, 0] -> [1, 1] 1", "section delete 1 \"large\"", "didChange",
      ])
  }

  @Test func `sections of closures are equal if name and version are equal`() {
    let other = Sectioning.computed(id: "size", version: 1) { (item: Item) -> String? in
      "\(item.rank)"
    }
    let newer = Sectioning.computed(id: "size", version: 2) { (item: Item) -> String? in
      "\(item.rank)"
    }
    #expect(request(bySize) == request(other) && request(bySize) != request(newer))
  }

  @Test func `a section closure for another type is refused`() throws {
    let store = try Store.inMemory(types: [Item.self, Thing.self, Place.self])
    let stranger = Sectioning.computed(id: "size", version: 1) { (thing: Thing) -> String? in
      thing.name
    }
    let error = #expect(throws: RequestError.self) {
      try request(stranger).plan(store.snapshot.frozen.catalog)
    }
    #expect(
      error?.description
        == "sections by size are computed from Thing, but the rows are not of that type.")
  }
}
