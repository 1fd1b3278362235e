import TestSupport
import Testing

// The declarations begin.
import Daybook
import DaybookTesting

struct Chore: Record {
  var id = 0
  var title = ""
  var isDone = false

  static let schema = RecordSchema<Chore>("Chore")
    .attribute("title", at: \.title).attribute("isDone", at: \.isDone)
}

let board = ListRequest<Chore>(
  sortedBy: [.ascending(\Chore.isDone), .ascending(\Chore.title)],
  sectionedBy: .computed(id: "column", version: 1, descending: true) { (chore: Chore) in
    chore.isDone ? "done" : "open"
  })
// The declarations end.

@Suite struct `The page on tests` {
  @Test func `the example of texts compares a list and a difference`() async throws {
    // The texts begin.
    let store = try Store.simulated(records: Chore.self)
    try await store.write { context in
      try context.insert(Chore(id: 1, title: "Wash"))
      try context.insert(Chore(id: 2, title: "Cook"))
    }
    try await store.write { context in
      try context.update(Chore.self, id: 1) { $0.isDone = true }
    }

    #expect(
      try store.snapshot.fetch(board).text { $0.title } == """
        [open]
          Cook
        [done]
          Wash
        """)
    #expect(
      try store.difference(of: board, from: 1, to: 2).text == """
        willChange
        section insert 1 "done"
        move [0, 1] -> [1, 0] 1
        didChange
        """)
    // The texts end.
    #expect(
      try store.difference(of: board, from: 1, to: 2).text { $0.title } == """
        willChange
        section insert 1 "done"
        move [0, 1] -> [1, 0] Wash
        didChange
        """)
    try await store.write { try $0.delete(Chore.self, id: 1) }
    try await store.write { try $0.insert(Chore(id: 3, title: "Iron")) }
    try await store.write { try $0.update(Chore.self, id: 3) { $0.title = "Iron shirts" } }
    #expect(
      try store.difference(of: board, from: 2, to: 4).text { $0.title } == """
        willChange
        delete [1, 0] Wash
        insert [0, 1] Iron
        section delete 1 "done"
        didChange
        """)
    #expect(
      try store.difference(of: board, from: 4, to: 5).text { $0.title } == """
        willChange
        update [0, 1] -> [0, 1] Iron shirts
        didChange
        """)
  }

  @Test func `the example of delegates compares the calls`() async throws {
    // The calls begin.
    let store = try Store.simulated(records: Chore.self)
    let context = store.makeContext()
    let controller = FetchedResultsController(fetchRequest: board, context: context)
    let transcript = Transcript<Chore>()
    controller.delegate = transcript
    try controller.performFetch()

    try context.insert(Chore(id: 1, title: "Wash"))
    context.processPendingChanges()
    #expect(
      transcript.text == """
        tx 1
        willChange
        section insert 0 "open"
        insert [0, 0] 1
        didChange

        """)
    // The calls end.
  }

  @Test func `the example of laws checks a random history`() throws {
    // The laws begin.
    let store = try Store.simulated(records: Chore.self)
    let context = store.makeContext()
    var random = SplitMix64(seed: 1)
    for id in 0..<100 {
      try context.insert(Chore(id: id, title: "\(random.next() % 10)"))
      try context.update(Chore.self, where: \Chore.title == "\(random.next() % 10)") {
        $0.isDone.toggle()
      }
      try context.saveAndWait()
    }
    #expect(try checkLaws(of: board, over: store) > 90)
    // The laws end.
  }

  @Test func `the example of the clock reads an earlier moment`() throws {
    // The clock begins.
    let clock = ManualClock()
    let store = try Store.simulated(records: Chore.self, clock: clock)
    let context = store.makeContext()
    try context.insert(Chore(id: 1, title: "Wash"))
    try context.saveAndWait()
    clock.advance(by: .seconds(3600))
    try context.delete(Chore.self, id: 1)
    try context.saveAndWait()

    let before = try store.snapshot(at: ManualClock.defaultStart)
    #expect(try before.fetch(board).count == 1)
    #expect(try store.snapshot.fetch(board).isEmpty)
    // The clock ends.
  }

  @Test func `the example of faults keeps the unsaved changes`() throws {
    // The faults begin.
    let disk = SimulatedDisk()
    let store = try Store.simulated(records: Chore.self, on: disk)
    let context = store.makeContext()
    try context.insert(Chore(id: 1, title: "Wash"))
    try context.saveAndWait()

    disk.plan = .losePower(at: disk.callCount + 1)
    try context.insert(Chore(id: 2, title: "Cook"))
    #expect(throws: StoreError.self) { try context.saveAndWait() }

    // Each state in which the disk can be after a restart contains the first transaction.
    let isComplete = try disk.everyPowerLoss(limit: 1000) { disk in
      let store = try Store.simulated(records: Chore.self, on: disk)
      let titles = try store.snapshot.fetch(board).map(\.title)
      #expect(titles == ["Wash"] || titles == ["Cook", "Wash"])
    }
    #expect(isComplete)
    // The faults end.
  }

  @Test(arguments: [
    ("# Test your program", "declarations"), ("## Lists and differences as text", "texts"),
    ("## Calls to a delegate", "calls"), ("## Laws of your own lists", "laws"),
    ("## Time", "clock"), ("## Faults", "faults"),
  ]) func `the page shows the code of these tests`(heading: String, part: String) throws {
    let page = try ProjectFiles.lines(
      "Sources/DaybookTesting/DaybookTesting.docc/Test.md")
    let source = try ProjectFiles.lines("Tests/DaybookTestingTests/Lists/TestPageTests.swift")
    let block = try DocumentationPage.block(
      "```swift", in: page, following: heading, from: "# Test your program")
    #expect(try block == DocumentationPage.part(part, of: source))
  }
}
