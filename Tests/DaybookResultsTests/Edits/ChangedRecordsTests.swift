import DaybookStore
import Testing

@testable import DaybookResults

@Suite struct `Changed records between two states` {
  private struct Item: Record, Equatable {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Item>("Item").attribute("name", at: \.name)
  }

  private func save(_ store: Store, _ change: (EditingContext) throws -> Void) throws {
    let context = store.makeContext()
    try change(context)
    try context.saveAndWait()
  }

  /// Every combination of three saves that insert, change or delete one of four records. Between
  /// all pairs of moments, slots and identifiers find the same differences.
  @Test func `a search by slot finds the same differing records as by identifier`() throws {
    let stepCount = 3
    let ids = 1...4
    var moved = 0
    for history in 0..<1 << (3 * stepCount) {
      let store = try Store.inMemory(records: Item.self)
      let context = store.makeContext()
      for id in ids.dropLast() { try context.insert(Item(id: id)) }
      try context.saveAndWait()
      var states = [store.snapshot.frozen]
      var choices = history
      for step in 1...stepCount {
        let (id, updates) = (1 + choices % 4, choices % 8 >= 4)
        choices /= 8
        if try context.object(Item.self, id: id) == nil {
          try context.insert(Item(id: id, name: "step \(step)"))
        } else if updates {
          try context.update(Item.self, id: id) { $0.name = "step \(step)" }
        } else {
          try context.delete(Item.self, id: id)
        }
        try context.saveAndWait()
        states.append(store.snapshot.frozen)
      }
      for first in states.indices {
        for last in states.indices where first != last {
          let (before, after) = (states[first], states[last])
          let bySlots = ChangedRecords(of: [0], from: before, to: after).rows(of: 0)
          let keys = ids.map { EntityKey(0, id: .int(Int64($0))) }
          let byIdentifiers = ChangedRecords(keys, from: before, to: after).rows(of: 0)
            .filter { $0.old != $0.new }
          #expect(bySlots.count == Set(bySlots).count, "\(history), \(first) to \(last)")
          #expect(Set(bySlots) == Set(byIdentifiers), "\(history), \(first) to \(last)")
          moved += bySlots.count { row in
            guard let old = row.old, let new = row.new else { return false }
            return old.slot != new.slot
          }
        }
      }
    }
    #expect(moved > 0)
  }

  @Test func `records that moved to other slots stay in the list`() throws {
    let store = try Store.inMemory(records: Item.self)
    try save(store) { context in for id in 1...3 { try context.insert(Item(id: id, name: "\(id)")) }
    }
    let before = store.snapshot.frozen
    let request = ListRequest<Item>(sortedBy: [.ascending(\Item.name)])
    let list = Projection(try request.plan(before.catalog), of: before)
    // The slot that was freed last is taken first.
    try save(store) { try $0.delete(Item.self, id: 1) }
    try save(store) { try $0.delete(Item.self, id: 2) }
    try save(store) { try $0.insert(Item(id: 1, name: "1")) }
    try save(store) { try $0.insert(Item(id: 4, name: "4")) }
    let after = store.snapshot.frozen
    #expect(
      before.reader.slot(of: IdentifierBytes(.int(1)), in: 0)
        != after.reader.slot(of: IdentifierBytes(.int(1)), in: 0))
    let difference = ListDifference<DynamicRecord>(try #require(list.fold(to: after)))
    #expect(difference.deleted.map(\.id) == [.int(2)])
    #expect(difference.inserted.map(\.id) == [.int(4)])
    #expect(difference.moved.isEmpty && difference.updated.isEmpty)
    #expect(list.snapshot.identifiers == [.int(1), .int(3), .int(4)])
  }
}
