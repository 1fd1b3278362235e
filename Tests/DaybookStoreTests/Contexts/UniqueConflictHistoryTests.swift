import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

@Suite("Random histories under policies for unique conflicts") struct UniqueConflictHistoryTests {
  /// A context with random changes, which are not saved yet.
  private struct Change {
    let context: EditingContext
    var base: [UniqueNode]
    var touched: [Int] = []

    init(_ store: Store, using generator: inout SplitMix64) throws {
      context = store.makeContext(isolation: nil)
      let policies: [UniqueConflictPolicy] = [.refuse, .skip, .update, .update, .replace, .replace]
      context.uniqueConflictPolicy = policies[Int(generator.next() % 6)]
      base = try store.snapshot.objects(UniqueNode.self)
      var view = Set(base.map(\.id))
      let known = view
      for _ in 0...generator.next() % 5 {
        let id = Int(generator.next() % 14)
        if !view.contains(id) {
          // A record that was deleted is not inserted again.
          if known.contains(id) { continue }
          var node = UniqueNode(id: id)
          let ids = view.union([id]).sorted()
          for _ in 0..<4 { node.change(toOneOf: ids, using: &generator) }
          try context.insert(node)
          view.insert(id)
        } else if generator.next() % 6 == 0 {
          try context.delete(UniqueNode.self, id: id)
          // A rule can have deleted further records.
          view = Set(try context.objects(UniqueNode.self).map(\.id))
        } else {
          let ids = view.sorted()
          try context.update(UniqueNode.self, id: id) { $0.change(toOneOf: ids, using: &generator) }
        }
        if !touched.contains(id) { touched.append(id) }
      }
      context.processPendingChanges()
    }
  }

  private struct Counts {
    var saved = 0
    var resolved = 0
    var refused = 0
    var conflicts = 0
  }

  /// Saves a change, and compares the outcome with the model.
  private func save(_ change: Change, of store: Store, into counts: inout Counts) throws {
    let policy = change.context.uniqueConflictPolicy
    let stored = try store.snapshot.objects(UniqueNode.self)
    let view = try change.context.objects(UniqueNode.self)
    var model = UniqueConflictModel(
      stored: stored, base: change.base, view: view, touched: change.touched)
    let unresolved = model
    model.resolve(policy)
    do {
      let sequence = store.snapshot.sequence
      let receipt = try change.context.saveAndWait()
      let expected = try #require(model.outcome, "\(policy) was not refused")
      let order = stored.map(\.id) + model.inserted
      let saved = try store.snapshot.objects(UniqueNode.self)
      try #require(saved == order.compactMap { expected[$0] }, "\(policy)")
      try #require((receipt == nil) == (store.snapshot.sequence == sequence))
      try #require((receipt == nil) == (saved == stored), "\(policy)")
      checkLaws(saved, after: unresolved, under: policy, successors: model.successors)
      // A save without changes does not merge the changes of other writers.
      if receipt == nil { try change.context.mergeChanges() }
      try #require(try change.context.objects(UniqueNode.self) == saved)
      try #require(!change.context.hasChanges)
      counts.saved += 1
      if !model.successors.isEmpty { counts.resolved += 1 }
    } catch let error as StoreError {
      try #require(try store.snapshot.objects(UniqueNode.self) == stored)
      try #require(try change.context.objects(UniqueNode.self) == view)
      switch error.reason {
      case .conflict: counts.conflicts += 1
      case .validation:
        try #require(model.outcome == nil, "\(error) under \(policy)")
        counts.refused += 1
      default: throw error
      }
    }
  }

  /// Checks the laws that hold under every policy.
  private func checkLaws(
    _ saved: [UniqueNode], after model: UniqueConflictModel, under policy: UniqueConflictPolicy,
    successors: [Int: Int]
  ) {
    for (index, node) in saved.enumerated() {
      #expect(!saved[..<index].contains { $0.isInConflict(with: node) })
    }
    let ids = Set(saved.map(\.id))
    for node in saved {
      // A stored reference to a record that did not exist stays, if the save does not set it.
      let old = model.stored[node.id]?.tags ?? []
      #expect(!node.tags.contains { successors[$0.id] != nil && !old.contains($0) })
      // Without the policy, only references to records that do not exist refer to none. The policy
      // `replace` also deletes records by the delete rules.
      for path in UniqueNode.paths where policy != .replace {
        // The save has not set references that have their stored values.
        guard let target = node[keyPath: path],
          target != model.stored[node.id]?[keyPath: path]
        else { continue }
        #expect(ids.contains(target.id) || model.nodes[target.id] == nil)
      }
    }
  }

  @Test func `saves follow the plain policies, also after saves of other contexts`() throws {
    var counts = Counts()
    for seed in 0..<UInt64(FaultRow.count(200, full: 10_000, least: 60)) {
      var generator = SplitMix64(seed: seed)
      let disk = SimulatedDisk()
      let store = try Store(at: "j", types: [UniqueNode.self], options: .simulated(disk))
      for step in 0..<20 {
        do {
          let change = try Change(store, using: &generator)
          if generator.next() % 2 == 0 {
            try save(Change(store, using: &generator), of: store, into: &counts)
          }
          try save(change, of: store, into: &counts)
        } catch {
          Issue.record("\(error), seed \(seed), step \(step)")
          return
        }
      }
      let saved = store.snapshot
      try store.closeAndWait()
      let again = try Store(at: "j", types: [UniqueNode.self], options: .simulated(disk))
      #expect(Audit.differences(again.snapshot, saved) == [], "seed \(seed)")
      try again.closeAndWait()
    }
    #expect(
      counts.saved > 300 && counts.resolved > 100 && counts.refused > 100 && counts.conflicts > 20,
      "\(counts)")
  }
}
