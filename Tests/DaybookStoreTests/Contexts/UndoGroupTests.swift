import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// Boundaries that are undone together, and the names of undo menu items.
@Suite struct `Undo groups` {
  private struct Card: Record, Equatable {
    var id = 0
    var column = 0
    var title = 0
    static let schema = RecordSchema<Card>("Card")
      .attribute("column", at: \.column).attribute("title", at: \.title)
  }

  private struct Failure: Error {}

  private func open() throws -> (here: EditingContext, there: EditingContext) {
    let store = try Store(at: "j", types: [Card.self], options: .simulated(SimulatedDisk()))
    let context = store.makeContext()
    for id in 1...2 { try context.insert(Card(id: id)) }
    try context.saveAndWait()
    let here = store.makeContext()
    here.undoLimit = 9
    return (here, store.makeContext())
  }

  private func move(_ context: EditingContext, _ id: Int = 1, to column: Int) throws {
    try context.update(Card.self, id: id) { $0.column = column }
    context.processPendingChanges()
  }

  /// Returns the columns of the cards, in the order of their creation.
  private func columns(_ context: EditingContext) throws -> [Int] {
    try context.objects(Card.self).map(\.column)
  }

  @Test func `the boundaries of a group are undone and redone as one under its name`() throws {
    let (here, _) = try open()
    try move(here, to: 1)
    try here.undoGroup("Move Cards") {
      try move(here, to: 2)
      try move(here, 2, to: 2)
      try move(here, to: 3)
      try here.insert(Card(id: 3, column: 3))
    }
    #expect(here.undoName == "Move Cards" && here.redoName == nil)
    #expect(try here.undo() == [])
    #expect(try columns(here) == [1, 0])
    #expect(here.undoName == nil && here.canUndo && here.redoName == "Move Cards")
    #expect(try here.redo() == [])
    #expect(try columns(here) == [3, 2, 3])
    #expect(here.undoName == "Move Cards" && here.redoName == nil && !here.canRedo)
    #expect(try here.undo() == [] && here.undo() == [])
    #expect(try columns(here) == [0, 0] && !here.canUndo)
  }

  @Test func `a gesture of many boundaries, saves and merges is undone as one`() throws {
    let (here, there) = try open()
    try here.beginUndoGroup("Drag Card")
    for column in 1...3 {
      try move(here, to: column)
      try here.saveAndWait()
      try there.mergeChanges()
      try there.update(Card.self, id: 1) { $0.title = 10 * column }
      try there.saveAndWait()
      try here.mergeChanges()
    }
    #expect(try here.endUndoGroup())
    try move(here, 2, to: 7)
    #expect(here.undoName == nil)
    #expect(try here.undo() == [])
    #expect(here.undoName == "Drag Card")
    #expect(try here.undo() == [])
    // The titles, which another writer has set meanwhile, stay.
    #expect(try here.objects(Card.self) == [Card(id: 1, column: 0, title: 30), Card(id: 2)])
    #expect(try here.redo() == [])
    #expect(try columns(here) == [3, 0])
  }

  @Test func `a group in a group is a part of the outer one`() throws {
    let (here, _) = try open()
    try here.undoGroup("Outer") {
      try here.undoGroup("Inner") { try move(here, to: 1) }
      #expect(here.undoName == "Outer")
      try move(here, to: 2)
    }
    try move(here, 2, to: 5)
    #expect(try here.undo() == [] && here.undo() == [])
    #expect(try columns(here) == [0, 0] && !here.canUndo)
  }

  @Test func `pending changes have the name of the open group, or none`() throws {
    let (here, _) = try open()
    try here.undoGroup("Move") { try here.update(Card.self, id: 1) { $0.column = 1 } }
    try here.update(Card.self, id: 2) { $0.column = 1 }
    #expect(here.undoName == nil && here.canUndo)
    // The beginning of a group ends the boundary before it.
    try here.beginUndoGroup("Next")
    #expect(here.undoName == nil)
    try here.update(Card.self, id: 2) { $0.column = 2 }
    #expect(here.undoName == "Next")
    try here.endUndoGroup()
    #expect(try here.undo() == [])
    #expect(try columns(here) == [1, 1] && here.undoName == nil && here.redoName == "Next")
    try here.update(Card.self, id: 2) { $0.column = 3 }
    #expect(here.redoName == nil && !here.canRedo)
  }

