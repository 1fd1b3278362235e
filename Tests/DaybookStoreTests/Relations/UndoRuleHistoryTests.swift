import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Undo and redo of records under delete rules.
@Suite struct `Undo under delete rules` {
  /// The records in the order of their creation.
  private func shown(_ context: EditingContext) throws -> [String] {
    try context.objects(RuledNode.self).map { "\($0)" }
  }

  /// The law: without a different writer, an undo gives the records before a boundary, and a redo
  /// those after it. Both hold for their order too.
  @Test(arguments: [false, true])
  func `an undo is exactly the state before`(saves: Bool) throws {
    var savedCount = 0
    for seed in 0..<UInt64(FaultRow.count(80, full: 4000, least: 40)) {
      var random = SplitMix64(seed: seed)
      let store = try Store.inMemory(types: [RuledNode.self])
      let context = store.makeContext()
      context.undoLimit = 100
      var states = [try shown(context)]
      for _ in 0..<10 {
        try context.undoGroup("a step") { try change(context, using: &random) }
        let state = try shown(context)
        if state != states.last { states.append(state) }
      }
      // The identifiers alone show the order. A save can refuse the records.
      if saves, (try? context.saveAndWait()) != nil { savedCount += 1 }
      for _ in 0..<3 {
        for state in states.dropLast().reversed() {
          try #require(try context.undo() == [])
          try compare(context, state, isOrdered: !saves, "seed \(seed)")
          if saves { _ = try? context.saveAndWait() }
        }
        #expect(try context.undo() == nil)
        for state in states.dropFirst() {
          try #require(try context.redo() == [])
          try compare(context, state, isOrdered: !saves, "seed \(seed)")
        }
        #expect(try context.redo() == nil)
      }
    }
    #expect(!saves || savedCount > 5)
  }

  private func compare(
    _ context: EditingContext, _ state: [String], isOrdered: Bool, _ place: String
  ) throws {
    let shown = try shown(context)
    let (found, expected) = isOrdered ? (shown, state) : (shown.sorted(), state.sorted())
    try #require(found == expected, Comment(rawValue: place))
  }

  private func change(_ context: EditingContext, using random: inout SplitMix64) throws {
    for _ in 0...random.below(3) {
      let id = random.below(12)
      let ids = try context.objects(RuledNode.self).map(\.id).sorted()
      if !ids.contains(id) {
        var node = RuledNode(id: id)
        // Some references lead to records that do not exist yet.
        for _ in 0..<3 { node.change(toOneOf: Array(0..<12), using: &random) }
        try context.insert(node)
      } else if random.below(4) == 0 {
        try context.delete(RuledNode.self, id: id)
      } else {
        try context.update(RuledNode.self, id: id) { $0.change(toOneOf: ids, using: &random) }
      }
    }
  }

  @Test func `an undo keeps what an inserted record took over, and a redo takes it again`() throws {
    let store = try Store.inMemory(types: [RuledNode.self])
    let context = store.makeContext()
    context.undoLimit = 10
    try context.insert(RuledNode(id: 1))
    try context.insert(RuledNode(id: 2, owned: Reference(1)))
    try context.saveAndWait()
    try context.undoGroup("Move") {
      try context.insert(RuledNode(id: 3, owned: Reference(1)))
      try context.update(RuledNode.self, id: 2) { $0.owned = nil }
    }
    let moved = try shown(context)
    let sequence = try #require(try context.saveAndWait()).sequence
    try context.undo()
    #expect(try context.objects(RuledNode.self).map(\.id) == [1, 2])
    #expect(try context.object(RuledNode.self, id: 2)?.owned == Reference(1))
    try context.redo()
    #expect(try shown(context) == moved)
    try context.undo()
    let undone = try shown(context)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(RuledNode.self).map { "\($0)" } == undone)
    try context.redo()
    try context.saveAndWait()
    try context.revert(sequence)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(RuledNode.self).map { "\($0)" } == undone)
  }

  @Test func `an undo removes references that a different writer has set meanwhile`() throws {
    let store = try Store.inMemory(types: [RuledNode.self])
    let context = store.makeContext()
    context.undoLimit = 10
    try context.insert(RuledNode(id: 1, friend: Reference(3)))
    try context.insert(RuledNode(id: 2))
    try context.saveAndWait()
    try context.insert(RuledNode(id: 3))
    try context.saveAndWait()
    try store.writing { try $0.update(RuledNode.self, id: 2) { $0.friend = Reference(3) } }
    try context.mergeChanges()
    try context.undo()
    // The first reference was there before the record was.
    #expect(try context.objects(RuledNode.self).map { $0.friend?.id } == [3, nil])
    try context.saveAndWait()
    #expect(try store.snapshot.objects(RuledNode.self).map { $0.friend?.id } == [3, nil])
    // A reference that is set between the undo and its save is removed too.
    try context.insert(RuledNode(id: 4))
    try context.saveAndWait()
    try context.undo()
    try store.writing { try $0.update(RuledNode.self, id: 2) { $0.friend = Reference(4) } }
    try context.saveAndWait()
    #expect(try store.snapshot.objects(RuledNode.self).map { $0.friend?.id } == [3, nil])
  }
}
