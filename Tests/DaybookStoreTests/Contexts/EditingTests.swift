import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

@Suite struct `Editing records in a context` {
  private let disk = SimulatedDisk()

  private func open() throws -> Store {
    try Store(
      at: "j", types: [Numbered.self, Unique.self, EveryType.self], options: .simulated(disk))
  }

  /// Records the events of a context, one line for each change.
  final class Received {
    var lines: [String] = []
    var token: ObservationToken?

    init(_ context: EditingContext) {
      token = context.observe { [unowned self] event in
        switch event {
        case .reset: lines.append("reset")
        case .transaction(let transaction):
          for change in transaction.changes {
            let old = change.old?.values.first.map { "\($0)" } ?? "-"
            let new = change.new?.values.first.map { "\($0)" } ?? "-"
            lines.append("\(transaction.origin) \(change.kind) \(change.id): \(old) \(new)")
          }
          lines.append("boundary")
        }
      }
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  @Test func `deleting a record by value or by identifier ignores its attribute values`() throws {
    let store = try open()
    let context = store.makeContext()
    let record = Numbered(id: 1, name: "one")
    try context.insert(record)
    try context.insert(Numbered(id: 2, name: "two"))
    try context.update(Numbered.self, id: 1) { $0.name = "another" }
    try context.delete(record)
    try context.delete(Numbered.self, id: 2)
    #expect(try context.count(of: Numbered.self) == 0)
    #expect(throws: StoreError(.notFound(entity: "Numbered", id: .int(1)), path: "j")) {
      try context.delete(record)
    }
  }

