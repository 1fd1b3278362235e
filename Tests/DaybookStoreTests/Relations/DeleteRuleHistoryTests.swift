import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite("Random histories under delete rules") struct DeleteRuleHistoryTests {
  private static let idCount = 12

  private func model(of store: Store) throws -> DeleteRuleModel {
    DeleteRuleModel(try store.snapshot.objects(RuledNode.self))
  }

  /// Makes random changes in the context and in the model, with a boundary after some of them. The
  /// model has no boundaries, so the result does not depend on them.
  private func changeBoth(
    _ context: EditingContext, _ model: inout DeleteRuleModel, using generator: inout SplitMix64
  ) throws {
    for _ in 0...generator.next() % 5 {
      let id = Int(generator.next() % UInt64(Self.idCount))
      if model.nodes[id] == nil {
        var node = RuledNode(id: id)
        for _ in 0..<3 {
          node.change(toOneOf: model.nodes.keys.sorted(), using: &generator)
        }
        try context.insert(node)
        model.nodes[id] = node
      } else if generator.next() % 3 == 0 {
        try context.delete(RuledNode.self, id: id)
        model.delete([id])
      } else {
        var node = RuledNode()
        let ids = model.nodes.keys.sorted()
        try context.update(RuledNode.self, id: id) {
          $0.change(toOneOf: ids, using: &generator)
          node = $0
        }
        model.nodes[id] = node
      }
      if generator.next() % 3 == 0 { context.processPendingChanges() }
    }
    let objects = try context.objects(RuledNode.self)
    try #require(
      objects.map { "\($0)" }.sorted() == model.nodes.values.map { "\($0)" }.sorted())
  }

  @Test func `one writer's saves follow the plain rules, and a replay gives the same records`()
    throws
  {
    var savedCount = 0
    var refusedCount = 0
    for seed in 0..<UInt64(FaultRow.count(60, full: 2000, least: 25)) {
      var generator = SplitMix64(seed: seed)
      let disk = SimulatedDisk()
      let store = try Store(at: "j", types: [RuledNode.self], options: .simulated(disk))
      let context = store.makeContext(isolation: nil)
      var saved = DeleteRuleModel()
      for _ in 0..<25 {
        var model = saved
        for _ in 0...generator.next() % 2 {
          try changeBoth(context, &model, using: &generator)
        }
        model.applyRulesToUnchanged(since: saved)
        do {
          try context.saveAndWait()
          try #require(model.isAllowed(after: saved), "seed \(seed)")
          saved = model
          savedCount += 1
        } catch let error as StoreError {
          guard case .validation = error.reason else { throw error }
          try #require(!model.isAllowed(after: saved), "\(error), seed \(seed)")
          try context.rollback()
          refusedCount += 1
        }
        let differences = try self.model(of: store).differences(from: saved)
        try #require(differences == [], "seed \(seed)")
      }
      try store.closeAndWait()
      let again = try Store(at: "j", types: [RuledNode.self], options: .simulated(disk))
      #expect(try self.model(of: again).differences(from: saved) == [], "seed \(seed)")
      #expect(Audit.differences(again.snapshot, store.snapshot) == [], "seed \(seed)")
      try again.closeAndWait()
    }
    #expect(savedCount > 100 && refusedCount > 50, "\(savedCount) saved, \(refusedCount) refused")
  }

  @Test
  func
    `a deletion that is saved after other changes follows the plain rules on the newest records`()
    throws
  {
    var includedCount = 0
    var refusedCount = 0
    for seed in 0..<UInt64(FaultRow.count(400, full: 20_000, least: 250)) {
      var generator = SplitMix64(seed: seed)
      let store = try Store.inMemory(types: [RuledNode.self])
      let context = store.makeContext(isolation: nil)
      var start = DeleteRuleModel()
      for _ in 0..<8 {
        var model = start
        try changeBoth(context, &model, using: &generator)
        do {
          try context.saveAndWait()
          start = model
        } catch { try context.rollback() }
      }
      guard let id = start.nodes.keys.sorted().first else { continue }
      let deleting = store.makeContext(isolation: nil)
      try deleting.delete(RuledNode.self, id: id)
      deleting.processPendingChanges()
      var left = start
      left.delete([id])
      let shown = DeleteRuleModel(try deleting.objects(RuledNode.self))
      try #require(shown.differences(from: left) == [], "seed \(seed)")
      let deleted = Set(start.nodes.keys).subtracting(left.nodes.keys)
      var other = start
      try changeBoth(context, &other, using: &generator)
      guard (try? context.saveAndWait()) != nil else { continue }
      let newest = try model(of: store)
      // The result is that of a deletion after the other changes.
      var expected = newest
      expected.delete([id])
      // The context has already removed the references to records that have a new owner.
      for id in deleted where expected.nodes[id] != nil {
        for node in start.nodes.values where left.nodes[node.id] != nil {
          for path in [\RuledNode.friend, \.held] where node[keyPath: path]?.id == id {
            expected.nodes[node.id]?[keyPath: path] = nil
          }
          if node.tags.contains(Reference(id)) {
            expected.nodes[node.id]?.tags.removeAll { $0.id == id }
          }
        }
      }
      do {
        try deleting.saveAndWait()
        let differences = try model(of: store).differences(from: expected)
        try #require(differences == [], "seed \(seed)")
        try #require(expected.isAllowed(after: newest), "seed \(seed)")
        let count = newest.nodes.count - expected.nodes.count
        if count > deleted.intersection(newest.nodes.keys).count { includedCount += 1 }
      } catch let error as StoreError {
        try #require(try model(of: store).differences(from: newest) == [], "seed \(seed)")
        switch error.reason {
        case .validation:
          // A context also refuses what the records that it shows do not allow.
          let isAllowed = expected.isAllowed(after: newest) && left.isAllowed(after: start)
          try #require(!isAllowed, "\(error), seed \(seed)")
        case .conflict: break
        default: throw error
        }
        refusedCount += 1
      }
    }
    #expect(includedCount > 5 && refusedCount > 20, "\(includedCount), \(refusedCount)")
  }
}
