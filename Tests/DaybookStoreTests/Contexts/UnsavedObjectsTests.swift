import DaybookSimulation
import DaybookStore
import StoreTestSupport
import Testing

@Suite struct `Unsaved objects of a context` {
  private func open() throws -> (Store, EditingContext) {
    let store = try Store.inMemory(types: [Numbered.self, Unique.self])
    let context = store.makeContext()
    for id in 1...3 { try context.insert(Numbered(id: id, name: "\(id)")) }
    try context.saveAndWait()
    return (store, context)
  }

  private func state(_ context: EditingContext) throws -> [[String]] {
    [
      try context.insertedObjects(Numbered.self).map { "\($0.id)\($0.name)" },
      try context.updatedObjects(Numbered.self).map { "\($0.id)\($0.name)" },
      try context.deletedObjects(Numbered.self).map { "\($0.id)\($0.name)" },
    ]
  }

  @Test func `unsaved objects are the same before and after the boundary`() throws {
    let (_, context) = try open()
    try context.insert(Numbered(id: 4, name: "four"))
    try context.update(Numbered.self, id: 2) { $0.name = "two" }
    try context.delete(Numbered.self, id: 1)
    try context.insert(Unique(name: "x", note: nil))
    let expected = [["4four"], ["2two"], ["11"]]
    #expect(try state(context) == expected)
    context.processPendingChanges()
    #expect(try state(context) == expected)
    #expect(try context.insertedObjects(Unique.self).map(\.name) == ["x"])
    try context.saveAndWait()
    #expect(try state(context) == [[], [], []])
  }

  @Test func `unsaved objects are those that differ from the store`() throws {
    let (_, context) = try open()
    // After the boundary: inserted; changed and changed back; deleted.
    try context.insert(Numbered(id: 4, name: "four"))
    try context.update(Numbered.self, id: 2) { $0.name = "two" }
    try context.delete(Numbered.self, id: 3)
    context.processPendingChanges()
    try context.delete(Numbered.self, id: 4)
    try context.update(Numbered.self, id: 2) { $0.name = "2" }
    try context.insert(Numbered(id: 3, name: "three"))
    #expect(try state(context) == [[], ["3three"], []])
    try context.update(Numbered.self, id: 3) { $0.name = "3" }
    #expect(try state(context) == [[], [], []])
    try context.rollback()
    #expect(try state(context) == [[], [], []])
  }

