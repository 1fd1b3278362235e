import Daybook
import FoundationEssentials
import TestSupport
import Testing

// The records begin.
private struct Seller: Record {
  var id = ""
  var region = ""

  static let schema = RecordSchema<Seller>("Seller").attribute("region", at: \.region)
}

private struct Sale: Record {
  var id = 0
  var product = ""
  var amount: Decimal?
  var seller: Reference<Seller>?

  static let schema = RecordSchema<Sale>("Sale")
    .attribute("product", at: \.product).attribute("amount", at: \.amount)
    .reference("seller", at: \.seller)
}
// The records end.

private final class Screen: FetchedResultsDifferenceDelegate {
  var printed: [String] = []

  private func print(_ parts: Any...) {
    printed.append(parts.map { "\($0)" }.joined(separator: " "))
  }

  // The delegate begin.
  func controller(
    _ controller: FetchedResultsController<Sale>,
    didChangeContentWith difference: ListDifference<Sale>
  ) {
    for change in difference.changedTotals { print(change) }
  }
  // The delegate end.
}

@Suite struct `The page on totals` {
  private func store() async throws -> Store {
    let store = try Store.inMemory(records: Seller.self, Sale.self)
    try await store.write { context in
      try context.insert(Seller(id: "Ada", region: "north"))
      try context.insert(Seller(id: "Bo", region: "south"))
      func sell(_ id: Int, _ product: String, _ cents: Int?, by seller: String?) throws {
        try context.insert(
          Sale(
            id: id, product: product, amount: cents.map { Decimal($0) / 100 },
            seller: seller.map { Reference($0) }))
      }
      try sell(1, "lamp", 1250, by: "Ada")
      try sell(2, "lamp", 1350, by: "Bo")
      try sell(3, "desk", 9900, by: "Ada")
      try sell(4, "gift", nil, by: nil)
      try sell(5, "pen", 100, by: "Bo")
    }
    return store
  }

  /// Compares a code block of the page with a part of this file.
  private func compare(_ name: String, after line: String, from heading: String) throws {
    let page = try ProjectFiles.lines("Sources/Daybook/Daybook.docc/Totals.md")
    let source = try ProjectFiles.lines("Tests/DaybookTests/Fetches/TotalsPageTests.swift")
    #expect(
      try DocumentationPage.block("```swift", in: page, following: line, from: heading)
        == DocumentationPage.part(name, of: source))
  }

  @Test func `the examples of totals print the totals that the page says`() async throws {
    try compare("records", after: "The examples use these records:", from: "# Totals")
    try compare("aggregates", after: "## Once", from: "## Once")
    try compare("list", after: "## In a live list", from: "## In a live list")
    try compare(
      "delegate", after: "A difference contains the totals that changed:",
      from: "## In a live list")

    let store = try await store()
    var printed: [String] = []
    func print(_ parts: Any...) {
      printed.append(parts.map { "\($0)" }.joined(separator: " "))
    }
    // The aggregates begin.
    let request = ListRequest<Sale>(filter: \Sale.product != "gift", sortedBy: [.ascending(\.id)])
    let totals = try store.snapshot.aggregate(request, .count, .sum(\.amount), .max(\.amount))
    print(totals[.count], totals[.sum(\.amount)], totals["max:amount"] ?? .null)

    let products = try store.snapshot.aggregate(
      request, by: \.product, .count, .average(\.amount), having: Measure<Sale>.count > 1)
    for product in products { print(product.name, product.totals[.average(\.amount)]) }

    let regions = try store.snapshot.aggregate(
      request, by: .attribute(\.seller, at: \.region), .distinct(\.product),
      having: Filter("@sum.amount >= 20 AND key != nil"))
    // The aggregates end.
    #expect(printed == ["4 126 99", "lamp 13"])
    #expect(products.map(\.description) == ["lamp: count 2, avg:amount 13"])
    #expect(regions.map(\.key) == [.string("north")])
    #expect(regions.map { $0.totals[.distinct(\.product)] } == [.integer(2)])

    let context = store.makeContext()
    printed = []
    // The list begin.
    let list = ListRequest<Sale>(
      sortedBy: [.ascending(\.product)], sectionedBy: .by(\.seller, at: \.region), limit: 3,
      totals: [.count, .sum(\.amount)])
    let controller = FetchedResultsController(fetchRequest: list, context: context)
    try controller.performFetch()
    for section in try context.sections(list) { print(section.name, section.totals) }
    print(controller.totals?[.sum(\.amount)] ?? .null)  // of the rows that the list shows
    print(controller.allTotals?[.sum(\.amount)] ?? .null)  // of all rows that match
    // The list end.
    #expect(
      printed == [" count 1, sum:amount nil", "north count 2, sum:amount 111.5", "111.5", "126"])

    let screen = Screen()
    controller.delegate = screen
    try controller.performFetch()
    // A row outside of the limit changes totals alone.
    try context.update(Sale.self, id: 5) { $0.amount = 3 }
    context.processPendingChanges()
    #expect(screen.printed == ["all: sum:amount 126 -> 128"])
    screen.printed = []
    try context.update(Seller.self, id: "Ada") { $0.region = "south" }
    context.processPendingChanges()
    #expect(screen.printed.contains("south: count 2"))
  }
}
