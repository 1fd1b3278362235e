import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Changes by other contexts block only the undo steps that they conflict with.
@Suite struct `An undo in conflict` {
  private struct Pair: Record, Equatable {
    var id = 0
    var one = 0
    var two = 0
    static let schema = RecordSchema<Pair>("Pair").attribute("one", at: \.one).attribute(
      "two", at: \.two)
  }

  private func open() throws -> (here: EditingContext, there: EditingContext) {
    let store = try Store(at: "j", types: [Pair.self], options: .simulated(SimulatedDisk()))
    let context = store.makeContext()
    for id in 1...2 { try context.insert(Pair(id: id)) }
    try context.saveAndWait()
    let here = store.makeContext()
    here.undoLimit = 9
    return (here, store.makeContext())
  }

  private func change(_ context: EditingContext, id: Int, to values: (Int, Int)) throws {
    try context.update(Pair.self, id: id) { ($0.one, $0.two) = values }
    context.processPendingChanges()
  }

  /// Makes two boundaries and lets another context change a part of the second one.
  private func openInConflict() throws -> (here: EditingContext, there: EditingContext) {
    let (here, there) = try open()
    try change(here, id: 2, to: (1, 1))
    try change(here, id: 1, to: (1, 1))
    try here.saveAndWait()
    try there.mergeChanges()
    try there.update(Pair.self, id: 1) { $0.two = 5 }
    try there.saveAndWait()
    try here.mergeChanges()
    return (here, there)
  }

  private func pair(_ context: EditingContext, _ id: Int) throws -> [Int]? {
    try context.object(Pair.self, id: id).map { [$0.one, $0.two] }
  }

