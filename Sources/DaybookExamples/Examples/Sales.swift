import Daybook
import FoundationEssentials

// A sales report: totals of all sales, totals by group, and a live list whose sections have totals.
// The store computes every number. Sums of decimals are exact.

/// A seller, who works in a region.
struct Seller: Record {
  var id = ""
  var region = ""

  static let schema = RecordSchema<Seller>("Seller").attribute("region", at: \.region)
}

/// A sale.
struct Sale: Record {
  var id = 0
  var day = Date(timeIntervalSince1970: 0)
  var product = ""
  var amount: Decimal = 0
  var seller: Reference<Seller>?

  static let schema = RecordSchema<Sale>("Sale")
    .attribute("day", at: \.day).attribute("product", at: \.product)
    .attribute("amount", at: \.amount)
    .reference("seller", at: \.seller, required: true, inverse: "sales", whenTargetDeleted: .deny)
}

/// The list of all sales, in sections by the region of the seller.
enum SalesList {
  static let request = ListRequest<Sale>(
    sortedBy: [.descending(\Sale.amount)], sectionedBy: .by(\Sale.seller, at: \.region),
    totals: [.count, .sum(\.amount)])

  /// Returns the sections with their totals, and the totals of the list, as text.
  static func text(of sales: FetchedObjects<Sale>) -> String {
    let sections = sales.sections.map { section in
      let rows = section.objects.map { "  \($0.amount) \($0.product), \($0.seller?.id ?? "")\n" }
      return "[\(section.name): \(section.totals)]\n\(rows.joined())"
    }
    return "\(sections.joined())\(sales.totals)"
  }
}

// MARK: - The story

extension Example {
  static let sales = Example(
    "sales", summary: "a sales report: sums, averages, groups, live totals", repeatsJournal: true
  ) { stage in
    stage.heading("Sales by region")
    let store = try Store(
      at: stage.path("sales.daybook"), records: Seller.self, Sale.self, options: stage.options)
    let context = store.makeContext()
    for (name, region) in [("Ada", "North"), ("Bo", "South"), ("Cy", "South")] {
      try context.insert(Seller(id: name, region: region))
    }
    let start = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01
    for (index, (week, product, cents, seller)) in [
      (0, "lamp", 1999, "Ada"), (1, "desk", 24_950, "Bo"), (2, "lamp", 1999, "Cy"),
      (3, "chair", 8999, "Ada"), (5, "desk", 24_950, "Ada"), (6, "chair", 8550, "Cy"),
      (7, "pen", 120, "Bo"), (9, "lamp", 1790, "Bo"), (10, "pen", 120, "Ada"),
      (11, "chair", 8999, "Ada"),
    ].enumerated() {
      try context.insert(
        Sale(
          id: index + 1, day: start.addingTimeInterval(Double(week) * 7 * 86_400),
          product: product, amount: Decimal(cents) / 100, seller: Reference(seller)))
    }
    try await context.save()
    try report(store.snapshot, on: stage)

    let controller = FetchedResultsController(fetchRequest: SalesList.request, context: context)
    let printer = ListPrinter<Sale>(on: stage) { "\($0.product) of \($0.seller?.id ?? "")" }
    controller.delegate = printer
    try controller.performFetch()
    stage.say("A live list, in sections by the region of the seller:")
    if let sales = controller.fetchedObjects { stage.show(SalesList.text(of: sales)) }

    stage.act("Cy sells a desk")
    try context.insert(
      Sale(
        id: 11, day: start.addingTimeInterval(80 * 86_400), product: "desk",
        amount: Decimal(24_950) / 100, seller: Reference("Cy")))
    try await context.save()

    stage.act("correct the price of a chair: its row stays, its section has other totals")
    try context.update(Sale.self, id: 6) { $0.amount = 85 }
    try await context.save()

    stage.act("Bo moves to the north, with all sales")
    try context.update(Seller.self, id: "Bo") { $0.region = "North" }
    try await context.save()

    stage.act("delete the sales of pens")
    try context.delete(Sale.self, where: \Sale.product == "pen")
    try await context.save()
    if let sales = controller.fetchedObjects { stage.show(SalesList.text(of: sales)) }
    try await store.close()
  }

  /// Prints the totals of a snapshot, which are computed once.
  private static func report(_ sales: StoreSnapshot, on stage: Stage) throws {
    let all = ListRequest<Sale>(sortedBy: [.ascending(\.id)])
    stage.say("All sales:")
    let totals = try sales.aggregate(
      all, .count, .sum(\.amount), .average(\.amount), .max(\.amount), .distinct(\.product))
    for measure in totals.measures { stage.log("\(measure.name) \(totals[measure])") }

    stage.say("By product:")
    for group in try sales.aggregate(all, by: \.product, .count, .sum(\.amount)) {
      stage.log("\(group)")
    }

    stage.say("By region, where the average is above 80:")
    for group in try sales.aggregate(
      all, by: .attribute(\.seller, at: \.region), .sum(\.amount), .average(\.amount),
      having: Measure<Sale>.average(\.amount) > Decimal(80))
    { stage.log("\(group)") }

    stage.say("Desks and lamps by seller, for sellers with more than one of them:")
    let furniture = ListRequest<Sale>(
      filter: Filter.at(\Sale.product).isOne(of: ["desk", "lamp"]), sortedBy: [.ascending(\.id)])
    for group in try sales.aggregate(
      furniture, by: \.seller, .count, .sum(\.amount), having: Filter("@count > 1"))
    { stage.log("\(group)") }

    // A group is the value of an attribute. A section can be a part of it, such as its month.
    stage.say("By month:")
    let months = ListRequest<Sale>(
      sortedBy: [.ascending(\.day)], sectionedBy: .by(\.day, each: .month),
      totals: [.count, .sum(\.amount)])
    for month in try sales.sections(months) { stage.log("\(month.name): \(month.totals)") }
  }
}
