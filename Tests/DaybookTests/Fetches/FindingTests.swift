import Daybook
import DaybookTesting
import TestSupport
import Testing

private struct Country: Record {
  var id = 0
  var name = ""

  static let schema = RecordSchema<Country>("Country").attribute("name", at: \.name)
}

private struct Town: Record {
  var id = 0
  var country: Reference<Country>?

  static let schema = RecordSchema<Town>("Town").reference("country", at: \.country)
}

private struct Guest: Record, Equatable {
  var id = 0
  var name = ""
  var email: String?
  var room = 0
  var town: Reference<Town>?

  static let schema = RecordSchema<Guest>("Guest")
    .attribute("name", at: \.name).attribute("email", at: \.email).attribute("room", at: \.room)
    .reference("town", at: \.town).unique(\.email).unique(\.name, \.room)
}

@Suite struct `Finding records` {
  @Test func `a request and its parts find the same records everywhere`() throws {
    for seed in 0..<UInt64(FaultRow.count(60, full: 1000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      for _ in 0..<5 {
        for _ in 0...changes.below(6) { try changes.change(context) }
        let request = changes.request()
        let keys = request.sortKeys.map { RecordSortKey<Game>($0) }
        let (filter, plain) = (
          request.filter,
          ListRequest<Game>(
            filter: request.filter, sortedBy: request.sortKeys)
        )
        #expect(try context.first(request) == context.fetch(request).first, "seed \(seed)")
        let drafts = try context.fetch(plain).identifiers
        #expect(try context.fetch(Game.self, where: filter, sortedBy: keys).identifiers == drafts)
        #expect(try context.first(Game.self, where: filter, sortedBy: keys)?.id == drafts.first)
        #expect(try context.fetch(Game.self).map(\.id) == context.objects(Game.self).map(\.id))
        if let filter {
          #expect(try context.count(of: Game.self, where: filter) == drafts.count)
        }
        try context.saveAndWait()
        let saved = store.snapshot
        let ids = try saved.fetch(plain).identifiers
        #expect(try saved.fetch(Game.self, where: filter, sortedBy: keys).identifiers == ids)
        #expect(try store.fetch(Game.self, where: filter, sortedBy: keys).identifiers == ids)
        #expect(try store.fetch(plain).identifiers == ids)
        #expect(try saved.first(request) == store.first(request))
        #expect(try store.first(request) == saved.fetch(request).first)
        #expect(try saved.first(Game.self, where: filter, sortedBy: keys)?.id == ids.first)
        #expect(try store.first(Game.self, where: filter, sortedBy: keys)?.id == ids.first)
        #expect(try store.count(for: request) == saved.count(for: request))
        #expect(try store.fetch(Game.self).map(\.id) == saved.objects(Game.self).map(\.id))
        if let filter {
          #expect(try saved.count(of: Game.self, where: filter) == ids.count)
          #expect(try store.count(of: Game.self, where: filter) == ids.count)
        }
      }
    }
  }

  @Test func `a unique value finds the record that a filter finds`() throws {
    for seed in 0..<UInt64(FaultRow.count(40, full: 600)) {
      var random = SplitMix64(seed: seed)
      let store = try Store.inMemory(types: [Guest.self, Town.self, Country.self])
      let context = store.makeContext()
      let emails = ["a", "b", "e\u{301}", "\u{e9}", "c"]
      for _ in 0..<20 {
        let (id, number) = (random.below(5), random.below(8))
        let email = number < 5 ? emails[number] : nil
        if try context.object(Guest.self, id: id) == nil {
          try context.insert(Guest(id: id, name: "\(id)", email: email))
        } else if random.below(4) == 0 {
          try context.delete(Guest.self, id: id)
        } else {
          try context.update(Guest.self, id: id) { $0.email = email }
        }
        for email in emails {
          let found = try context.object(Guest.self, where: \.email, is: email)
          let owners = try context.fetch(Guest.self, where: \Guest.email == email)
          // Drafts may share a value, which a save would refuse.
          #expect(found == nil ? owners.isEmpty : owners.contains { $0 == found }, "seed \(seed)")
        }
        if random.below(3) == 0 {
          do { try context.saveAndWait() } catch { try context.rollback() }
        }
      }
      for moment in 0...store.snapshot.sequence {
        let snapshot = try store.snapshot(at: moment)
        for email in emails {
          let owners = try snapshot.fetch(Guest.self, where: \Guest.email == email)
          #expect(owners.count <= 1)
          #expect(
            try snapshot.object(Guest.self, where: \.email, is: email) == owners.first,
            "seed \(seed), moment \(moment)")
        }
        #expect(try snapshot.object(Guest.self, where: \.email, is: nil) == nil)
      }
    }
  }