  @Test func `the error of an undo in conflict names the attributes and the remedies`() throws {
    let (here, _) = try openInConflict()
    #expect(!here.canUndo)
    #expect(
      sentence { try here.undo() } == """
        j: two of Pair 1 was changed both here and elsewhere. Nothing was undone. Undo again and \
        skip the conflicts, or remove this undo.
        """)
    #expect(here.undoConflicts.map(\.kind) == [.changed(attributes: ["two"])])
    #expect(try pair(here, 1) == [1, 5] && pair(here, 2) == [1, 1])
  }

  @Test func `an undo can pass over conflicting attributes and undo the rest`() throws {
    let (here, there) = try openInConflict()
    let passedOver = try here.undo(conflicts: .skip)
    #expect(passedOver?.map(\.kind) == [.changed(attributes: ["two"])])
    #expect(try pair(here, 1) == [0, 5])
    // The previous boundary is next.
    #expect(here.canUndo && here.canRedo)
    #expect(try here.undo() == [])
    #expect(try pair(here, 2) == [0, 0])
    #expect(!here.canUndo)
    // A redo restores exactly what the undo changed.
    #expect(try here.redo() == [])
    #expect(try here.redo() == [])
    #expect(try pair(here, 1) == [1, 5] && pair(here, 2) == [1, 1])
    #expect(try here.undo() == [])
    try here.saveAndWait()
    try there.mergeChanges()
    #expect(try pair(there, 1) == [0, 5])
  }

  @Test func `an undo in conflict can be dropped, which exposes the boundary before it`() throws {
    let (here, _) = try openInConflict()
    #expect(try here.discardLastUndo())
    #expect(here.canUndo && !here.canRedo)
    #expect(try here.undo() == [])
    #expect(try pair(here, 1) == [1, 5] && pair(here, 2) == [0, 0])
    #expect(try !here.discardLastUndo())
  }

  @Test func `a redo in conflict is refused and can be passed over or dropped`() throws {
    for drops in [false, true] {
      let (here, there) = try open()
      try change(here, id: 1, to: (1, 1))
      #expect(try here.undo() == [])
      try there.update(Pair.self, id: 1) { $0.one = 7 }
      try there.saveAndWait()
      try here.mergeChanges()
      #expect(!here.canRedo)
      #expect(
        sentence { try here.redo() } == """
          j: one of Pair 1 was changed both here and elsewhere. Nothing was redone. Redo again and \
          skip the conflicts, or remove this redo.
          """)
      if drops {
        #expect(try here.discardLastRedo())
        #expect(try pair(here, 1) == [7, 0])
      } else {
        let passedOver = try here.redo(conflicts: .skip)
        #expect(passedOver?.map(\.kind) == [.changed(attributes: ["one"])])
        #expect(try pair(here, 1) == [7, 1] && here.canUndo)
      }
      #expect(!here.canRedo)
    }
  }

  @Test func `an undo passes over records that other contexts deleted or inserted`() throws {
    let (here, there) = try open()
    try here.update(Pair.self, id: 1) { $0.one = 1 }
    try here.delete(Pair.self, id: 2)
    try here.insert(Pair(id: 3))
    try here.insert(Pair(id: 4))
    try here.saveAndWait()
    try there.mergeChanges()
    try there.delete(Pair.self, id: 1)
    try there.insert(Pair(id: 2, one: 8, two: 8))
    try there.update(Pair.self, id: 3) { $0.one = 9 }
    try there.saveAndWait()
    try here.mergeChanges()
    let expected: [ConflictingChange.Kind] = [.changed(attributes: ["one"]), .added, .deleted]
    #expect(here.undoConflicts.map(\.kind) == expected)
    #expect(try here.undo(conflicts: .skip)?.map(\.kind) == expected)
    #expect(try here.objects(Pair.self).map(\.id).sorted() == [2, 3])
    #expect(try pair(here, 2) == [8, 8] && pair(here, 3) == [9, 0])
  }

  @Test func `an undo conflict does not prevent undoing pending changes first`() throws {
    let (here, _) = try openInConflict()
    try here.update(Pair.self, id: 2) { $0.one = 4 }
    #expect(here.canUndo && !here.canRedo && here.undoConflicts.isEmpty)
    #expect(try here.undo() == [])
    #expect(try pair(here, 2) == [1, 1])
    #expect(!here.canUndo && here.canRedo)
    // Pending changes without effect form no boundary.
    try here.update(Pair.self, id: 2) { $0.one = 1 }
    #expect(!here.canUndo)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `undo and redo succeed exactly when canUndo and canRedo are true`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let (here, there) = try open()
    func change(_ context: EditingContext) throws {
      let id = 1 + below(4)
      switch (try context.object(Pair.self, id: id) != nil, below(4)) {
      case (false, _): try context.insert(Pair(id: id, one: below(3), two: below(3)))
      case (true, 0): try context.delete(Pair.self, id: id)
      case (true, 1): try context.update(Pair.self, id: id) { $0.one = below(3) }
      case (true, _): try context.update(Pair.self, id: id) { $0.two = below(3) }
      }
    }
    /// Takes one undo or redo step and compares the result with the predictions.
    func take(isUndo: Bool) throws {
      let canTake = isUndo ? here.canUndo : here.canRedo
      let conflicts = isUndo ? here.undoConflicts : here.redoConflicts
      let before = try here.objects(Pair.self)
      do {
        let isTaken = try (isUndo ? here.undo() : here.redo()) != nil
        #expect(isTaken == canTake && conflicts.isEmpty)
      } catch {
        #expect(!canTake)
        #expect(error.reason == (isUndo ? .undoConflict(conflicts) : .redoConflict(conflicts)))
        #expect(try here.objects(Pair.self) == before)
        switch below(3) {
        case 0: _ = try isUndo ? here.discardLastUndo() : here.discardLastRedo()
        case 1:
          let passed =
            try isUndo
            ? here.undo(conflicts: .skip) : here.redo(conflicts: .skip)
          #expect(passed == conflicts)
        default: break
        }
      }
    }
    for _ in 0..<60 {
      switch below(8) {
      case 0, 1: try take(isUndo: true)
      case 2: try take(isUndo: false)
      case 3:
        try there.mergeChanges()
        try change(there)
        _ = try there.saveAndWait()
        try here.mergeChanges()
      case 4: do { try here.saveAndWait() } catch { try here.rollback() }
      case 5: try change(here)
      default:
        try change(here)
        here.processPendingChanges()
      }
    }
    here.processPendingChanges()
    var count = 0
    while try here.undo(conflicts: .skip) != nil { count += 1 }
    #expect(count <= here.undoLimit && !here.canUndo)
  }
}