  @Test func `unsaved records follow the saved ones among all records`() throws {
    let (store, context) = try open()
    try context.insert(Numbered(id: 0, name: "new"))
    try context.delete(Numbered.self, id: 2)
    #expect(try context.objects(Numbered.self).map(\.id) == [1, 3, 0])
    #expect(try context.count(of: Numbered.self) == 3)
    #expect(try context.objects("Numbered").map(\.id) == [.int(1), .int(3), .int(0)])
    #expect(try context.object("Numbered", id: .int(0))?.values == [.string("new")])
    #expect(try context.object("Numbered", id: .int(2)) == nil)
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [1, 2, 3])
  }

  @Test func `an observer that reads records sees the boundary of its notification`() throws {
    let (_, context) = try open()
    var received: [[Int]] = []
    let token = context.observe { [unowned context] _ in
      try? context.delete(Numbered.self, id: 1)
      received.append((try? context.objects(Numbered.self).map(\.id)) ?? [])
    }
    try context.delete(Numbered.self, id: 2)
    context.processPendingChanges()
    #expect(received == [[1, 3], [3]])
    withExtendedLifetime(token) {}
  }

  @Test func `an unsaved record keeps the position of its first insertion`() throws {
    let (store, context) = try open()
    context.undoLimit = 9
    for id in [9, 8, 7] {
      try context.insert(Numbered(id: id, name: "n"))
      context.processPendingChanges()
    }
    try context.delete(Numbered.self, id: 9)
    context.processPendingChanges()
    try context.insert(Numbered(id: 6, name: "n"))
    context.processPendingChanges()
    try context.insert(Numbered(id: 9, name: "again"))
    #expect(try context.objects(Numbered.self).map(\.id) == [1, 2, 3, 9, 8, 7, 6])
    try context.delete(Numbered.self, id: 8)
    context.processPendingChanges()
    try context.undo()
    let shown = try context.objects(Numbered.self).map(\.id)
    #expect(shown == [1, 2, 3, 9, 8, 7, 6])
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == shown)
  }

  @Test(arguments: [[9], [9, 8], [8, 9]], [true, false])
  func `an undo restores a record's position, read before the save or not`(
    deleted: [Int], isLookedAt: Bool
  ) throws {
    let (store, context) = try open()
    context.undoLimit = 9
    for id in [9, 8] { try context.insert(Numbered(id: id, name: "n")) }
    context.processPendingChanges()
    for id in deleted { try context.delete(Numbered.self, id: id) }
    context.processPendingChanges()
    // The first merge detects that they are no longer unsaved and removes their drafts.
    let other = store.makeContext()
    for id in [100, 101] {
      try other.insert(Numbered(id: id, name: "other"))
      try other.saveAndWait()
      try context.mergeChanges()
    }
    try context.undo()
    let expected = [1, 2, 3, 100, 101, 9, 8]
    if isLookedAt { #expect(try context.objects(Numbered.self).map(\.id) == expected) }
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == expected)
  }

  @Test(arguments: [0, 1, 2])
  func `a record that is inserted again keeps its position unless a merge intervenes`(
    mergeCount: Int
  ) throws {
    let (store, context) = try open()
    for id in [9, 8] {
      try context.insert(Numbered(id: id, name: "n"))
      context.processPendingChanges()
    }
    try context.delete(Numbered.self, id: 9)
    context.processPendingChanges()
    let other = store.makeContext()
    let others = (0..<mergeCount).map { 100 + $0 }
    for id in others {
      try other.insert(Numbered(id: id, name: "other"))
      try other.saveAndWait()
      try context.mergeChanges()
    }
    try context.insert(Numbered(id: 9, name: "again"))
    try context.saveAndWait()
    let expected = [1, 2, 3] + others + (mergeCount == 0 ? [9, 8] : [8, 9])
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == expected)
  }

  @Test func `a save does not notify an observer added after the boundary`() throws {
    let (_, context) = try open()
    try context.insert(Numbered(id: 4, name: "four"))
    context.processPendingChanges()
    var received: [StoreTransaction.Origin] = []
    let token = context.observe { event in
      if case .transaction(let transaction) = event { received.append(transaction.origin) }
    }
    try context.saveAndWait()
    #expect(received.isEmpty)
    try context.insert(Numbered(id: 5, name: "five"))
    try context.saveAndWait()
    #expect(received == [.changes])
    withExtendedLifetime(token) {}
  }

  @Test func `unsaved objects keep their order when many changes are reversed`()
    throws
  {
    let (store, context) = try open()
    for id in 4...60 { try context.insert(Numbered(id: id, name: "\(id)")) }
    try context.saveAndWait()
    func change(_ ids: [Int], _ name: (Int) -> String) throws {
      for id in ids { try context.update(Numbered.self, id: id) { $0.name = name(id) } }
      context.processPendingChanges()
    }
    func unsaved() throws -> [Int] { try context.updatedObjects(Numbered.self).map(\.id) }
    try change(Array((1...60).reversed())) { _ in "changed" }
    #expect(try unsaved() == Array((1...60).reversed()))
    // A merge detects that reverted records are not unsaved. Later changes make them unsaved again.
    try change(Array(5...58)) { "\($0)" }
    let other = store.makeContext()
    try other.insert(Numbered(id: 100, name: "other"))
    try other.saveAndWait()
    try context.mergeChanges()
    #expect(try unsaved() == [60, 59, 4, 3, 2, 1])
    try change([30, 2, 10]) { _ in "again" }
    #expect(try unsaved() == [60, 59, 4, 3, 2, 1, 30, 10])
    try change(Array(1...60)) { "\($0)" }
    try other.update(Numbered.self, id: 100) { $0.name = "more" }
    try other.saveAndWait()
    try context.mergeChanges()
    #expect(!context.hasChanges)
    try change([7]) { _ in "last" }
    #expect(try unsaved() == [7])
    #expect(try context.saveAndWait() != nil)
    #expect(try store.snapshot.object(Numbered.self, id: 7)?.name == "last")
  }

  @Test func `a context has no unsaved changes after an undo`() throws {
    let (store, context) = try open()
    context.undoLimit = 1
    try context.delete(Numbered.self, id: 2)
    context.processPendingChanges()
    #expect(context.hasChanges)
    try context.undo()
    #expect(!context.hasChanges)
    #expect(try context.saveAndWait() == nil)
    #expect(store.snapshot.sequence == 1)
    try context.redo()
    #expect(context.hasChanges)
  }
}
