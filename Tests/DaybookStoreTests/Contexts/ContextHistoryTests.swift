import DaybookCLibrary
import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import TestSupport
import Testing

/// The laws of contexts, over random histories.
@Suite struct `Histories of contexts` {
  /// The state of a context as an observer reconstructs it from transactions alone.
  private final class Mirror {
    var records: [RecordIdentifier: DynamicRecord] = [:]
    var wrong: [String] = []
    private var token: ObservationToken?

    init(_ context: EditingContext, _ entity: String) {
      token = context.observe { [unowned self] event in
        guard case .transaction(let transaction) = event else { return records = [:] }
        var seen: Set<RecordIdentifier> = []
        for change in transaction.changes where change.entity == entity {
          hear(change)
          if !seen.insert(change.id).inserted { wrong.append("\(change.id) twice") }
        }
        if transaction.changes.isEmpty { wrong.append("a boundary without changes") }
      }
    }

    /// Checks the law: old + difference = new.
    private func hear(_ change: RecordChange) {
      if records[change.id] != change.old { wrong.append("old of \(change.kind) \(change.id)") }
      switch change.kind {
      case .insert where change.old == nil && change.new != nil: break
      case .update where !change.changedAttributes.isEmpty: break
      // A record inserted here and elsewhere takes the position of the other insertion.
      case .update where change.old == change.new && change.old != nil: break
      case .delete where change.old != nil && change.new == nil: break
      default: wrong.append("\(change.kind) \(change.id)")
      }
      records[change.id] = change.new
    }
  }

  /// One of two contexts over a store, with its mirror.
  private struct Actor {
    let context: EditingContext
    let mirror: Mirror

    init(_ store: Store) {
      context = store.makeContext()
      mirror = Mirror(context, "Unique")
      context.undoLimit = 5
      context.mergePolicy = .contextWins
    }
  }

