import DaybookJournal
import DaybookSimulation
import DaybookStore
import FoundationEssentials
import StoreTestSupport
import Testing

@Suite struct `Merging changes of two contexts` {
  private static let id = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  /// Opens a store with a record of the name n and the note o and a later record, and two contexts.
  private func open(
    exists: Bool = true
  ) throws -> (store: Store, here: EditingContext, there: EditingContext) {
    let store = try Store(at: "j", types: [Unique.self], options: .simulated(SimulatedDisk()))
    let context = store.makeContext()
    if exists { try context.insert(Unique(id: Self.id, name: "n", note: "o")) }
    try context.insert(Unique(name: "later", note: nil))
    try context.saveAndWait()
    return (store, store.makeContext(), store.makeContext())
  }

  private enum Step: String {
    case insert, update, delete
    case otherUpdate = "other update"
    case sameUpdate = "same update"
  }

  private func take(_ step: Step, in context: EditingContext, _ text: String) throws {
    switch step {
    case .insert: try context.insert(Unique(id: Self.id, name: text, note: text))
    case .update, .sameUpdate: try context.update(Unique.self, id: Self.id) { $0.name = text }
    case .otherUpdate: try context.update(Unique.self, id: Self.id) { $0.note = text }
    case .delete: try context.delete(Unique.self, id: Self.id)
    }
  }

  /// Returns the record in the store after each of two contexts has saved a change.
  private func outcome(
    _ here: Step, _ there: Step, _ policy: MergePolicy, mergesBefore: Bool
  ) throws -> String {
    let open = try open(exists: here != .insert)
    open.here.mergePolicy = policy
    try take(here, in: open.here, "here")
    try take(there, in: open.there, "there")
    try open.there.saveAndWait()
    if mergesBefore { try open.here.mergeChanges() }
    do { try open.here.saveAndWait() } catch {
      guard case .conflict = error.reason else { throw error }
      return "refused"
    }
    let record = try open.store.snapshot.object(Unique.self, id: Self.id)
    return record.map { "\($0.name) \($0.note ?? "-")" } ?? "absent"
  }

  /// The table in the documentation of `Proposal.Merge`, computed from the behavior of a store.
  private func table(mergesBefore: Bool) throws -> String {
    let policies: [(String, MergePolicy)] = [
      ("refuse", .refuse), ("store wins", .storeWins), ("context wins", .contextWins),
    ]
    let rows: [(Step, Step)] = [
      (.insert, .insert), (.update, .otherUpdate), (.update, .sameUpdate), (.update, .delete),
      (.delete, .update), (.delete, .delete),
    ]
    func line(_ cells: [String]) -> String {
      cells.dropLast().map { $0 + String(repeating: " ", count: 14 - $0.count) }.joined()
        + (cells.last ?? "")
    }
    let drawn = try rows.map { here, there in
      try line(
        [here.rawValue, there.rawValue]
          + policies.map { try outcome(here, there, $0.1, mergesBefore: mergesBefore) })
    }
    return ([line(["here", "there"] + policies.map(\.0))] + drawn).joined(separator: "\n")
  }

  @Test(arguments: [false, true])
  func `conflicts resolve as the table defines, with or without a merge before saving`(
    _ mergesBefore: Bool
  ) throws {
    #expect(
      try table(mergesBefore: mergesBefore) == """
        here          there         refuse        store wins    context wins
        insert        insert        refused       there there   here here
        update        other update  here there    here there    here there
        update        same update   refused       there o       here o
        update        delete        refused       absent        here o
        delete        update        refused       there o       absent
        delete        delete        absent        absent        absent
        """)
  }

  @Test func `unsaved changes of several boundaries survive a merge`() throws {
    let (store, here, there) = try open()
    for step in [Step.update, .otherUpdate] {
      try here.perform { try take(step, in: here, "here") }
    }
    try there.insert(Unique(name: "there", note: nil))
    try there.saveAndWait()
    try here.mergeChanges()
    let expected = Unique(id: Self.id, name: "here", note: "here")
    #expect(try here.object(Unique.self, id: Self.id) == expected)
    try here.saveAndWait()
    #expect(try store.snapshot.object(Unique.self, id: Self.id) == expected)
  }

  @Test func `a record kept against its deletion keeps its position`() throws {
    let (store, here, there) = try open()
    here.mergePolicy = .contextWins
    try here.update(Unique.self, id: Self.id) { $0.name = "kept" }
    try there.delete(Unique.self, id: Self.id)
    try there.saveAndWait()
    #expect(try store.snapshot.objects(Unique.self).map(\.name) == ["later"])
    try here.saveAndWait()
    #expect(try store.snapshot.objects(Unique.self).map(\.name) == ["kept", "later"])
  }

  @Test func `an undo is refused if another context changed the same attribute`()
    throws
  {
    let (_, here, there) = try open()
    here.undoLimit = 1
    try here.update(Unique.self, id: Self.id) {
      $0.name = "here"
      $0.note = "here"
    }
    try here.saveAndWait()
    try there.mergeChanges()
    try there.update(Unique.self, id: Self.id) { $0.note = "there" }
    try there.saveAndWait()
    try here.mergeChanges()
    let error = #expect(throws: StoreError.self) { try here.undo() }
    guard case .undoConflict(let changes)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(changes.map(\.kind) == [.changed(attributes: ["note"])])
    let record = try here.object(Unique.self, id: Self.id)
    #expect(record?.name == "here" && record?.note == "there")
    #expect(!here.canUndo && !here.hasChanges)
    #expect(here.undoConflicts == changes)
  }

  @Test func `an undo conflicts with another context's deletion or insertion of the record`() throws
  {
    for isAdded in [false, true] {
      let (_, here, there) = try open()
      here.undoLimit = 1
      if isAdded {
        try here.delete(Unique.self, id: Self.id)
      } else {
        try here.update(Unique.self, id: Self.id) { $0.name = "here" }
      }
      try here.saveAndWait()
      try there.mergeChanges()
      if isAdded {
        try there.insert(Unique(id: Self.id, name: "there"))
      } else {
        try there.delete(Unique.self, id: Self.id)
      }
      try there.saveAndWait()
      try here.mergeChanges()
      let error = #expect(throws: StoreError.self) { try here.undo() }
      let place = "j: Unique \(Self.id.uuidString.lowercased())"
      #expect(
        error?.description
          == (isAdded
            ? """
            \(place) was inserted both here and elsewhere. Nothing was undone. Undo again and skip \
            the conflicts, or remove this undo.
            """
            : """
            \(place) was changed in one place and deleted in the other. Nothing was undone. Undo \
            again and skip the conflicts, or remove this undo.
            """))
    }
  }
}

/// A merge reports all changes of other contexts, also those that change only the order.
@Suite struct `A merge of several transactions` {
  @Test func `a merge reports a record that was deleted and inserted again unchanged`() throws {
    let store = try Store.inMemory(types: [Numbered.self])
    let other = store.makeContext()
    for id in 1...2 { try other.insert(Numbered(id: id, name: "same")) }
    try other.saveAndWait()
    let context = store.makeContext()
    let received = `Editing records in a context`.Received(context)
    try other.delete(Numbered.self, id: 1)
    try other.saveAndWait()
    try other.insert(Numbered(id: 1, name: "same"))
    try other.saveAndWait()
    try context.mergeChanges()
    #expect(try context.objects(Numbered.self).map(\.id) == [2, 1])
    #expect(received.take() == ["merge update 1: string(\"same\") string(\"same\")", "boundary"])
  }
}
