import Daybook
import DaybookJournal
import DaybookTesting
import FoundationEssentials
import Testing

/// A request sees what records have, where a schema has another type for a value than it had.
@Suite struct `Values that a schema converts` {
  private struct Before: Record {
    var id = 0
    var rank = 0
    var score: Int?
    var text = ""
    var name = ""
    static let schema = RecordSchema<Before>("Player")
      .attribute("rank", at: \.rank).attribute("score", at: \.score).attribute("text", at: \.text)
      .attribute("name", at: \.name)
  }

  private struct After: Record, Equatable {
    var id = 0
    var rank = ""
    var score = 3
    var length = 0
    var name = ""
    static let schema = RecordSchema<After>("Player")
      .attribute("rank", at: \.rank, converting: { (number: Int) in "\(number)" })
      .attribute("score", at: \.score)
      .attribute(
        "length", at: \.length, renamedFrom: "text",
        converting: { (text: String) in text.utf8.count }
      )
      .attribute("name", at: \.name)
  }

  private let disk = SimulatedDisk()

  private func open() throws -> Store {
    var options = JournalOptions()
    options.disk = disk
    let before = try Store(at: "players", types: [Before.self], options: options)
    let context = before.makeContext()
    for (id, rank) in [7, 30, 200, 7, 8].enumerated() {
      // The longest value is stored in its transaction, outside of its row.
      let text = String(repeating: "x", count: [0, 600, 3, 40, 700][id])
      try context.insert(
        Before(id: id, rank: rank, score: id % 2 == 0 ? id : nil, text: text, name: "n\(id)"))
    }
    try context.saveAndWait()
    try before.closeAndWait()
    return try Store(at: "players", types: [After.self], options: options)
  }

  private func hold(_ context: EditingContext) throws {
    let all = try context.objects(After.self)
    func ids(_ filter: Filter?, _ keys: [SortKey]) throws -> [Int] {
      try context.fetch(ListRequest<After>(filter: filter, sortedBy: keys)).map(\.id)
    }
    let byID = [SortKey.ascending(\After.id)]
    #expect(try ids(\After.rank == "7", byID) == all.filter { $0.rank == "7" }.map(\.id))
    #expect(try ids(\After.rank != "7", byID) == all.filter { $0.rank != "7" }.map(\.id))
    #expect(try ids(\After.length > 500, byID) == all.filter { $0.length > 500 }.map(\.id))
    #expect(try ids(\After.score == 3, byID) == all.filter { $0.score == 3 }.map(\.id))
    let evaluated = #Predicate<After> { $0.rank.count + 0 == 1 }
    #expect(try ids(Filter(evaluated), byID) == all.filter { $0.rank.count == 1 }.map(\.id))
    #expect(
      try ids(nil, [.descending(\After.rank), .ascending(\After.id)])
        == all.sorted { ($1.rank, $0.id) < ($0.rank, $1.id) }.map(\.id))
    #expect(
      try ids(nil, [.ascending(\After.score), .ascending(\After.length)])
        == all.sorted { ($0.score, $0.length) < ($1.score, $1.length) }.map(\.id))
    let values = try context.fetchValues(
      ListRequest<After>(sortedBy: byID),
      of: [.attribute(\.rank), .attribute(\.score), .attribute(\.length)])
    #expect(
      values.map { Array($0) }
        == all.map { [.string($0.rank), .int(Int64($0.score)), .int(Int64($0.length))] })
  }

  @Test func `fetched values equal those of the records for every request`() throws {
    let store = try open()
    let context = store.makeContext()
    #expect(try context.objects(After.self).map(\.rank) == ["7", "30", "200", "7", "8"])
    #expect(try context.objects(After.self).map(\.score) == [0, 3, 2, 3, 4])
    #expect(try context.objects(After.self).map(\.length) == [0, 600, 3, 40, 700])
    try hold(context)
    try store.closeAndWait()
  }

  @Test func `do not move a row when another value of it is changed`() throws {
    let store = try open()
    let context = store.makeContext()
    let controller = FetchedResultsController(
      fetchRequest: ListRequest<After>(
        sortedBy: [.ascending(\After.rank), .ascending(\After.id)],
        sectionedBy: .by(\After.rank)),
      context: context, cacheName: "players")
    let transcript = Transcript<After>()
    controller.delegate = transcript
    try controller.performFetch()
    #expect(controller.sections?.map(\.name) == ["200", "30", "7", "8"])
    try context.update(After.self, id: 3) { $0.name = "another" }
    try context.saveAndWait()
    #expect(
      transcript.text == """
        tx 2
        willChange
        update [2, 1] -> [2, 1] 3
        didChange

        """)
    try hold(context)
    let origin = try #require(controller.cacheStatistics).origin
    #expect("\(origin)" == "not cached because its schema converts values")
    try store.closeAndWait()
  }
}
