import Daybook
import DaybookJournal
import DaybookTesting
import Testing

private struct NewDish: Record {
  var id = 0
  var taste = ""
  static let schema = RecordSchema<NewDish>("Dish").attribute("taste", at: \.taste)
}

private enum Taste: String, AttributeRepresentable, CaseIterable { case bitter, other, sweet }

private struct Dish: Record, Equatable {
  var id = 0
  var taste = Taste.bitter
  static let schema = RecordSchema<Dish>("Dish").attribute("taste", at: \.taste, unknown: .other)
}

private struct StrictDish: Record, Equatable {
  var id = 0
  var taste = Taste.bitter
  static let schema = RecordSchema<StrictDish>("Dish").attribute("taste", at: \.taste)
}

/// A dish of a program that knows two cases more.
private struct LaterDish: Record {
  enum Taste: String, AttributeRepresentable { case aroma, bitter, other, sweet, umami }

  var id = 0
  var taste = Taste.bitter
  static let schema = RecordSchema<LaterDish>("Dish").attribute(
    "taste", at: \.taste, unknown: .other)
}

private struct Meal: Record {
  var id = 0
  var dish: Reference<Dish>?
  static let schema = RecordSchema<Meal>("Meal").reference(
    "dish", at: \.dish, whenTargetDeleted: .nullify)
}

private let tastes = ["sweet", "umami", "bitter", "other", "aroma", "sweet", "zest"]

/// A disk with a journal of dishes, written by a newer program.
private func journal() throws -> SimulatedDisk {
  let disk = SimulatedDisk()
  disk.mapsFiles = true
  let store = try open(disk, records: NewDish.self)
  try store.insertAndWait(
    contentsOf: tastes.enumerated().map { NewDish(id: $0.offset, taste: $0.element) })
  try store.closeAndWait()
  return disk
}

private func open(_ disk: SimulatedDisk, records types: any Record.Type...) throws -> Store {
  var options = JournalOptions.simulated(on: disk)
  options.checkpointRule.closingByteCountMin = 1
  return try Store(at: "dishes", types: types, options: options)
}

private let bySection = ListRequest<Dish>(
  sortedBy: [.ascending(\Dish.taste), .ascending(\Dish.id)], sectionedBy: .by(\Dish.taste))

/// The elements of a list, updated by each difference.
private final class ElementFollower: FetchedResultsDifferenceDelegate {
  private(set) var elements: [ListElement<Int>]

  init(_ controller: FetchedResultsController<Dish>) {
    elements = controller.fetchedObjects?.elements ?? []
  }

  func controller(
    _ controller: FetchedResultsController<Dish>,
    didChangeContentWith difference: ListDifference<Dish>
  ) {
    elements = elements.applying(difference.elementDifference) ?? []
  }
}

/// Checks that records, filters, sort keys, sections and values agree on each dish.
private func checkLists(
  _ context: EditingContext, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let byID = [SortKey.ascending(\Dish.id)]
  let shown = try context.objects(Dish.self).sorted { $0.id < $1.id }
  let all = try context.fetch(ListRequest<Dish>(sortedBy: byID))
  #expect(Array(all) == shown, sourceLocation: sourceLocation)
  for value in Taste.allCases {
    let found = try context.fetch(ListRequest<Dish>(filter: \Dish.taste == value, sortedBy: byID))
    #expect(Array(found) == shown.filter { $0.taste == value }, sourceLocation: sourceLocation)
    let others = try context.fetch(
      ListRequest<Dish>(filter: \Dish.taste != value, sortedBy: byID))
    #expect(Array(others) == shown.filter { $0.taste != value }, sourceLocation: sourceLocation)
  }
  let controller = FetchedResultsController(fetchRequest: bySection, context: context)
  try controller.performFetch()
  let names = controller.sections?.map(\.name)
  #expect(names == Set(shown.map(\.taste.rawValue)).sorted(), sourceLocation: sourceLocation)
  for section in try #require(controller.sections) {
    #expect(
      Array(section.objects) == shown.filter { $0.taste.rawValue == section.name },
      sourceLocation: sourceLocation)
  }
  let values = try context.fetchValues(
    ListRequest<Dish>(sortedBy: byID), of: [.attribute(\Dish.taste)])
  #expect(
    values.map { Array($0) } == shown.map { [.string($0.taste.rawValue)] },
    sourceLocation: sourceLocation)
}

/// Lists of a journal with values, written by a newer program, that the type of an attribute cannot
/// represent.
@Suite struct `Lists of values that a type does not know` {
  @Test func `records, filters, order, sections and values agree on the declared substitute`()
    throws
  {
    let disk = try journal()
    var store = try open(disk, records: Dish.self)
    let context = store.makeContext()
    try checkLists(context)
    try context.update(Dish.self, id: 1) { $0.taste = .bitter }
    try context.setValue(.string("zest"), forKey: "taste", of: "Dish", id: .int(2))
    try checkLists(context)
    try context.saveAndWait()
    try store.closeAndWait()
    store = try open(disk, records: Dish.self)
    #expect(store.statistics.checkpoints?.openedFrom == 1)
    try checkLists(store.makeContext())
    try store.closeAndWait()
  }