  @Test func `an undo during a gesture cancels the gesture`() throws {
    let (here, _) = try open()
    try here.beginUndoGroup("Drag")
    try move(here, to: 1)
    try here.update(Card.self, id: 1) { $0.column = 2 }
    #expect(try here.undo() == [])
    #expect(try columns(here) == [0, 0] && here.redoName == "Drag")
    #expect(try !here.endUndoGroup())
    try move(here, to: 4)
    #expect(here.undoName == nil)
    #expect(try here.undo() == [] && here.undo() == nil)
  }

  @Test func `a rollback ends the open group`() throws {
    let (here, _) = try open()
    try here.beginUndoGroup("Drag")
    try move(here, to: 1)
    try here.rollback()
    #expect(try !here.endUndoGroup() && !here.canUndo)
    #expect(here.undoName == nil)
  }

  @Test func `a group whose changes cancel each other cannot be undone`() throws {
    let (here, _) = try open()
    try move(here, 2, to: 1)
    try here.beginUndoGroup("Drag")
    try move(here, to: 1)
    try here.insert(Card(id: 3))
    here.processPendingChanges()
    #expect(here.undoName == "Drag")
    try here.delete(Card.self, id: 3)
    try move(here, to: 0)
    #expect(here.undoName == nil)
    try here.endUndoGroup()
    #expect(try here.undo() == [])
    #expect(try columns(here) == [0, 0] && !here.canUndo)
  }

