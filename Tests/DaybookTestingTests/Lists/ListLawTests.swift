import Daybook
import DaybookTesting
import Synchronization
import TestSupport
import Testing

private struct City: Record {
  var id = 0
  var name = ""

  static let schema = RecordSchema<City>("City").attribute("name", at: \.name)
}

private struct Shop: Record {
  var id = 0
  var name = ""
  var sales = 0
  var city: Reference<City>?

  static let schema = RecordSchema<Shop>("Shop")
    .attribute("name", at: \.name).attribute("sales", at: \.sales)
    .reference("city", at: \.city, whenTargetDeleted: .nullify)
}

@Suite struct `The laws of a list` {
  private let byCity = ListRequest<Shop>(
    filter: \Shop.sales > 2,
    sortedBy: [.ascending(\.city, at: \.name), .descending(\.sales)],
    sectionedBy: .by(\Shop.city, at: \.name), limit: 6)

  /// Returns a store with a random history of shops and cities.
  private func store(transactionCount: Int, seed: UInt64) throws -> Store {
    let store = try Store.simulated(records: City.self, Shop.self)
    let context = store.makeContext()
    var random = SplitMix64(seed: seed)
    for _ in 0..<transactionCount {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let id = Int.random(in: 0..<8, using: &random)
        let city = Int.random(in: 0..<4, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try context.delete(Shop.self, where: Filter.at(\Shop.id) == id)
        case 1: try context.delete(City.self, where: Filter.at(\City.id) == city)
        case 2:
          try context.upsert(City(id: city, name: "C\(Int.random(in: 0..<3, using: &random))"))
        default:
          try context.upsert(
            Shop(
              id: id, name: "S\(id)", sales: Int.random(in: 0..<9, using: &random),
              city: Reference(city)))
        }
      }
      try context.saveAndWait()
    }
    return store
  }

  @Test(arguments: 1...8) func `random histories obey the laws of a list`(seed: Int) throws {
    let store = try store(transactionCount: 60, seed: UInt64(seed))
    #expect(try checkLaws(of: byCity, over: store) > 20)
    let all = ListRequest(entity: "Shop", sortedBy: [.ascending(named: "name")])
    #expect(try checkLaws(of: all, over: store) > 20)
  }

  @Test func `a store without transactions obeys the laws of a list`() throws {
    #expect(try checkLaws(of: byCity, over: Store.simulated(records: City.self, Shop.self)) == 0)
  }

  @Test func `a section closure with changing results breaks a law`() throws {
    let store = try Store.simulated(records: City.self, Shop.self)
    let context = store.makeContext()
    try context.insert(Shop(id: 1, name: "Corner"))
    try context.saveAndWait()
    let callCount = Mutex(0)
    let request = ListRequest<Shop>(
      sortedBy: [.ascending(\Shop.name)],
      sectionedBy: .computed(id: "call", version: 1) { (_: Shop) in
        callCount.withLock { count in
          count += 1
          return "call \(count)"
        }
      })
    let error = try #require(throws: ListLawError.self) {
      try checkLaws(of: request, over: store)
    }
    #expect(
      "\(error)" == """
        transaction 1: the live list is not equal to a list that is fetched at this moment. If the request \
        has a closure, the closure must return the same result for the same record every time.
        expected:
        \(error.expected)
        found:
        \(error.found)
        """)
    #expect(
      error.expected.hasSuffix("]\n  1: \"Corner\", 0, null") && error.expected != error.found)
  }

  @Test func `a wrong difference is reported with what a table view shows`() throws {
    let store = try store(transactionCount: 0, seed: 0)
    let context = store.makeContext()
    for id in 1...2 {
      try context.insert(Shop(id: id, name: "S\(id)"))
      try context.saveAndWait()
    }
    let request = ListRequest<Shop>(sortedBy: [.ascending(\.id)])
    let difference = try store.difference(of: request, from: 1, to: 2)
    let (one, both) = (TableView.Section(rows: ["1"]), TableView.Section(rows: ["1", "2"]))
    try ListLaw.check(difference, from: [one], to: [both], law: .difference, after: 2)
    // The view refuses a batch that does not lead to the number of rows.
    var error = try #require(throws: ListLawError.self) {
      try ListLaw.check(difference, from: [both], to: [both], law: .difference, after: 2)
    }
    #expect(
      "\(error)" == """
        transaction 2: a table view that performs the difference does not show the list after it.
        expected:
          1
          2
        found:
        invalid number of rows in section 0: the number of rows in an existing section after the update (2) \
        must be equal to the number of rows in it before the update (2), plus or minus the number of rows \
        inserted or deleted (1 inserted, 0 deleted) and plus or minus the number of rows moved into or out \
        of it (0 moved in, 0 moved out).
        """)
    // The view keeps the cell of a row that is not reported, although its value changed.
    error = try #require(throws: ListLawError.self) {
      try ListLaw.check(
        difference.inverse, from: [both], to: [TableView.Section(rows: ["9"])], law: .inverse,
        after: 2)
    }
    #expect(
      "\(error)" == """
        transaction 2: a table view that performs the inverse does not show the list before it.
        expected:
          9
        found:
          1
        """)
    error = try #require(throws: ListLawError.self) {
      try ListLaw.check(difference.text, is: difference.inverse.text, law: .between, after: 2)
    }
    #expect(
      "\(error)" == """
        transaction 2: the difference between the two moments is not the one that the transaction caused.
        expected:
        willChange
        delete [0, 1] 2
        didChange
        found:
        willChange
        insert [0, 1] 2
        didChange
        """)
  }

  @Test func `a list is written as its sections and rows`() throws {
    let store = try Store.simulated(records: City.self, Shop.self)
    let context = store.makeContext()
    try context.insert(City(id: 1, name: "Ulm"))
    try context.insert(Shop(id: 7, name: "Corner", sales: 3, city: Reference(1)))
    try context.insert(Shop(id: 8, name: "Market", sales: 5, city: Reference(1)))
    try context.insert(Shop(id: 9, name: "Kiosk", sales: 4))
    try context.saveAndWait()
    let snapshot = store.snapshot
    #expect(try snapshot.fetch(byCity).text == "[]\n  9\n[Ulm]\n  8\n  7")
    #expect(
      try snapshot.fetch(byCity).text { "\($0.name) \($0.sales)" }
        == "[]\n  Kiosk 4\n[Ulm]\n  Market 5\n  Corner 3")
    let plain = ListRequest<Shop>(sortedBy: [.ascending(\.name)])
    #expect(try snapshot.fetch(plain).text == "  7\n  9\n  8")
    #expect(
      try snapshot.fetch(
        ListRequest<Shop>(filter: \Shop.sales > 9, sortedBy: [.ascending(\.name)])
      ).text == "")
  }
}
