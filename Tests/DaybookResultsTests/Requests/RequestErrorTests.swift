import DaybookResults
import DaybookStore
import FoundationEssentials
import Testing

@Suite struct `Request errors` {
  private func problem(_ change: (inout ListRequest<Thing>) -> Void) throws -> String {
    var request = ListRequest<Thing>(sortedBy: [.ascending(named: "name")])
    change(&request)
    return try problem(of: request)
  }

  private func problem<R: FetchableRecord>(of request: ListRequest<R>) throws -> String {
    let store = try Store.inMemory(types: [Thing.self, Place.self])
    do throws(RequestError) {
      _ = try request.plan(store.snapshot.frozen.catalog)
      return "nothing"
    } catch { return "\(error)" }
  }

  // Rule 1.
  @Test func `the error says that a request has no sort key`() throws {
    #expect(
      try problem { $0.sortKeys = [] }
        == "the request for Thing has no sort key; add one to sortedBy.")
    #expect(try problem { _ in } == "nothing")
  }

  @Test func `the error for an unknown name lists or suggests names`() throws {
    #expect(
      try problem(of: ListRequest(entity: "Thin"))
        == "no entity 'Thin'; did you mean 'Thing'?")
    #expect(
      try problem(of: ListRequest(entity: "Something"))
        == "no entity 'Something'; the entities are Thing and Place.")
    #expect(
      try problem(of: ListRequest(entity: "some thing"))
        == "no entity 'some thing'; the entities are Thing and Place.")
    #expect(
      try problem { $0.sortKeys = [.ascending(named: "nam")] }
        == "Thing has no attribute 'nam'; did you mean 'name'?")
    #expect(
      try problem { $0.sortKeys = [.ascending(named: "place.hight")] }
        == "Place has no attribute 'hight'; did you mean 'height'?")
    #expect(
      try problem { $0.sortKeys = [.ascending(named: "name.id")] }
        == "Thing.name is not a reference to one record, so no other name can follow it.")
    #expect(
      try problem { $0.sectioning = .by(named: "friends.name") }
        == "Thing.friends is not a reference to one record, so no other name can follow it.")
    #expect(
      try problem { $0.sectioning = .by(named: "colour") } == """
        Thing has no attribute 'colour'; it has id, flag, flagOrNot, tiny, short, middle, long, natural \
        and 23 more.
        """)
    #expect(
      try problem { $0.sortKeys = [.ascending(named: "place.colour")] }
        == """
        Place has no attribute 'colour'; it has id, name, height, owner, tags, keeper, things and \
        visitors.
        """)
  }

  @Test func `the error for an unknown entity lists the existing entities`() {
    func sentence(_ known: [String]) -> String {
      "\(RequestError(.noEntity("Something", nearest: nil, known: known)))"
    }
    #expect(sentence(["Place"]) == "no entity 'Something'; the only entity is Place.")
    #expect(sentence([]) == "no entity 'Something'; the store has no entities.")
  }

  @Test func `the error names a property of another type`() throws {
    #expect(
      try problem { $0.sortKeys = [.ascending(\Place.name)] }
        == "name is a property of Place, but the rows are of Thing.")
    #expect(
      try problem { $0.sectioning = .by(\Place.name) }
        == "name is a property of Place, but the rows are of Thing.")
    #expect(
      try problem { $0.filter = \Place.name == "Oslo" }
        == "filter: name is a property of Place, but the rows are of Thing.")
    #expect(
      try problem { $0.filter = Filter(#Predicate<Place> { $0.name == "Oslo" || $0.name == "" }) }
        == "filter: name is a property of Place, but the rows are of Thing.")
    #expect(
      try problem { $0.filter = Filter.at(\Thing.place, at: \.name) == "Oslo" } == "nothing")
    // A path by its names is of whatever rows it is asked, and is the same path.
    #expect(SortKey.ascending(\Place.name) == .ascending(named: "name"))
    #expect(Sectioning.by(\Place.name) == .by(named: "name"))
  }

  @Test func `the error names a type that does not fit the sort key`() throws {
    #expect(
      try problem { $0.sortKeys = [.ascending(named: "numbers")] }
        == "sorting by numbers: a sort key needs a single value; the type [int32] has several."
    )
    #expect(
      try problem { $0.sortKeys = [.descending(named: "long", comparator: .natural)] }
        == "sorting by long: the natural comparator needs strings; the type is int64.")
    #expect(
      try problem { $0.sectioning = .by(named: "name", each: .month) }
        == "sections by name: sections by month need dates; the type is string."
    )
  }

  @Test func `a request error contains the error of its filter`() throws {
    let store = try Store.inMemory(types: [Thing.self, Place.self])
    let request = ListRequest<Thing>(
      filter: try Filter("nam == 'x'"), sortedBy: [.ascending(named: "name")])
    let error = #expect(throws: RequestError.self) {
      try request.plan(store.snapshot.frozen.catalog)
    }
    guard case .filter(let filterError)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description == filterError.description)
    #expect(filterError.column == 1)
  }
}

@Suite struct `Typed requests` {
  // Rule 5, and the doors that a Swift program has.
  @Test func `a typed request equals the request by name`() {
    let typed = ListRequest<Thing>(
      filter: \Thing.long > 5,
      sortedBy: [
        .descending(\Thing.place, at: \.height),
        .ascending(\Thing.name, comparator: .caseInsensitive),
        .ascending(\Thing.id),
      ], sectionedBy: .by(\Thing.moment, each: .month), limit: 10, offset: 2)
    let named = ListRequest(
      entity: "Thing", filter: \Thing.long > 5,
      sortedBy: [
        .descending(named: "place.height"),
        .ascending(named: "name", comparator: .caseInsensitive), .ascending(named: "id"),
      ], sectionedBy: .by(named: "moment", each: .month), limit: 10, offset: 2)
    #expect(typed.entity == named.entity && typed.filter == named.filter)
    #expect(typed.sortKeys == named.sortKeys && typed.sectioning == named.sectioning)
    #expect(typed.window == named.window)
  }
}
