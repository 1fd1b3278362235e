import Daybook
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

// The records begin.
private struct Order: Record, Codable {
  var id = 0
  var customer = ""
  var isShipped = false

  static let schema = RecordSchema<Order>("Order")
    .attribute("customer", at: \.customer).attribute("isShipped", at: \.isShipped)
}

private let openOrders = ListRequest<Order>(
  filter: \Order.isShipped == false, sortedBy: [.ascending(\.customer)])
// The records end.

// The change begins.
private struct OrderChange: Codable {
  struct Row: Codable {
    var index: Int
    var order: Order
  }

  var removed: [Int]  // indexes in the list before, the last one first
  var inserted: [Row]  // indexes in the list after, the first one first
  var updated: [Row]

  init(_ difference: ListDifference<Order>) {
    func row(_ index: Int) -> Row { Row(index: index, order: difference.after[index]) }
    let moved = difference.moved
    removed = (difference.deleted.map(\.indexPath.row) + moved.map(\.indexPath.row)).sorted(by: >)
    inserted = (difference.inserted.map(\.indexPath.row) + moved.map(\.newIndexPath.row)).sorted()
      .map(row)
    updated = difference.updated.map { row($0.newIndexPath.row) }
  }
}
// The change ends.

// The loop begins.
private func sendEvents(
  of request: ListRequest<Order>, in store: Store, after lastEvent: UInt64?,
  send: (String) async throws -> Void
) async throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = .sortedKeys
  let last = lastEvent.map { SequenceNumber($0) }
  let results =
    if let last, last <= store.snapshot.sequence {
      try store.results(request, since: last)
    } else {
      try store.results(request)
    }
  for await update in results {
    let (name, data) =
      switch update {
      case .initial(let orders), .reset(let orders): ("list", try encoder.encode(Array(orders)))
      case .difference(let change): ("change", try encoder.encode(OrderChange(change)))
      }
    let json = String(decoding: data, as: UTF8.self)
    try await send("id: \(update.sequence)\nevent: \(name)\ndata: \(json)\n\n")
  }
}
// The loop ends.

extension Hummingbird {
  fileprivate static func addRoute(to router: Router, for store: Store) {
    // The Hummingbird route begins.
    router.get("orders/events") { request, _ -> Response in
      let lastEvent = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }
        .flatMap { UInt64($0) }
      return Response(
        status: .ok, headers: [.contentType: "text/event-stream"],
        body: ResponseBody { writer in
          try await request.body.consumeWithCancellationOnInboundClose { _ in
            try await sendEvents(of: openOrders, in: store, after: lastEvent) { event in
              try await writer.write(ByteBuffer(string: event))
            }
          }
          try await writer.finish(nil)
        })
    }
    // The Hummingbird route ends.
  }
}

extension Vapor {
  fileprivate static func addRoute(to app: Application, for store: Store) {
    // The Vapor route begins.
    app.get("orders", "events") { request -> Response in
      let lastEvent = request.headers.first(name: "Last-Event-ID").flatMap { UInt64($0) }
      return Response(
        headers: ["Content-Type": "text/event-stream"],
        body: .init(managedAsyncStream: { writer in
          try await sendEvents(of: openOrders, in: store, after: lastEvent) { event in
            try await writer.writeBuffer(ByteBuffer(string: event))
          }
        }))
    }
    // The Vapor route ends.
  }
}

// The pages begin.
private struct OrderPage: Codable {
  var orders: [Order]
  var next: String?
}

private func orders(after link: String?, in store: Store) throws -> OrderPage {
  let position = try link.map { link in
    try JSONDecoder().decode(ListPosition.self, from: Data(base64Encoded: link) ?? Data())
  }
  let page = try store.fetch(
    ListRequest<Order>(
      filter: \Order.isShipped == false, sortedBy: [.ascending(\.customer)], limit: 2
    ).after(position))
  let next = try page.endPosition.map { try JSONEncoder().encode($0).base64EncodedString() }
  return OrderPage(orders: Array(page), next: next)
}
// The pages end.

/// A browser: its list, and the number of the last event.
private actor Browser {
  struct Disconnected: Error {}

  private(set) var orders: [Order] = []
  private(set) var lastEvent: UInt64?
  private(set) var events: [String] = []
  private var isConnected = true

  /// Receives one event, as the script of the page does.
  func receive(_ event: String) throws {
    guard isConnected else { throw Disconnected() }
    events.append(event)
    var fields: [Substring: Substring] = [:]
    for line in event.split(separator: "\n") {
      let parts = line.split(separator: ": ", maxSplits: 1)
      fields[parts[0]] = parts[1]
    }
    let data = Data((fields["data"] ?? "").utf8)
    lastEvent = fields["id"].flatMap { UInt64($0) }
    if fields["event"] == "list" {
      orders = try JSONDecoder().decode([Order].self, from: data)
      return
    }
    let change = try JSONDecoder().decode(OrderChange.self, from: data)
    for index in change.removed { orders.remove(at: index) }
    for row in change.inserted { orders.insert(row.order, at: row.index) }
    for row in change.updated { orders[row.index] = row.order }
  }

  func disconnect() { isConnected = false }
  func connect() { isConnected = true }
}