  @Test func `a path through a reference reads the declared substitute`() throws {
    let store = try open(try journal(), records: Dish.self, Meal.self)
    try store.insertAndWait(contentsOf: tastes.indices.map { Meal(id: $0, dish: Reference($0)) })
    let request = ListRequest<Meal>(
      filter: Filter.at(\Meal.dish, at: \.taste) == .other, sortedBy: [.ascending(\Meal.id)])
    #expect(try store.snapshot.fetchIdentifiers(request) == [1, 3, 4, 6])
    try store.closeAndWait()
  }

  @Test func `a live list of unknown values equals a new fetch after every save`() throws {
    let store = try open(try journal(), records: Dish.self)
    let context = store.makeContext()
    let controller = FetchedResultsController(fetchRequest: bySection, context: context)
    try controller.performFetch()
    let follower = ElementFollower(controller)
    controller.delegate = follower
    var random = SplitMix64(seed: 4)
    for step in 0..<60 {
      let id = Int.random(in: 0..<7, using: &random)
      let raw = try #require((tastes + ["salty"]).randomElement(using: &random))
      if let known = Taste(rawValue: raw) {
        try context.update(Dish.self, id: id) { $0.taste = known }
      } else {
        try context.setValue(.string(raw), forKey: "taste", of: "Dish", id: .int(Int64(id)))
      }
      try context.saveAndWait()
      let fresh = FetchedResultsController(fetchRequest: bySection, context: context)
      try fresh.performFetch()
      let (live, anew) = (controller.fetchedObjects, fresh.fetchedObjects)
      #expect(live.map { Array($0) } == anew.map { Array($0) }, "step \(step)")
      #expect(live?.elements == anew?.elements, "step \(step)")
      #expect(follower.elements == anew?.elements, "step \(step)")
    }
    try store.closeAndWait()
  }

  @Test func `a list that reads a declared substitute is not cached for other programs`() throws {
    let disk = try journal()
    var store = try open(disk, records: Dish.self)
    func controller<R: Record>(
      _ request: ListRequest<R>, _ name: String
    ) throws -> FetchedResultsController<R> {
      let controller = FetchedResultsController(
        fetchRequest: request, context: store.makeContext(), cacheName: name)
      try controller.performFetch()
      return controller
    }
    #expect(
      try controller(bySection, "tastes").cacheStatistics?.origin.description
        == "not cached because its schema declares a substitute for unknown values")
    let byID = ListRequest<Dish>(sortedBy: [.ascending(\Dish.id)])
    #expect(
      try controller(byID, "dishes").cacheStatistics?.origin.description
        == "rebuilt because there was no cache")
    try store.closeAndWait()
    store = try open(disk, records: LaterDish.self)
    let later = ListRequest<LaterDish>(
      sortedBy: [.ascending(\LaterDish.taste)], sectionedBy: .by(\LaterDish.taste))
    #expect(
      try controller(later, "tastes").sections?.map(\.name)
        == ["aroma", "bitter", "other", "sweet", "umami"])
    #expect(
      try controller(
        ListRequest<LaterDish>(sortedBy: [.ascending(\LaterDish.id)]), "dishes"
      ).cacheStatistics?.origin.description == "reused")
    try store.closeAndWait()
  }

  @Test func `a list without a declared substitute sorts and filters by the stored value`() throws {
    let store = try open(try journal(), records: StrictDish.self)
    let request = ListRequest<StrictDish>(
      filter: \StrictDish.taste != .sweet,
      sortedBy: [.ascending(\StrictDish.taste)], sectionedBy: .by(\StrictDish.taste))
    let controller = FetchedResultsController(fetchRequest: request, context: store.makeContext())
    try controller.performFetch()
    #expect(
      controller.sections?.map(\.name) == ["aroma", "bitter", "other", "umami", "zest"])
    try store.closeAndWait()
  }

  @Test func `a list that shows a record without a declared substitute says so once`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let store = try open(try journal(), records: StrictDish.self)
      let found = try store.snapshot.fetch(
        ListRequest<StrictDish>(sortedBy: [.ascending(\StrictDish.id)]))
      precondition(found.map(\.taste)[1] == .bitter && found.count == 7)
      precondition(found.map(\.taste)[4] == .bitter)
      try await store.close()
    }
    let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      .split(separator: "\n").filter { $0.hasPrefix("Daybook: ") }
    #expect(
      lines == [
        """
        Daybook: taste of Dish 1 is "umami", which its Swift type cannot represent. Lists show the \
        value of init() instead. Filters, sort keys and sections use the stored value. Declare a \
        substitute with unknown:.
        """
      ])
  }
}
