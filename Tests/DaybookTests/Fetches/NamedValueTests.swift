import Daybook
import DaybookTesting
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Records of a difference and sections of a fetch` {
  @Test func `a difference has the record of each deleted and inserted row`() throws {
    for seed in 0..<UInt64(FaultRow.count(60, full: 1000)) {
      var changes = GameChanges(seed: seed)
      let store = try Store.inMemory(types: [Game.self, Club.self])
      let context = store.makeContext()
      let request = changes.request()
      for _ in 0..<4 {
        for _ in 0...changes.below(5) { try changes.change(context) }
        try context.saveAndWait()
      }
      let last = store.snapshot.sequence
      for start in 0...last {
        let difference = try store.difference(of: request, from: start, to: last)
        for form in [difference, difference.batchSafe, difference.inverse] {
          let before = Dictionary(uniqueKeysWithValues: form.before.map { ($0.id, $0) })
          let after = Dictionary(uniqueKeysWithValues: form.after.map { ($0.id, $0) })
          for row in form.deleted { #expect(form.object(of: row) == before[row.id], "\(seed)") }
          for row in form.inserted { #expect(form.object(of: row) == after[row.id], "\(seed)") }
        }
      }
    }
  }

  @Test func `a row that is deleted and inserted has its values before and after`() throws {
    let store = try Store.inMemory(records: Game.self, Club.self)
    let context = store.makeContext()
    try context.insert(Game(id: 1, name: "Go", level: "easy"))
    try context.saveAndWait()
    try context.update(Game.self, id: 1) { $0.level = "hard" }
    try context.saveAndWait()
    let request = ListRequest<Game>(
      sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.level))
    let difference = try store.difference(of: request, from: 1, to: 2).batchSafe
    let (left, entered) = (
      try #require(difference.deleted.first), try #require(difference.inserted.first)
    )
    #expect(left == entered)
    #expect(difference.object(of: left).level == "easy")
    #expect(difference.object(of: entered).level == "hard")
  }

  @Test func `the sections of a snapshot and of a context are those of a controller`() throws {
    let store = try Store.inMemory(types: [Game.self, Club.self])
    let context = store.makeContext()
    var changes = GameChanges(seed: 3)
    let requests = [
      ListRequest<Game>(sortedBy: [.ascending(\Game.name)], sectionedBy: .by(\Game.level)),
      ListRequest<Game>(sortedBy: [.ascending(\Game.name)]),
    ]
    for _ in 0..<20 {
      for _ in 0..<3 { try changes.change(context) }
      for request in requests {
        let controller = FetchedResultsController(fetchRequest: request, context: context)
        try controller.performFetch()
        let shown = controller.sections?.map { "\($0.name): \($0.objects.map(\.text))" }
        let pending = try context.sections(request).map { "\($0.name): \($0.objects.map(\.text))" }
        #expect(pending == shown)
        try context.saveAndWait()
        let saved = try store.snapshot.sections(request)
        #expect(saved.map { "\($0.name): \($0.objects.map(\.text))" } == shown)
      }
    }
  }

  @Test func `a difference between two dates is that between their transactions`() throws {
    let start = Date(timeIntervalSince1970: 1_750_000_000)
    let clock = TestClock(now: JournalTime(clamping: start))
    let store = try Store.inMemory(
      types: [Game.self, Club.self], journal: MemoryJournal(clock: clock))
    let context = store.makeContext()
    for id in 1...3 {
      try context.insert(Game(id: id, name: "game \(id)"))
      try context.saveAndWait()
      clock.set(now: clock.now + .seconds(60))
    }
    let request = ListRequest<Game>(sortedBy: [.ascending(\Game.name)])
    let difference = try store.difference(
      of: request, from: start, to: start.addingTimeInterval(90))
    #expect(difference.inserted.map(\.id) == [2])
    #expect(difference.before.identifiers == [1])
  }
}