private struct BrowserWriter: Hummingbird.ResponseBodyWriter, Vapor.AsyncBodyStreamWriter {
  let browser: Browser
  func write(_ buffer: ByteBuffer) async throws { try await browser.receive(buffer.string) }
  func writeBuffer(_ buffer: ByteBuffer) async throws { try await write(buffer) }
  func finish(_ trailingHeaders: Hummingbird.HTTPFields?) async throws {}
}

// The answer begins.
private func placeOrder(
  of customer: String, requestKey: String, in store: Store
) async throws -> Order {
  let metadata = TransactionMetadata(idempotencyKey: requestKey)
  let outcome = try await store.commit(metadata) { context in
    let order = Order(id: try context.count(of: Order.self) + 1, customer: customer)
    try context.insert(order)
    return order
  }
  switch outcome {
  case .saved(let order, _): return order
  case .repeated(let receipt):
    // The answer to the first request is the order that its transaction has inserted.
    let change = try store.transaction(receipt.sequence)?.changes.first
    guard let id = change.flatMap({ Order.ID($0.id) }),
      let order = try store.snapshot(at: receipt.sequence).object(Order.self, id: id)
    else { throw RepeatedRequest() }
    return order
  }
}

private struct RepeatedRequest: Error {}
// The answer ends.

