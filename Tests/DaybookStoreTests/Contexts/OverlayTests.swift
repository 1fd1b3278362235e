import DaybookSimulation
import StoreTestSupport
import Testing

@testable import DaybookStore

@Suite struct `The overlay of a context` {
  /// Returns a description of a violated invariant, or nil if all hold.
  private func problem(of overlay: Overlay) -> String? {
    let parts = [overlay.taken, overlay.unsaved, overlay.pending]
    guard parts.map(\.count).reduce(0, +) == overlay.drafts.count else { return "\(parts)" }
    for part in parts {
      for index in part {
        let key = overlay.drafts[index].key
        let found = overlay.index(of: key, in: part)
        if found != index { return "\(key) in \(part): \(found.map { "\($0)" } ?? "absent")" }
      }
    }
    return nil
  }

  /// Returns the numbers of the records in a part, in the part's order.
  private func numbers(_ overlay: Overlay, in part: Range<Int>) -> [Int64] {
    overlay.keys(of: part).compactMap { key in
      if case .int(let number) = key.id { return number }
      return nil
    }
  }

  @Test func `each part of the overlay has one draft for each record`() throws {
    var counts = [0, 0, 0]
    for seed in 0..<UInt64(40) {
      var generator = SplitMix64(seed: seed)
      let store = try Store.inMemory(records: Numbered.self)
      let (context, other) = (
        store.makeContext(isolation: nil), store.makeContext(isolation: nil)
      )
      context.undoLimit = 3
      context.mergePolicy = generator.next() % 2 == 0 ? .refuse : .contextWins
      other.mergePolicy = .contextWins
      for step in 0..<120 {
        switch generator.next() % 12 {
        case 0...8: try takeStep(in: context, &generator)
        case 9:
          try change(other, &generator)
          _ = try? other.saveAndWait()
        default:
          // A save during which the context and the store continue to change.
          guard let proposal = try context.takeUnsaved() else { break }
          counts[0] += 1
          for _ in 0..<generator.next() % 5 {
            if generator.next() % 4 == 0 {
              try change(other, &generator)
              _ = try? other.saveAndWait()
            } else {
              try takeStep(in: context, &generator)
            }
            #expect(problem(of: context.overlay) == nil, "seed \(seed), step \(step), in a save")
          }
          if !context.overlay.unsaved.isEmpty { counts[1] += 1 }
          do throws(StoreError) {
            if generator.next() % 3 == 0 { throw StoreError(.readOnly, path: store.path) }
            context.saved(try store.saveAndWait(proposal))
          } catch {
            counts[2] += 1
            context.restoreUnsaved(after: error)
          }
        }
        #expect(problem(of: context.overlay) == nil, "seed \(seed), step \(step)")
      }
    }
    // The runs included saves, saves with concurrent changes, and failed saves.
    #expect(counts.allSatisfy { $0 > 40 }, "\(counts)")
  }

  /// Inserts, changes or deletes a record.
  private func change(_ context: EditingContext, _ generator: inout SplitMix64) throws {
    let id = Int(generator.next() % 12)
    let name = "n\(generator.next() % 3)"
    if try context.object(Numbered.self, id: id) == nil {
      try context.insert(Numbered(id: id, name: name), isolation: nil)
    } else if generator.next() % 6 == 0 {
      try context.delete(Numbered.self, id: id, isolation: nil)
    } else {
      try context.update(Numbered.self, id: id, isolation: nil) { $0.name = name }
    }
  }

  private func takeStep(in context: EditingContext, _ generator: inout SplitMix64) throws {
    switch generator.next() % 10 {
    case 0...5: try change(context, &generator)
    case 6, 7: context.processPendingChanges()
    case 8: _ = try? context.undo()
    default:
      if generator.next() % 8 == 0 { try? context.rollback() } else { try context.mergeChanges() }
    }
  }

  @Test func `unsaved records are in the order of their first change`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext(isolation: nil)
    for id in 1...3 { try context.insert(Numbered(id: id, name: "n"), isolation: nil) }
    try context.saveAndWait()
    try context.update(Numbered.self, id: 3, isolation: nil) { $0.name = "a" }
    try context.update(Numbered.self, id: 1, isolation: nil) { $0.name = "a" }
    context.processPendingChanges()
    // The second update changes nothing, and record 3 is unsaved already.
    try context.insert(Numbered(id: 4, name: "n"), isolation: nil)
    try context.update(Numbered.self, id: 2, isolation: nil) { $0.name = "n" }
    try context.update(Numbered.self, id: 3, isolation: nil) { $0.name = "b" }
    try context.insert(Numbered(id: 5, name: "n"), isolation: nil)
    #expect(numbers(context.overlay, in: context.overlay.pending) == [4, 2, 3, 5])
    context.processPendingChanges()
    #expect(numbers(context.overlay, in: context.overlay.unsaved) == [3, 1, 4, 5])
    #expect(context.overlay.pending.isEmpty)
    try context.saveAndWait()
    #expect(context.overlay.drafts.isEmpty)
  }

  @Test func `a record that every boundary changes has one draft`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext(isolation: nil)
    for id in 1...40 { try context.insert(Numbered(id: id, name: "n"), isolation: nil) }
    for number in 0..<500 {
      try context.update(Numbered.self, id: 7, isolation: nil) { $0.name = "n\(number)" }
      context.processPendingChanges()
    }
    #expect(context.overlay.drafts.count == 40)
    #expect(problem(of: context.overlay) == nil)
    try context.saveAndWait()
    #expect(try context.object(Numbered.self, id: 7)?.name == "n499")
  }
}
