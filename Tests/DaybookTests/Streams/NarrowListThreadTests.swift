import Daybook
import DaybookJournal
import DaybookResults
@_spi(Tools) import DaybookStore
import DaybookTesting
import TestSupport
import Testing

/// A list that filters by one value of one attribute is notified only of records with this value.
@Suite("Narrow lists") struct NarrowListThreadTests {
  private struct Place: Record, Hashable {
    var id = 0
    var city: String?
    var size: Int32 = 0
    var rate = 0.0
    static let schema = RecordSchema<Place>("Place").attribute("city", at: \.city)
      .attribute("size", at: \.size).attribute("rate", at: \.rate)
  }

  /// The notified observers, by the names of their filters.
  private final class Observers {
    var received: [String] = []
    var settled: [String] = []
    var tokens: [ObservationToken] = []
  }

  private func listening(
    _ filters: [String], to context: EditingContext
  ) throws -> Observers {
    let observers = Observers()
    for text in filters {
      let request = ListRequest<Place>(filter: try Filter(text), sortedBy: [.ascending(\Place.id)])
      let plan = try request.plan(context.frozen.catalog)
      observers.tokens.append(
        context.observe(matching: plan.interest) { [weak observers] _ in
          observers?.received.append(text)
        } onNewBase: { [weak observers] in
          observers?.settled.append(text)
        })
    }
    return observers
  }