@Suite("The page on serving", .timeLimit(.minutes(5))) struct ServePageThreadTests {
  private static let page = "Sources/Daybook/Daybook.docc/Serve.md"
  private static let parts = [
    "records", "change", "loop", "Hummingbird route", "Vapor route", "pages", "answer",
  ]

  @Test func `the examples on the page on serving are those that run here`() throws {
    let source = try ProjectFiles.lines("Tests/DaybookTests/Streams/ServePageThreadTests.swift")
    let blocks = try DocumentationPage.blocks("```swift", in: ProjectFiles.lines(Self.page))
    #expect(try blocks == Self.parts.map { try DocumentationPage.part($0, of: source) })
  }

  private func open() async throws -> Store {
    let store = try Store.inMemory(records: Order.self)
    try await store.write { try $0.insert(Order(id: 1, customer: "Ada")) }
    try await store.write { try $0.insert(Order(id: 2, customer: "Bo")) }
    return store
  }

  /// Connects a browser through Hummingbird. Cancel the task to disconnect it.
  private func connect(_ browser: Browser, to store: Store) async throws -> Task<Void, any Error> {
    let router = Hummingbird.Router()
    Hummingbird.addRoute(to: router, for: store)
    let handler = try #require(router.handler)
    var request = Hummingbird.Request(headers: [:])
    let last = await browser.lastEvent
    let name = try #require(Hummingbird.HTTPField.Name("Last-Event-ID"))
    request.headers[name] = last.map { "\($0)" }
    let response = try await handler(request, Hummingbird.Context())
    #expect(response.headers[.contentType] == "text/event-stream")
    return Task {
      var writer: any Hummingbird.ResponseBodyWriter = BrowserWriter(browser: browser)
      try await response.body.write(&writer)
    }
  }

  private func wait(until isTrue: () async throws -> Bool) async throws {
    while try await !isTrue() { await Task.yield() }
  }

  @Test func `a browser receives the list and then the change, as the page shows them`()
    async throws
  {
    let store = try await open()
    let browser = Browser()
    let connection = try await connect(browser, to: store)
    try await wait { await browser.lastEvent == 2 }
    try await store.write { try $0.update(Order.self, id: 1) { $0.customer = "Cy" } }
    try await wait { await browser.lastEvent == 3 }
    let lines = try DocumentationPage.block(
      "```", in: ProjectFiles.lines(Self.page), following: "## Events", from: "## Events")
    let events = await browser.events
    #expect(events.joined() == lines.joined(separator: "\n") + "\n\n")
    connection.cancel()
    await #expect(throws: CancellationError.self) { try await connection.value }
  }

  @Test func `a browser that disconnects at any time has the list of the server in the end`()
    async throws
  {
    for seed in UInt64(0)..<20 {
      var random = SplitMix64(seed: seed)
      let store = try await open()
      let browser = Browser()
      var connection = try await connect(browser, to: store)
      for id in 3..<60 {
        try await change(id, in: store, &random)
        guard Int.random(in: 0..<8, using: &random) == 0 else { continue }
        connection.cancel()  // the browser disconnects
        _ = await connection.result
        for other in 0..<Int.random(in: 0..<3, using: &random) {
          try await change(id * 100 + other, in: store, &random)
        }
        connection = try await connect(browser, to: store)
      }
      // The last change is visible, so the browser receives its event.
      try await store.write { try $0.insert(Order(id: 100_000, customer: "Last")) }
      let last = store.snapshot.sequence.rawValue
      try await wait { await browser.lastEvent == last }
      let (shown, expected) = (await browser.orders, try store.fetch(openOrders))
      #expect(shown.map(\.id) == expected.identifiers, "seed \(seed)")
      #expect(shown.map(\.customer) == expected.map(\.customer), "seed \(seed)")
      // Only the first event was a list: all others were differences.
      let events = await browser.events
      #expect(events.filter { $0.contains("event: list") }.count <= 1, "seed \(seed)")
      connection.cancel()
      _ = await connection.result
    }
  }

  /// Changes the list: an insertion, a move, a deletion or a change of another order.
  private func change(
    _ id: Int, in store: Store, _ random: inout SplitMix64
  ) async throws {
    let name = ["Ada", "Bo", "Cy", "Dee", "Eve"].randomElement(using: &random) ?? ""
    let ids = try store.fetch(Order.self).map(\.id)
    let other = ids.randomElement(using: &random) ?? 1
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where ids.count > 2: try await store.write { try $0.delete(Order.self, id: other) }
    case 1: try await store.write { try $0.update(Order.self, id: other) { $0.customer = name } }
    case 2: try await store.write { try $0.update(Order.self, id: other) { $0.isShipped.toggle() } }
    default: try await store.write { try $0.insert(Order(id: id, customer: name)) }
    }
  }

  @Test func `a browser that missed nothing receives nothing`() async throws {
    let store = try await open()
    let browser = Browser()
    let first = try await connect(browser, to: store)
    try await wait { await browser.lastEvent == 2 }
    first.cancel()
    _ = await first.result
    try await store.write { try $0.insert(Order(id: 3, customer: "Cy", isShipped: true)) }
    let second = try await connect(browser, to: store)
    try await store.write { try $0.insert(Order(id: 4, customer: "Dee")) }
    try await wait { await browser.lastEvent == 4 }
    #expect(await browser.events.count == 2)
    #expect(await browser.orders.map(\.customer) == ["Ada", "Bo", "Dee"])
    second.cancel()
    _ = await second.result
  }

  @Test func `a browser with an unknown number or a dropped one receives the list again`()
    async throws
  {
    try await TemporaryDirectory.with { directory in
      let path = directory.path("orders.daybook")
      let written = try Store(at: path, records: Order.self)
      for id in 1...4 { try await written.write { try $0.insert(Order(id: id, customer: "Ada")) } }
      try await written.close()
      try compact(path)
      let store = try Store(at: path, records: Order.self)
      for lastEvent in [UInt64(1), 99] {
        let events = Browser()
        let task = Task {
          try await sendEvents(of: openOrders, in: store, after: lastEvent) {
            try await events.receive($0)
          }
        }
        try await wait { await events.lastEvent == 4 }
        #expect(await events.orders.map(\.id) == [1, 2, 3, 4])
        task.cancel()
        try await task.value
      }
      try await store.close()
    }
  }

  private func compact(_ path: String) throws { _ = try Store.compact(at: path, keeping: .nothing) }

  @Test func `the first write to a disconnected browser ends the loop in Vapor`() async throws {
    let store = try await open()
    let app = Vapor.Application()
    Vapor.addRoute(to: app, for: store)
    let handler = try #require(app.handler)
    let response = try await handler(Vapor.Request(headers: ["Last-Event-ID": "1"]))
    let browser = Browser()
    try await browser.receive(
      "id: 1\nevent: list\ndata: [{\"id\":1,\"customer\":\"Ada\",\"isShipped\":false}]\n\n")
    let connection = Task { try await response.body.write(BrowserWriter(browser: browser)) }
    try await wait { await browser.lastEvent == 2 }
    #expect(await browser.orders.map(\.customer) == ["Ada", "Bo"])
    await browser.disconnect()
    try await store.write { try $0.delete(Order.self, id: 1) }
    await #expect(throws: Browser.Disconnected.self) { try await connection.value }
  }

  @Test func `the pages contain each order once, and a bad link is refused`() async throws {
    let store = try await open()
    try await store.write { context in
      for id in 3...5 { try context.insert(Order(id: id, customer: "Ada")) }
    }
    var link: String?
    var pages: [[Int]] = []
    repeat {
      let page = try orders(after: link, in: store)
      pages.append(page.orders.map(\.id))
      link = page.next
    } while link != nil
    #expect(pages == [[1, 3], [4, 5], [2], []])
    #expect(throws: DecodingError.self) { try orders(after: "?", in: store) }
    let other = try store.fetch(ListRequest<Order>(sortedBy: [.descending(\.id)])).endPosition
    let foreign = try JSONEncoder().encode(other).base64EncodedString()
    #expect(throws: RequestError.self) { try orders(after: foreign, in: store) }
  }

  @Test func `a repeated request with a key gets the answer to the first one`() async throws {
    let store = try await open()
    let first = try await placeOrder(of: "Cy", requestKey: "request 7", in: store)
    #expect(first.id == 3)
    try await store.write { try $0.update(Order.self, id: 3) { $0.isShipped = true } }
    try await store.write { try $0.insert(Order(id: 4)) }
    let second = try await placeOrder(of: "Cy", requestKey: "request 7", in: store)
    #expect(second.id == 3 && second.customer == "Cy" && !second.isShipped)
    #expect(try store.snapshot.sequence == 5 && store.snapshot.count(of: Order.self) == 4)
  }
}
