import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

@Suite struct `Values and moments by name` {
  @Test func `the records of a change have values by name`() throws {
    let store = try Store.inMemory(records: Numbered.self)
    let context = store.makeContext()
    try context.insert(Numbered(id: 1, name: "first"))
    try context.saveAndWait()
    try context.update(Numbered.self, id: 1) { $0.name = "second" }
    try context.saveAndWait()
    let change = try #require(try store.history(of: "Numbered", id: .int(1)).last?.change)
    #expect(change.old?["name"] == .string("first"))
    #expect(change.new?["name"] == .string("second"))
    #expect(change.new?["title"] == nil)
    #expect(change.new?.definition == store.snapshot.entities[0])
  }

  @Test func `a record without its definition has no values by name`() {
    let record = DynamicRecord("Numbered", id: .int(1), values: [.string("first")])
    #expect(record["name"] == nil)
    let definition = EntityDefinition(
      "Numbered", identifiedBy: .int,
      attributes: [AttributeDefinition("name", type: .scalar(.string))])
    var named = DynamicRecord(definition, id: .int(1), values: [.string("first")])
    #expect(named["name"] == .string("first"))
    #expect(named == record)
    named.values = []
    #expect(named["name"] == nil)
    named.entity = "Other"
    #expect(named.definition == nil)
  }

  @Test func `the typed history of a record has the records of its history by name`() throws {
    var random = SplitMix64(seed: 5)
    let store = try Store.inMemory(records: Numbered.self)
    let context = store.makeContext()
    for step in 0..<60 {
      context.metadata = TransactionMetadata(author: "a\(step)")
      let id = random.below(3)
      if try context.object(Numbered.self, id: id) == nil {
        try context.insert(Numbered(id: id, name: "inserted \(step)"))
      } else if random.below(3) == 0 {
        try context.delete(Numbered.self, id: id)
      } else {
        try context.update(Numbered.self, id: id) { $0.name = "updated \(step)" }
      }
      try context.saveAndWait()
    }
    for id in 0..<4 {
      let typed = try store.history(of: Numbered.self, id: id)
      let named = try store.history(of: "Numbered", id: .int(Int64(id)))
      #expect(typed.map(\.sequence) == named.map(\.sequence))
      #expect(typed.map(\.time) == named.map(\.time))
      #expect(typed.map(\.kind) == named.map(\.change.kind))
      #expect(typed.map(\.metadata.author) == named.map(\.metadata.author))
      for (version, other) in zip(typed, named) {
        #expect(version.old.map { .string($0.name) } == other.change.old?["name"])
        #expect(version.new.map { .string($0.name) } == other.change.new?["name"])
        #expect(version.old.map(\.id) ?? id == id && version.new.map(\.id) ?? id == id)
      }
      for (version, next) in zip(typed, typed.dropFirst()) { #expect(version.new == next.old) }
    }
    #expect(try store.history(of: Numbered.self, id: 3).isEmpty)
  }

  @Test func `the typed history of a type that the store does not know is refused`() throws {
    let store = try Store.inMemory(records: Numbered.self)
    let error = #expect(throws: StoreError.self) {
      try store.history(of: Unique.self, id: UUID())
    }
    #expect(error?.reason == .unknownType("Unique"))
  }

  @Test func `a date is the moment of the last transaction at or before it`() throws {
    let start = Date(timeIntervalSince1970: 1_750_000_000)
    let clock = ManualClock(now: JournalTime(clamping: start))
    let store = try Store.inMemory(
      types: [Numbered.self], journal: MemoryJournal(clock: clock))
    let context = store.makeContext()
    for id in 1...3 {
      try context.insert(Numbered(id: id))
      try context.saveAndWait()
      clock.set(now: clock.now + .seconds(60))
    }
    for seconds in stride(from: -30, through: 210, by: 30) {
      let date = start.addingTimeInterval(Double(seconds))
      let sequence = SequenceNumber(UInt64(min(max(seconds / 60 + 1, 0), 3)))
      let expected = seconds < 0 ? 0 : sequence
      #expect(try store.sequence(at: date) == expected)
      #expect(try store.snapshot(at: date).sequence == expected)
      #expect(try store.makeContext(at: date).sequence == expected)
      let travelling = try store.makeContext(at: 0)
      try travelling.travel(to: date)
      #expect(travelling.sequence == expected)
    }
    #expect(try store.sequence(at: Date.distantPast) == 0)
    #expect(try store.sequence(at: Date.distantFuture) == 3)
  }

  @Test func `a date without a journal time is clamped to the nearest one`() {
    let latest = JournalTime(nanoseconds: .max)
    #expect(JournalTime(clamping: .distantFuture) == latest)
    #expect(JournalTime(clamping: .distantPast) == .distantPast)
    #expect(JournalTime(clamping: Date(timeIntervalSinceReferenceDate: .infinity)) == latest)
    #expect(JournalTime(clamping: Date(timeIntervalSinceReferenceDate: .nan)) == .distantPast)
    let date = Date(timeIntervalSince1970: 1_750_000_000.25)
    #expect(JournalTime(clamping: date) == JournalTime(date))
  }
}
