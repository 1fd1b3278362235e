import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// The laws of reverted transactions, over random histories. The references have no delete rule,
/// because a rule changes records that the inverse of a transaction does not contain.
@Suite struct `Histories with reverted transactions` {
  private struct Node: Record, Equatable {
    var id = 0
    var one = 0
    var two = 0
    var link: Reference<Node>?
    static let schema = RecordSchema<Node>("Node")
      .attribute("one", at: \.one).attribute("two", at: \.two)
      .reference("link", at: \.link, whenTargetDeleted: .keep)

    /// The values by the names of their attributes.
    var values: [(name: String, value: Int?)] {
      [("one", one), ("two", two), ("link", link?.id)]
    }
  }

  /// A store with the state after each transaction.
  private final class History {
    let store: Store
    private(set) var states: [[Node]] = [[]]

    init() throws {
      store = try Store(at: "j", types: [Node.self], options: .simulated(SimulatedDisk()))
    }

    func save(_ context: EditingContext) throws {
      guard try context.saveAndWait() != nil else { return }
      states.append(try store.snapshot.objects(Node.self))
    }
  }

  /// The naive revert: three states, compared value by value.
  private struct Model {
    /// The records after the revert that keeps later values.
    private(set) var records: [Int: Node]
    private(set) var conflicts: [Int: ConflictingChange.Kind] = [:]

    init(from old: [Node], to new: [Node], against present: [Node]) {
      func byID(_ nodes: [Node]) -> [Int: Node] {
        Dictionary(uniqueKeysWithValues: nodes.map { ($0.id, $0) })
      }
      let (old, new, present) = (byID(old), byID(new), byID(present))
      records = present
      for id in Set(old.keys).union(new.keys) where old[id] != new[id] {
        revert(id, from: old[id], to: new[id])
      }
    }

    private mutating func revert(_ id: Int, from old: Node?, to new: Node?) {
      switch (old, new, records[id]) {
      case (let old?, nil, nil): records[id] = old
      case (let old?, nil, let present?): if present != old { conflicts[id] = .added }
      case (nil, _, nil): break
      case (_?, _?, nil): conflicts[id] = .deleted
      case (let old, let new?, let present?):
        var changed: [String] = []
        for (index, value) in present.values.enumerated() {
          let earlier = old?.values[index].value
          let isTouched = old == nil || earlier != new.values[index].value
          let isRestored = old != nil && value.value == earlier
          if isTouched, !isRestored, value.value != new.values[index].value {
            changed.append(value.name)
          }
        }
        if !changed.isEmpty { conflicts[id] = .changed(attributes: changed) }
        guard let old else {
          if changed.isEmpty { records[id] = nil }
          return
        }
        func isReverted(_ name: String, _ isTouched: Bool) -> Bool {
          isTouched && !changed.contains(name)
        }
        if isReverted("one", old.one != new.one) { records[id]?.one = old.one }
        if isReverted("two", old.two != new.two) { records[id]?.two = old.two }
        if isReverted("link", old.link != new.link) { records[id]?.link = old.link }
      case (nil, nil, _): break
      }
    }
  }

  /// Makes a random change of a context.
  private func change(_ context: EditingContext, _ random: inout SplitMix64) throws {
    let id = 1 + random.below(6)
    let target = random.below(8)
    let link = target == 0 ? nil : Reference<Node>(target)
    let value = random.below(3)
    switch (try context.object(Node.self, id: id) != nil, random.below(5)) {
    case (false, _): try context.insert(Node(id: id, one: value, two: value, link: link))
    case (true, 0): try context.delete(Node.self, id: id)
    case (true, 1): try context.update(Node.self, id: id) { $0.one = value }
    case (true, 2): try context.update(Node.self, id: id) { ($0.one, $0.two) = (value, value) }
    case (true, 3): try context.update(Node.self, id: id) { $0.link = link }
    case (true, _): try context.update(Node.self, id: id) { $0.two = value }
    }
  }

  private func makeHistory(_ random: inout SplitMix64, count: Int) throws -> History {
    let history = try History()
    let context = history.store.makeContext()
    while history.states.count <= count {
      for _ in 0...random.below(4) { try change(context, &random) }
      try history.save(context)
    }
    return history
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `a revert right after its transaction restores the state, and its revert the transaction`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let history = try makeHistory(&random, count: 3)
    for _ in 0..<12 {
      let context = history.store.makeContext()
      for _ in 0...random.below(4) { try change(context, &random) }
      try history.save(context)
      let (states, last) = (history.states, SequenceNumber(UInt64(history.states.count - 1)))
      guard last > 0 else { continue }
      // The states are arrays in the order of creation, so creation numbers are compared too.
      #expect(try context.revert(last) == [], "seed \(seed)")
      #expect(try context.objects(Node.self) == states[states.count - 2], "seed \(seed)")
      try history.save(context)
      #expect(history.states.last == states[states.count - 2], "seed \(seed)")
      guard history.states.count > states.count else { continue }
      try context.revert(last.next)
      try history.save(context)
      #expect(history.states.last == states.last, "seed \(seed)")
    }
  }

  @Test(arguments: 1...120 as ClosedRange<UInt64>)
  func `a revert of any transaction equals the naive comparison of three states`(seed: UInt64)
    throws
  {
    var random = SplitMix64(seed: seed)
    let history = try makeHistory(&random, count: 4 + random.below(8))
    for _ in 0..<12 {
      let context = history.store.makeContext()
      context.undoLimit = 3
      // Some of the later changes are unsaved, and some are pending.
      for _ in 0..<random.below(3) { try change(context, &random) }
      if random.below(2) == 0 { context.processPendingChanges() }
      for _ in 0..<random.below(2) { try change(context, &random) }
      let number = 1 + random.below(history.states.count - 1)
      let present = try context.objects(Node.self)
      let model = Model(
        from: history.states[number - 1], to: history.states[number], against: present)
      let what = "seed \(seed), transaction \(number)"
      let sequence = SequenceNumber(UInt64(number))
      do {
        try context.revert(sequence)
        #expect(model.conflicts.isEmpty, "\(what)")
      } catch {
        guard case .revertConflict(sequence, let conflicts) = error.reason else { throw error }
        #expect(byID(conflicts) == model.conflicts, "\(what)")
        #expect(!model.conflicts.isEmpty, "\(what)")
        #expect(try context.objects(Node.self) == present, "\(what)")
        let kept = try context.revert(sequence, conflicts: .keepLaterValues)
        #expect(kept == conflicts, "\(what)")
      }
      let result = try context.objects(Node.self)
      #expect(result.sorted { $0.id < $1.id } == model.records.values.sorted { $0.id < $1.id })
      if result != present {
        // The revert is one boundary.
        #expect(try context.undo() == [])
        #expect(try context.objects(Node.self) == present, "\(what)")
        #expect(try context.redo() == [])
        #expect(try context.objects(Node.self) == result, "\(what)")
      }
      try history.save(context)
      #expect(history.states.last == result || history.states.last == present, "\(what)")
    }
  }

  private func byID(_ conflicts: [ConflictingChange]) -> [Int: ConflictingChange.Kind] {
    var kinds: [Int: ConflictingChange.Kind] = [:]
    for conflict in conflicts {
      guard case .int(let id) = conflict.id else { continue }
      #expect(kinds.updateValue(conflict.kind, forKey: Int(id)) == nil)
    }
    return kinds
  }
}