  @Test func `a group whose closure throws contains the changes before the error`() throws {
    let (here, _) = try open()
    #expect(throws: Failure.self) {
      try here.undoGroup("Move") {
        try move(here, to: 1)
        throw Failure()
      }
    }
    try move(here, 2, to: 1)
    #expect(try here.undo() == [] && here.undoName == "Move")
    #expect(try here.undo() == [] && columns(here) == [0, 0])
  }

  @Test func `a group counts as one boundary of the undo limit`() throws {
    let (here, _) = try open()
    here.undoLimit = 2
    try move(here, to: 1)
    for name in ["One", "Two"] {
      try here.undoGroup(name) {
        for column in 1...5 { try move(here, 2, to: 10 * column + name.count) }
        try move(here, to: 2 + name.count)
        try move(here, 2, to: name == "One" ? 1 : 2)
      }
    }
    #expect(here.undoName == "Two")
    #expect(try here.undo() == [] && here.undoName == "One")
    #expect(try here.undo() == [] && !here.canUndo)
    #expect(try columns(here) == [1, 0])
    here.undoLimit = 0
    try here.undoGroup("Three") { try move(here, to: 8) }
    #expect(here.undoName == nil && here.redoName == nil && !here.canUndo)
  }

  @Test func `a group cannot begin or end during a delivery`() throws {
    let (here, _) = try open()
    var sentences: [String] = []
    let token = here.observe { _ in
      sentences.append(sentence { try here.undoGroup("Move") {} })
      sentences.append(sentence { try here.beginUndoGroup("Move") })
      sentences.append(sentence { try here.endUndoGroup() })
    }
    try withExtendedLifetime(token) { try move(here, to: 1) }
    let expected = """
      j: a delegate cannot save, fetch or roll back while it is being notified. Do it after the \
      callback returns.
      """
    #expect(sentences == [expected, expected, expected])
  }

  @Test func `the conflicts of a group name each record once`() throws {
    let (here, there) = try open()
    try here.undoGroup("Move") {
      try move(here, to: 1)
      try here.saveAndWait()
      try there.mergeChanges()
      try there.update(Card.self, id: 1) { $0.title = 1 }
      try there.saveAndWait()
      try here.mergeChanges()
      try here.update(Card.self, id: 1) { ($0.column, $0.title) = (2, 2) }
      try move(here, 2, to: 3)
    }
    try here.saveAndWait()
    try there.mergeChanges()
    // The column is the one after the first boundary.
    try there.update(Card.self, id: 1) { ($0.column, $0.title) = (1, 9) }
    try there.saveAndWait()
    try here.mergeChanges()
    let conflicts = here.undoConflicts
    #expect(conflicts.map(\.kind) == [.changed(attributes: ["column", "title"])])
    #expect(!here.canUndo && here.undoName == "Move")
    #expect(try here.undo(conflicts: .skip) == conflicts)
    #expect(try here.objects(Card.self) == [Card(id: 1, column: 1, title: 9), Card(id: 2)])
  }

  @Test(arguments: 1...60 as ClosedRange<UInt64>)
  func `an undo of a group equals the undos of its boundaries, the last one first`(seed: UInt64)
    throws
  {
    var random = SplitMix64(seed: seed)
    let pairs = try [open(), open()]
    /// Runs a change of both stores. Only the first of the two has groups.
    func both(_ change: (_ here: EditingContext, _ there: EditingContext) throws -> Void) throws {
      for (here, there) in pairs { try change(here, there) }
    }
    func expectSame(_ what: String) throws {
      // A record that is deleted and inserted again in one group keeps its place.
      let states = try pairs.map { try $0.here.objects(Card.self).sorted { $0.id < $1.id } }
      #expect(states[0] == states[1], "\(what)")
    }
    func step(_ context: EditingContext, id: Int, value: Int, kind: Int) throws {
      switch (try context.object(Card.self, id: id) != nil, kind) {
      case (false, _): try context.insert(Card(id: id, column: value, title: value))
      case (true, 0): try context.delete(Card.self, id: id)
      case (true, 1): try context.update(Card.self, id: id) { $0.column = value }
      case (true, _): try context.update(Card.self, id: id) { $0.title = value }
      }
      context.processPendingChanges()
    }
    let grouped = pairs[0].here
    let single = pairs[1].here
    single.undoLimit = 1000
    grouped.undoLimit = 1000
    for round in 0..<12 {
      // A boundary of no change is not recorded, so the boundaries are counted.
      var count = 0
      let token = single.observe { event in
        if case .transaction(let transaction) = event, transaction.origin == .changes { count += 1 }
      }
      try grouped.beginUndoGroup("Group \(round)")
      for _ in 0..<random.below(6) {
        let (id, value, kind) = (
          1 + random.below(4), random.below(3), random.below(4)
        )
        switch random.below(8) {
        case 0:
          try both { here, there in
            do { try here.saveAndWait() } catch { return }
            try there.mergeChanges()
            try step(there, id: id, value: value, kind: kind)
            try there.saveAndWait()
            try here.mergeChanges()
          }
        case 1: try both { here, _ in _ = try? here.saveAndWait() }
        default: try both { here, _ in try step(here, id: id, value: value, kind: kind) }
        }
      }
      try grouped.endUndoGroup()
      withExtendedLifetime(token) {}
      try expectSame("seed \(seed), round \(round)")
      guard random.below(2) == 0, grouped.undoName == "Group \(round)" else { continue }
      // A part of the boundaries may be in conflict. Then the group may be, too.
      let before = try single.objects(Card.self).sorted { $0.id < $1.id }
      var undone = 0
      while undone < count, single.canUndo, try single.undo() != nil { undone += 1 }
      guard undone == count else {
        return
      }
      #expect(grouped.canUndo)
      #expect(try grouped.undo() == [])
      try expectSame("seed \(seed), round \(round), undone")
      #expect(grouped.redoName == "Group \(round)")
      for _ in 0..<undone { try single.redo() }
      #expect(try grouped.redo() == [])
      try expectSame("seed \(seed), round \(round), redone")
      #expect(try single.objects(Card.self).sorted { $0.id < $1.id } == before)
    }
  }
}
