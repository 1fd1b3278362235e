import Daybook
import FoundationEssentials
import Testing

// Failed banks and a food log, as the page on porting has them.

private struct FailedBankInfo: Record {
  var id = 0
  var name = ""
  var state = ""
  // The bank begins.
  var details: Reference<FailedBankDetails>?

  static let schema = RecordSchema<FailedBankInfo>("FailedBankInfo")
    .attribute("name", at: \.name)
    .attribute("state", at: \.state)
    .owned("details", at: \.details, inverse: "info")
  // The bank ends.
}

private struct FailedBankDetails: Record {
  var id = 0
  var closeDate = Date(timeIntervalSince1970: 0)

  static let schema = RecordSchema<FailedBankDetails>("FailedBankDetails")
    .attribute("closeDate", at: \.closeDate)
}

@MainActor @Suite struct `Failed banks, as the page on porting has them` {
  @Test func `banks are read twenty at a time in the order of their details`() throws {
    let store = try Store.inMemory(records: FailedBankInfo.self, FailedBankDetails.self)
    let context = store.viewContext
    for id in 0..<60 {
      let closeDate = Date(timeIntervalSince1970: Double(id * 37 % 60) * 86_400)
      try context.insert(FailedBankDetails(id: id, closeDate: closeDate))
      try context.insert(
        FailedBankInfo(
          id: id, name: "Bank \(id)", state: ["GA", "CA"][id % 2], details: Reference(id)))
    }
    try context.saveAndWait()
    let before = store.statistics.fetches
    var days: [Date?] = []
    func show(_ name: String, _ day: Date?) { days.append(day) }
    // The fetch begins.
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<FailedBankInfo>(
        sortedBy: [.descending(\FailedBankInfo.details, at: \.closeDate)],
        sectionedBy: .by(\FailedBankInfo.state), batchSize: 20),
      context: context, cacheName: "banks")
    try controller.performFetch()  // computes the position of every bank, and reads none

    try controller.fetchedObjects?.prefix(10).forEach { info in  // reads twenty
      show(info.name, try context.object(info.details)?.closeDate)
    }
    // The fetch ends.
    #expect(controller.snapshot?.itemIdentifiers(inSection: 0).count == 30)
    let fetches = store.statistics.fetches.since(before)
    #expect(fetches.fetchCount == 1)
    #expect(fetches.foundRowCount == 60)
    #expect(fetches.batchCount == 1)
    #expect(fetches.batchRecordCount == 20)
    #expect(fetches.singleRecordCount == 0)
    #expect(controller.sections?.map(\.name) == ["CA", "GA"])
    let known = days.compactMap { $0 }
    #expect(known.count == 10)
    #expect(known == known.sorted(by: >))
    try store.closeAndWait()
  }
}

private struct Food: Record {
  var id = 0
  var type = ""
  var createdAt = Date(timeIntervalSince1970: 0)

  static let schema = RecordSchema<Food>("Food")
    .attribute("type", at: \.type)
    .attribute("createdAt", at: \.createdAt)
}

@MainActor @Suite struct `A food log, as the page on porting has it` {
  private final class Received: FetchedResultsDifferenceDelegate {
    var differences: [String] = []

    func controller(
      _ controller: FetchedResultsController<Food>,
      didChangeContentWith difference: ListDifference<Food>
    ) {
      differences.append("\(difference)")
    }
  }

  @Test func `the food log always shows the newest hundred rows`() throws {
    let store = try Store.inMemory(records: Food.self)
    let context = store.viewContext
    for id in 1...240 {
      let createdAt = Date(timeIntervalSince1970: Double(id) * 3600)
      let type = id.isMultiple(of: 2) ? "breastmilk" : "formula"
      try context.insert(Food(id: id, type: type, createdAt: createdAt))
    }
    // The log begins.
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<Food>(
        filter: \Food.type == "breastmilk",  // or try Filter("%K == %@", "type", "breastmilk")
        sortedBy: [.descending(\Food.createdAt)], limit: 100, batchSize: 20),
      context: context)
    // The log ends.
    let list = Received()
    controller.delegate = list
    try controller.performFetch()
    #expect(controller.fetchedObjects?.first?.id == 240)
    #expect(controller.fetchedObjects?.last?.id == 42)
    #expect(controller.fetchRequest.filter == (try Filter("%K == %@", "type", "breastmilk")))

    try context.delete(Food.self, id: 200)
    context.processPendingChanges()
    #expect(controller.fetchedObjects?.last?.id == 40)
    try context.insert(
      Food(id: 241, type: "breastmilk", createdAt: Date(timeIntervalSince1970: 900_000)))
    context.processPendingChanges()
    #expect(controller.fetchedObjects?.count == 100)
    #expect(controller.fetchedObjects?.last?.id == 42)
    #expect(list.differences == ["1 row deleted, 1 row inserted", "1 row deleted, 1 row inserted"])
    try store.closeAndWait()
  }
}