  @Test func `a narrow list is notified of records with its value before or after`() throws {
    let store = try Store.inMemory(types: [Place.self])
    let context = store.makeContext()
    let observers = try listening(
      [
        #"city == "Ulm""#, #"city == "Bonn" AND size > 1"#, "size == 3", "rate == 0.5",
        #"city == "Köln""#, "size != 3",
      ], to: context)
    func received(_ change: () throws -> Void) throws -> [String] {
      observers.received = []
      try change()
      context.processPendingChanges()
      return observers.received
    }
    let others = "size != 3"
    #expect(
      try received { try context.insert(Place(id: 1, city: "Ulm")) } == [#"city == "Ulm""#, others])
    #expect(
      try received { try context.update(Place.self, id: 1) { $0.city = "Bonn" } }
        == [#"city == "Ulm""#, #"city == "Bonn" AND size > 1"#, others])
    #expect(
      try received { try context.update(Place.self, id: 1) { $0.size = 3 } }
        == [#"city == "Bonn" AND size > 1"#, "size == 3", others])
    #expect(
      try received { try context.update(Place.self, id: 1) { ($0.city, $0.rate) = (nil, 0.5) } }
        == [#"city == "Bonn" AND size > 1"#, "size == 3", "rate == 0.5", others])
    // A canonically equal string has the same value. The value of a string outside of its row is
    // not known.
    #expect(
      try received { try context.insert(Place(id: 2, city: "Ko\u{308}ln", size: 1)) }
        == [#"city == "Köln""#, others])
    #expect(
      try received {
        try context.insert(Place(id: 3, city: String(repeating: "long ", count: 200), size: 1))
      } == [others])
    try context.saveAndWait()
    #expect(
      try received { try context.delete(Place.self, id: 3) }
        == [#"city == "Ulm""#, #"city == "Bonn" AND size > 1"#, #"city == "Köln""#, others])
    observers.tokens.removeFirst()
    #expect(try received { try context.insert(Place(id: 4, city: "Ulm", size: 9)) } == [others])
  }

  @Test func `a narrow list is notified of a save of its records`() throws {
    let store = try Store.inMemory(types: [Place.self])
    let context = store.makeContext()
    let filters = [#"city == "Ulm""#, #"city == "Bonn""#]
    let observers = try listening(filters, to: context)
    try context.insert(Place(id: 1, city: "Ulm"))
    try context.saveAndWait()
    // A new observer may show unsaved records.
    #expect(observers.settled == filters)
    observers.settled = []
    try context.insert(Place(id: 2, city: "Bonn"))
    try context.saveAndWait()
    #expect(observers.settled == [#"city == "Bonn""#])
  }

  @Test func `a narrow list filters by one value of its own record`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let catalog = store.snapshot.frozen.catalog
    func isNarrow(_ text: String, sections: Sectioning? = nil) throws -> Bool {
      let request = ListRequest<Game>(
        filter: try Filter(text), sortedBy: [.ascending(\Game.name)], sectionedBy: sections)
      return try request.plan(catalog).interest != nil
    }
    #expect(try isNarrow(#"name == "Go""#) && isNarrow("score == 1"))
    #expect(try isNarrow(#"score > 1 AND level == "easy""#))
    #expect(try !isNarrow(#"name ==[c] "Go""#) && !isNarrow("score > 1"))
    #expect(try !isNarrow("level == nil") && !isNarrow(#"name != "Go""#))
    #expect(try !isNarrow(#"name == "Go" OR score == 1"#) && !isNarrow(#"NOT name == "Go""#))
    // What others say of it changes without it.
    #expect(try !isNarrow(#"club.name == "Ajax""#))
    #expect(try !isNarrow(#"name == "Go" AND club.name == "Ajax""#))
    #expect(try !isNarrow(#"name == "Go""#, sections: .by(\Game.club, at: \.name)))
    #expect(try isNarrow(#"name == "Go""#, sections: .by(\Game.level)))
  }

  @Test func `a narrow list is notified of everything after the schema grows`() throws {
    let store = try Store.inMemory(types: [])
    let city = AttributeDefinition("city", type: .scalar(.string))
    var place = EntityDefinition("Place", identifiedBy: .int)
    place.attributes = [city]
    try store.define([place])
    let (context, other) = (store.makeContext(), store.makeContext())
    try other.insert(DynamicRecord("Place", id: .int(1), values: [.string("Ulm")]))
    try other.saveAndWait()
    try context.mergeChanges()
    let observers = try listening([#"city == "Ulm""#, #"city == "Bonn""#], to: context)
    place.attributes = [AttributeDefinition("color", type: .scalar(.string)), city]
    try store.define([place])
    let later = store.makeContext()
    try later.insert(
      DynamicRecord("Place", id: .int(2), values: [.string("red"), .string("Bonn")]))
    try later.saveAndWait()
    try context.mergeChanges()
    // Their rows may be read otherwise by now.
    #expect(observers.received == [#"city == "Ulm""#, #"city == "Bonn""#])
  }

  @Test func `a narrow list shows the same rows as any other list`() throws {
    for seed in 0..<UInt64(FaultRow.count(100, full: 1000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      let other = store.makeContext()
      (context.mergePolicy, other.mergePolicy) = (.contextWins, .contextWins)
      var followers: [(FetchedResultsController<Game>, DifferenceFollower)] = []
      for name in ["Go", "chess", "Ludo", "nim", "Äpfel"] {
        for score in [nil, 0, 1, 2, 3] as [Int?] {
          let filter = score.map { \Game.name == name && \Game.score == $0 } ?? (\Game.name == name)
          let controller = FetchedResultsController(
            fetchRequest: ListRequest<Game>(filter: filter, sortedBy: [.ascending(\Game.score)]),
            context: context)
          try controller.performFetch()
          let follower = DifferenceFollower(controller)
          controller.delegate = follower
          followers.append((controller, follower))
        }
      }
      for step in 0..<25 {
        switch changes.below(8) {
        case 0: try context.saveAndWait()
        case 1:
          try changes.change(other)
          try other.saveAndWait()
          try context.mergeChanges()
        case 2: try context.rollback()
        default:
          try changes.change(context)
          context.processPendingChanges()
        }
        for (controller, follower) in followers {
          let fresh = try context.fetch(controller.fetchRequest)
          #expect(follower.ids == fresh.identifiers, "seed \(seed), step \(step)")
          #expect(controller.fetchedObjects.map { Array($0) } == Array(fresh), "\(seed), \(step)")
        }
      }
    }
  }
}