  private static let ids = (0..<6).map { number in
    UUID(uuid: (UInt8(number), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  /// Returns a random operation on a record, valid for its existence.
  private func step(
    _ id: UUID, exists: Bool, _ generator: inout SplitMix64
  ) -> (EditingContext) throws -> Void {
    let number = generator.next()
    switch number % 16 {
    case 0...4 where !exists:
      let name = "n\(generator.next() % 3)"
      return { try $0.insert(Unique(id: id, name: name, note: nil)) }
    case 0...4:
      let name = "n\(generator.next() % 3)"
      return { try $0.update(Unique.self, id: id) { $0.name = name } }
    case 5 where exists, 6 where exists:
      let note = generator.next() & 1 == 0 ? nil : "o\(generator.next() % 2)"
      return { try $0.update(Unique.self, id: id) { $0.note = note } }
    case 7 where exists, 8 where exists: return { try $0.delete(Unique.self, id: id) }
    case 9, 10: return { $0.processPendingChanges() }
    case 11: return { try $0.saveAndWait() }
    case 12: return generator.next() % 4 == 0 ? { try $0.rollback() } : { _ in }
    case 13: return { try $0.mergeChanges() }
    case 14: return { _ = try? $0.undo() }
    case 15: return { _ = try? $0.redo() }
    default: return { _ in }
    }
  }

  private func step(_ actor: Actor, _ generator: inout SplitMix64) throws {
    let id = Self.ids[Int(generator.next() % 6)]
    let exists = try actor.context.object(Unique.self, id: id) != nil
    try step(id, exists: exists, &generator)(actor.context)
  }

  private func hold(_ actor: Actor, _ what: String) throws {
    actor.context.processPendingChanges()
    #expect(actor.mirror.wrong == [], "\(what)")
    for id in Self.ids {
      let known = actor.mirror.records[.uuid(id)]
      let record = try actor.context.object(Unique.self, id: id)
      let values = record.map { [$0.name, $0.note] }
      let received = known?.values.map { value -> String? in
        if case .string(let text) = value { text } else { nil }
      }
      #expect(values == received, "\(what), \(id)")
    }
  }

  @Test func `observers receive the visible state, and a reopened store has the saved state`()
    throws
  {
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000)) {
      var generator = SplitMix64(seed: seed)
      let disk = SimulatedDisk()
      let store = try Store(at: "j", types: [Unique.self], options: .simulated(disk))
      let actors = [Actor(store), Actor(store)]
      for number in 0..<80 {
        let actor = actors[Int(generator.next() & 1)]
        try step(actor, &generator)
        if number % 4 == 3 { try hold(actor, "seed \(seed), step \(number)") }
      }
      for actor in actors {
        try hold(actor, "seed \(seed), at last")
        try actor.context.rollback()
        try actor.context.mergeChanges()
        try hold(actor, "seed \(seed), rolled back")
        let shown = actor.mirror.records.values.sorted { "\($0.id)" < "\($1.id)" }
        let stored = try store.snapshot.objects("Unique").sorted { "\($0.id)" < "\($1.id)" }
        #expect(shown == stored, "seed \(seed)")
      }
      let before = store.snapshot
      try store.closeAndWait()
      let again = try Store(at: "j", types: [Unique.self], options: .simulated(disk)).snapshot
      #expect(try again.objects("Unique") == before.objects("Unique"), "seed \(seed)")
      #expect(again.sequence == before.sequence)
    }
  }

  /// A context without observers computes its boundaries lazily, when its records are read. That is
  /// the only difference.
  @Test func `a context with observers and one without reach the same state`() throws {
    for seed in 0..<UInt64(FaultRow.count(500, full: 10_000)) {
      var generator = SplitMix64(seed: seed)
      let stores = [
        try Store.inMemory(types: [Unique.self]), try Store.inMemory(types: [Unique.self]),
      ]
      let received = Actor(stores[0])
      let unheard = stores[1].makeContext()
      unheard.undoLimit = received.context.undoLimit
      unheard.mergePolicy = received.context.mergePolicy
      let contexts = [received.context, unheard]
      func expectSame<Outcome: Equatable>(
        _ what: String, _ look: (EditingContext) throws -> Outcome
      ) throws {
        let outcomes = try contexts.map(look)
        #expect(outcomes[0] == outcomes[1], "seed \(seed), \(what)")
      }
      for number in 0..<60 {
        let what = "step \(number)"
        let id = Self.ids[Int(generator.next() % 6)]
        let step: (EditingContext) throws -> Void
        if generator.next() % 8 == 0 {
          // Another context saves a change.
          let name = "other\(generator.next() % 3)"
          step = { context in
            let other = context.store.makeContext()
            if try other.object(Unique.self, id: id) == nil {
              try other.insert(Unique(id: id, name: name, note: nil))
            } else {
              try other.update(Unique.self, id: id) { $0.name = name }
            }
            try other.saveAndWait()
          }
        } else {
          let exists = try received.context.object(Unique.self, id: id) != nil
          step = self.step(id, exists: exists, &generator)
        }
        try expectSame(what) { context in
          do { return try "\(step(context))" } catch { return "\(error)" }
        }
        if generator.next() % 3 == 0 { try expectSame(what) { $0.hasChanges } }
        if generator.next() % 8 == 0 {
          try expectSame(what) { try $0.insertedObjects(Unique.self) }
          try expectSame(what) { try $0.updatedObjects(Unique.self) }
          try expectSame(what) { try $0.objects(Unique.self) }
        }
      }
      try expectSame("saved") { try $0.saveAndWait()?.sequence }
      try expectSame("stored") { try $0.store.snapshot.objects(Unique.self) }
      try expectSame("shown") { try $0.objects(Unique.self) }
    }
  }

  @Test func `undoing all boundaries and redoing them restores each state`() throws {
    for seed in 0..<40 as Range<UInt64> {
      var generator = SplitMix64(seed: seed)
      let store = try Store.inMemory(records: Unique.self)
      let actor = Actor(store)
      actor.context.undoLimit = 100
      var states: [[RecordIdentifier: DynamicRecord]] = [[:]]
      while states.count < 12 {
        let before = actor.mirror.records
        for _ in 0..<3 {
          let id = Self.ids[Int(generator.next() % 6)]
          if try actor.context.object(Unique.self, id: id) == nil {
            try actor.context.insert(Unique(id: id, name: "n\(generator.next() % 3)", note: nil))
          } else if generator.next() % 3 == 0 {
            try actor.context.delete(Unique.self, id: id)
          } else {
            try actor.context.update(Unique.self, id: id) { $0.name = "n\(generator.next() % 3)" }
          }
        }
        actor.context.processPendingChanges()
        if actor.mirror.records != before { states.append(actor.mirror.records) }
        if generator.next() % 4 == 0 { try actor.context.saveAndWait() }
      }
      for state in states.dropLast().reversed() {
        #expect(try actor.context.undo() == [])
        #expect(actor.mirror.records == state, "seed \(seed)")
      }
      #expect(try actor.context.undo() == nil)
      for state in states.dropFirst() {
        #expect(try actor.context.redo() == [])
        #expect(actor.mirror.records == state, "seed \(seed)")
      }
      #expect(actor.mirror.wrong == [])
    }
  }
}
