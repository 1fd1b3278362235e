import DaybookTesting
import TestSupport
import Testing

@testable import DaybookStore

@Suite struct `The overlay of a context` {
  /// Returns what is wrong with the parts of an overlay; nil if its invariant holds.
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

  /// The numbers of the records in a part, in its order.
  private func numbers(_ overlay: Overlay, in part: Range<Int>) -> [Int64] {
    overlay.keys(of: part).compactMap { key in
      if case .int(let number) = key.id { return number }
      return nil
    }
  }

  @Test func `each part has one draft for each record, whatever a context does`() throws {
    for seed in 0..<UInt64(40) {
      var generator = SplitMix64(seed: seed)
      let store = try Store.inMemory(records: Numbered.self)
      let context = store.makeContext(isolation: nil)
      context.undoLimit = 3
      for step in 0..<120 {
        let id = Int(generator.next() % 12)
        let name = "n\(generator.next() % 3)"
        switch generator.next() % 12 {
        case 0...5:
          if try context.object(Numbered.self, id: id) == nil {
            try context.insert(Numbered(id: id, name: name), isolation: nil)
          } else {
            try context.update(Numbered.self, id: id, isolation: nil) { $0.name = name }
          }
        case 6: _ = try? context.delete(Numbered.self, id: id, isolation: nil)
        case 7, 8: context.processPendingChanges()
        case 9: _ = try? context.undo()
        case 10: try context.mergeChanges()
        default: if generator.next() % 4 == 0 { try context.saveAndWait() }
        }
        #expect(problem(of: context.overlay) == nil, "seed \(seed), step \(step)")
      }
    }
  }

  @Test func `records are unsaved in the order in which they were first changed`() throws {
    let context = try Store.inMemory(records: Numbered.self).makeContext(isolation: nil)
    for id in 1...3 { try context.insert(Numbered(id: id, name: "n"), isolation: nil) }
    try context.saveAndWait()
    try context.update(Numbered.self, id: 3, isolation: nil) { $0.name = "a" }
    try context.update(Numbered.self, id: 1, isolation: nil) { $0.name = "a" }
    context.processPendingChanges()
    // The second changes nothing, and the third is unsaved already.
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

  @Test func `a record that is changed at every boundary has one draft`() throws {
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