  @Test func `an update takes account of changes that its own closure makes`() throws {
    let store = try open()
    let context = store.makeContext()
    let received = Received(context)
    for id in 1...3 { try context.insert(Numbered(id: id, name: "old")) }
    context.processPendingChanges()
    _ = received.take()
    let notFound = StoreError(.notFound(entity: "Numbered", id: .int(1)), path: "j")
    for makesBoundary in [false, true] {
      #expect(throws: notFound) {
        try context.update(Numbered.self, id: 1) { record in
          record.name = "new"
          try context.delete(Numbered.self, id: 1)
          if makesBoundary { context.processPendingChanges() }
        }
      }
      context.processPendingChanges()
      #expect(try context.object(Numbered.self, id: 1) == nil)
      try context.insert(Numbered(id: 1, name: "old"))
      context.processPendingChanges()
    }
    _ = received.take()
    // The update stores the record that its closure received and changed.
    try context.update(Numbered.self, id: 2) { record in
      try context.update(Numbered.self, id: 2) { $0.name = "inner" }
      try context.insert(Numbered(id: 4, name: "other"))
      context.processPendingChanges()
      record.name = "outer"
    }
    context.processPendingChanges()
    try context.update(Numbered.self, id: 3) { _ in
      try context.update(Numbered.self, id: 3) { $0.name = "inner" }
      context.processPendingChanges()
    }
    context.processPendingChanges()
    #expect(
      received.take() == [
        "changes update 2: string(\"old\") string(\"inner\")",
        "changes insert 4: - string(\"other\")",
        "boundary", "changes update 2: string(\"inner\") string(\"outer\")", "boundary",
        "changes update 3: string(\"old\") string(\"inner\")", "boundary",
        "changes update 3: string(\"inner\") string(\"old\")", "boundary",
      ])
    try context.saveAndWait()
    #expect(try context.objects(Numbered.self).map(\.name) == ["old", "outer", "old", "other"])
  }

  @Test func `changes become visible at the boundary and are saved together`() throws {
    let store = try open()
    let context = store.makeContext()
    let received = Received(context)
    try context.insert(Numbered(id: 1, name: "one"))
    try context.insert(Numbered(id: 2, name: "two"))
    #expect(try context.object(Numbered.self, id: 1)?.name == "one")
    #expect(received.take() == [])
    context.processPendingChanges()
    #expect(
      received.take() == [
        "changes insert 1: - string(\"one\")", "changes insert 2: - string(\"two\")", "boundary",
      ])
    try context.update(Numbered.self, id: 1) { $0.name = "uno" }
    try context.delete(Numbered.self, id: 2)
    context.processPendingChanges()
    #expect(
      received.take() == [
        "changes update 1: string(\"one\") string(\"uno\")",
        "changes delete 2: string(\"two\") -", "boundary",
      ])
    #expect(context.hasChanges && store.snapshot.sequence == 0)
    let receipt = try context.saveAndWait()
    #expect(receipt?.sequence == 1)
    // A save notifies no observer.
    #expect(received.take() == [])
    #expect(!context.hasChanges)
    #expect(try context.saveAndWait() == nil)
    #expect(try store.snapshot.objects(Numbered.self) == [Numbered(id: 1, name: "uno")])
    try store.closeAndWait()
    let again = try open()
    #expect(try again.snapshot.objects(Numbered.self) == [Numbered(id: 1, name: "uno")])
  }

  @Test func `records of every attribute type and identifier type survive reopening`() throws {
    let store = try open()
    let context = store.makeContext()
    var generator = SplitMix64(seed: 11)
    let records = (0..<50).map { EveryType.random("r\($0)", using: &generator) }
    let unique = Unique(name: "u", note: nil)
    for record in records { try context.insert(record) }
    try context.insert(unique)
    try context.saveAndWait()
    for record in records.prefix(10) {
      try context.update(EveryType.self, id: record.id) {
        $0.string += "!"
        $0.optionalText = nil
      }
    }
    try context.saveAndWait()
    try store.closeAndWait()
    let again = try open().snapshot
    #expect(try again.object(Unique.self, id: unique.id) == unique)
    var expected = records
    for index in 0..<10 {
      expected[index].string += "!"
      expected[index].optionalText = nil
    }
    #expect(try again.objects(EveryType.self) == expected)
  }

  @Test func `a rollback notifies observers of the inverse changes`() throws {
    let store = try open()
    let context = store.makeContext()
    try context.insert(Numbered(id: 1, name: "one"))
    try context.insert(Numbered(id: 2, name: "two"))
    try context.saveAndWait()
    let received = Received(context)
    try context.update(Numbered.self, id: 1) { $0.name = "uno" }
    context.processPendingChanges()
    try context.delete(Numbered.self, id: 2)
    context.processPendingChanges()
    try context.insert(Numbered(id: 3, name: "three"))
    _ = received.take()
    try context.rollback()
    #expect(
      received.take() == [
        "rollback update 1: string(\"uno\") string(\"one\")",
        "rollback insert 2: - string(\"two\")", "boundary",
      ])
    #expect(!context.hasChanges)
    #expect(try context.object(Numbered.self, id: 3) == nil)
    try context.reset()
    #expect(received.take() == ["reset"])
  }

  @Test func `changes saved by another context are merged as a separate boundary`() throws {
    let store = try open()
    let context = store.makeContext()
    try context.insert(Unique(name: "a", note: "n"))
    try context.saveAndWait()
    let id = try #require(try store.snapshot.objects(Unique.self).first?.id)
    let other = store.makeContext()
    let received = Received(context)
    try other.update(Unique.self, id: id) { $0.note = "other" }
    try other.insert(Numbered(id: 7, name: "seven"))
    try other.saveAndWait()
    try context.update(Unique.self, id: id) { $0.name = "mine" }
    context.processPendingChanges()
    _ = received.take()
    try context.mergeChanges()
    #expect(
      received.take() == [
        "merge update \(id.uuidString): string(\"mine\") string(\"mine\")",
        "merge insert 7: - string(\"seven\")", "boundary",
      ])
    #expect(try context.object(Unique.self, id: id)?.note == "other")
    try context.saveAndWait()
    let saved = try #require(try store.snapshot.object(Unique.self, id: id))
    #expect(saved.name == "mine" && saved.note == "other")
  }

  @Test func `a write of the store uses its own context`() async throws {
    let store = try open()
    let name = try await store.write { context in
      try context.insert(Numbered(id: 4, name: "four"))
      return "four"
    }
    #expect(name == "four")
    #expect(try store.snapshot.object(Numbered.self, id: 4)?.name == "four")
  }
}