  @Test func `only an attribute that is unique by itself finds a record`() throws {
    let store = try Store.inMemory(records: Guest.self, Town.self, Country.self)
    let error = #expect(throws: StoreError.self) {
      try store.object(Guest.self, where: \.name, is: "Ada")
    }
    #expect(error?.reason == .notUnique(entity: "Guest", attribute: "name"))
    #expect(
      error?.description == """
        store in memory: Guest.name is not unique, so no index finds a record by it. Declare it with \
        unique("name"), or fetch with a filter.
        """)
    let other = #expect(throws: StoreError.self) {
      try store.makeContext().object(Guest.self, where: \.name.first?.description, is: "A")
    }
    guard case .unknownAttribute("Guest", _)? = other?.reason else {
      Issue.record("\(String(describing: other))")
      return
    }
  }

  @Test func `a type that the store does not know is not found`() throws {
    let store = try Store.inMemory(records: Club.self)
    let context = store.makeContext()
    let attempts: [() throws -> Void] = [
      { _ = try store.fetch(Game.self) }, { _ = try store.first(Game.self) },
      { _ = try store.count(of: Game.self) }, { _ = try store.snapshot.count(of: Game.self) },
      { _ = try store.count(of: Game.self, where: \Game.score > 0) },
      { _ = try store.object(Game.self, where: \.name, is: "Go") },
      { _ = try context.fetch(Game.self) }, { _ = try context.first(Game.self) },
      { _ = try context.count(of: Game.self) },
      { _ = try context.count(of: Game.self, where: \Game.score > 0) },
      { _ = try context.object(Game.self, where: \.name, is: "Go") },
    ]
    for attempt in attempts {
      #expect { try attempt() } throws: { ($0 as? StoreError)?.reason == .unknownType("Game") }
    }
  }

  @Test func `keys and sections without the type are those with the type`() {
    #expect(
      ListRequest<Game>(
        sortedBy: [
          .ascending(\.level), .descending(\.score), .ascending(\.club, at: \.name),
          .descending(\.club, at: \.id), .ascending(\.name, comparator: .caseInsensitive),
        ], sectionedBy: .by(\.level), limit: 5)
        == ListRequest<Game>(
          sortedBy: [
            .ascending(\Game.level), .descending(\Game.score),
            .ascending(\Game.club, at: \Club.name), .descending(\Game.club, at: \Club.id),
            .ascending(\Game.name, comparator: .caseInsensitive),
          ], sectionedBy: .by(\Game.level), limit: 5))
    #expect(
      ListRequest<Game>(sortedBy: [.ascending(\.name)], sectionedBy: .by(\.club, at: \.name))
        == ListRequest<Game>(
          sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.club, at: \Club.name)))
  }

  @Test func `a path of any depth sorts, groups and filters records`() throws {
    let store = try Store.inMemory(records: Guest.self, Town.self, Country.self)
    let context = store.makeContext()
    for (id, name) in [(1, "Peru"), (2, "Chad")] { try context.insert(Country(id: id, name: name)) }
    for id in 1...2 { try context.insert(Town(id: id, country: Reference(id))) }
    for id in 1...4 {
      try context.insert(
        Guest(id: id, name: "\(id)", town: id > 2 ? nil : Reference(id)))
    }
    let path = Filter.at(\Guest.town).at(\.country).at(\.name)
    let request = ListRequest<Guest>(
      filter: path != nil, sortedBy: [.ascending(path)], sectionedBy: .by(path))
    #expect(try context.sections(request).map(\.name) == ["Chad", "Peru"])
    #expect(try context.fetch(request).map(\.id) == [2, 1])
    #expect(
      try context.fetch(Guest.self, sortedBy: [.descending(path)]).map(\.id) == [1, 2, 3, 4])
    #expect(SortKey.ascending(path) == SortKey(path: ["town", "country", "name"]))
    // The path of another entity is refused.
    let wrong = RecordSortKey<Town>.ascending(path)
    let error = #expect(throws: RequestError.self) {
      try context.fetch(Town.self, sortedBy: [wrong])
    }
    #expect(
      error?.reason == .otherEntity("town.country.name", root: "Guest", entity: "Town"))
  }
}
