import DaybookStore
import StoreTestSupport
import Testing

/// Rule R27 of coalescing, within one boundary:
///
/// - A record that is changed and deleted is only deleted.
/// - A record that is inserted and deleted is unchanged.
/// - A record that is deleted and inserted again is updated, or unchanged if all values are equal.
/// - A value overwritten by an equal value is unchanged.
///
/// The test tries every sequence of up to four changes of one record, from each state.
@Suite struct `Coalescing the changes of one record` {
  private enum Step: CaseIterable {
    case insertA, insertB, updateA, updateB, delete
  }

  private func sequences(_ length: Int) -> [[Step]] {
    length == 0
      ? [[]] : sequences(length - 1).flatMap { start in Step.allCases.map { start + [$0] } }
  }

  /// Returns the name of the record after a step, or nil if it is deleted; the outer nil means that
  /// the step is invalid.
  private func after(_ step: Step, _ name: String?) -> String?? {
    switch (step, name) {
    case (.insertA, nil): .some("a")
    case (.insertB, nil): .some("b")
    case (.updateA, _?): .some("a")
    case (.updateB, _?): .some("b")
    case (.delete, _?): .some(nil)
    default: nil
    }
  }

  private func take(_ step: Step, in context: EditingContext) throws {
    switch step {
    case .insertA: try context.insert(Numbered(id: 1, name: "a"))
    case .insertB: try context.insert(Numbered(id: 1, name: "b"))
    case .updateA: try context.update(Numbered.self, id: 1) { $0.name = "a" }
    case .updateB: try context.update(Numbered.self, id: 1) { $0.name = "b" }
    case .delete: try context.delete(Numbered.self, id: 1)
    }
  }

  @Test func `every sequence of changes coalesces as the table defines, from each state`() throws {
    var counts: [String: Int] = [:]
    for before in [nil, "a"] as [String?] {
      for length in 1...4 {
        for steps in sequences(length) {
          let store = try Store.inMemory(records: Numbered.self)
          let context = store.makeContext()
          if before != nil {
            try take(.insertA, in: context)
            try context.saveAndWait()
          }
          var received: [String] = []
          let token = context.observe { event in
            guard case .transaction(let transaction) = event else { return }
            received += transaction.changes.map { "\($0.kind)" }
          }
          var name = before
          var isPossible = true
          for step in steps where isPossible {
            if let next = after(step, name) {
              try take(step, in: context)
              name = next
            } else {
              #expect(throws: StoreError.self) { try take(step, in: context) }
              isPossible = false
            }
          }
          guard isPossible else { continue }
          withExtendedLifetime(token) { context.processPendingChanges() }
          let expected =
            switch (before, name) {
            case (nil, nil): [] as [String]
            case (nil, _?): ["insert"]
            case (_?, nil): ["delete"]
            case (let before?, let name?): before == name ? [] : ["update"]
            }
          #expect(received == expected, "\(before ?? "absent"), \(steps)")
          counts[expected.first ?? "nothing", default: 0] += 1
          // The save has the same result as the boundary.
          #expect((try context.saveAndWait() == nil) == expected.isEmpty)
          #expect(try store.snapshot.object(Numbered.self, id: 1)?.name == name)
        }
      }
    }
    #expect(counts.count == 4 && counts.values.allSatisfy { $0 > 5 }, "\(counts)")
  }

  @Test func `a string stored again in another Unicode spelling is not a change`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext()
    try context.insert(Numbered(id: 1, name: "Zo\u{EB}"))
    try context.saveAndWait()
    try context.update(Numbered.self, id: 1) { $0.name = "Zoe\u{308}" }
    #expect(try context.saveAndWait() == nil)
  }

  @Test func `a record inserted again before its deletion is saved keeps its position`() throws {
    let store = try Store.inMemory(records: Numbered.self)
    let context = store.makeContext()
    for id in 1...3 { try context.insert(Numbered(id: id, name: "n")) }
    try context.saveAndWait()
    try context.delete(Numbered.self, id: 1)
    context.processPendingChanges()
    try context.insert(Numbered(id: 1, name: "again"))
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [1, 2, 3])
    try context.delete(Numbered.self, id: 1)
    try context.saveAndWait()
    try context.insert(Numbered(id: 1, name: "new"))
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Numbered.self).map(\.id) == [2, 3, 1])
  }
}
