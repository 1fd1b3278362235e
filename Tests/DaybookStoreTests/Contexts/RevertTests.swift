import DaybookJournal
import DaybookSimulation
import DaybookStore
import StoreTestSupport
import TestSupport
import Testing

/// The inverse of a past transaction, against the present.
@Suite struct `A reverted transaction` {
  private struct Team: Record, Equatable {
    var id = 0
    var name = ""
    static let schema = RecordSchema<Team>("Team").attribute("name", at: \.name)
  }

  private struct Player: Record, Equatable {
    var id = 0
    var name = ""
    var score = 0
    var team: Reference<Team>?
    var former: Reference<Team>?
    var mentor: Reference<Player>?
    static let schema = RecordSchema<Player>("Player")
      .attribute("name", at: \.name).attribute("score", at: \.score)
      .owned("team", at: \.team)
      .reference("former", at: \.former, whenTargetDeleted: .keep)
      .reference("mentor", at: \.mentor, whenTargetDeleted: .nullify)
  }

  private let disk = SimulatedDisk()
  private let store: Store
  private let context: EditingContext

  init() throws {
    store = try Store(at: "j", types: [Team.self, Player.self], options: .simulated(disk))
    context = store.makeContext()
    context.undoLimit = 9
  }

  /// Saves changes of a separate context, and returns the number of their transaction.
  @discardableResult
  private func write(
    _ change: (EditingContext) throws -> Void
  ) throws -> SequenceNumber {
    let context = store.makeContext()
    try change(context)
    let receipt = try context.saveAndWait()
    return try #require(receipt).sequence
  }

  private func players() throws -> [Player] { try context.objects(Player.self) }

  @Test func `a revert gives updated attributes their earlier values and keeps later ones`() throws
  {
    try write { try $0.insert(Player(id: 1, name: "Ann", score: 1)) }
    let update = try write { try $0.update(Player.self, id: 1) { $0.score = 2 } }
    try write { try $0.update(Player.self, id: 1) { $0.name = "Anne" } }
    #expect(try context.revert(update) == [])
    #expect(try players() == [Player(id: 1, name: "Anne", score: 1)])
    #expect(context.hasChanges)
    #expect(try context.saveAndWait()?.sequence == 4)
    let last = try store.history(of: "Player", id: .int(1)).last
    #expect(last?.change.changedAttributes == ["score"])
    // The revert is a transaction that can be reverted too.
    try context.revert(4)
    #expect(try players() == [Player(id: 1, name: "Anne", score: 2)])
  }

  @Test func `a revert inserts deleted records again, in their place, and deletes inserted ones`()
    throws
  {
    try write { context in
      for id in 1...3 { try context.insert(Player(id: id, name: "p\(id)", score: id)) }
    }
    let before = try store.snapshot.objects(Player.self)
    let exchange = try write { context in
      try context.delete(Player.self, id: 2)
      try context.insert(Player(id: 4, mentor: Reference(1)))
    }
    let after = try store.snapshot.objects(Player.self)
    try context.revert(exchange)
    try context.saveAndWait()
    // Record 2 has its creation number again, so it is in the middle.
    #expect(try store.snapshot.objects(Player.self) == before)
    try context.revert(3)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Player.self) == after)
  }

  @Test func `a revert is one boundary that can be undone, and its group has a name`() throws {
    let insert = try write { try $0.insert(Player(id: 1)) }
    try context.mergeChanges()
    var counts: [Int] = []
    let token = context.observe { event in
      if case .transaction(let transaction) = event { counts.append(transaction.changes.count) }
    }
    _ = try context.undoGroup("Revert Import") { try context.revert(insert) }
    #expect(try players().isEmpty && context.undoName == "Revert Import")
    try context.undo()
    withExtendedLifetime(token) {}
    #expect(try players() == [Player(id: 1)])
    #expect(counts == [1, 1] && !context.hasChanges)
  }

  @Test func `the body of a write can revert a transaction`() async throws {
    let insert = try write { try $0.insert(Player(id: 1)) }
    try await store.write { try $0.revert(insert) }
    #expect(try store.snapshot.count(of: Player.self) == 0)
    let count = try await store.write { context in
      try context.revert(2)
      return try context.count(of: Player.self)
    }
    #expect(count == 1 && store.snapshot.sequence == 3)
  }

  @Test func `no delete rule applies to a reverted insert`() throws {
    try write { try $0.insert(Team(id: 1)) }
    let insert = try write { try $0.insert(Player(id: 1, team: Reference(1))) }
    try context.revert(insert)
    try context.saveAndWait()
    #expect(try store.snapshot.count(of: Team.self) == 1)
    #expect(try store.snapshot.count(of: Player.self) == 0)
  }

  @Test func `a revert also reverts what delete rules have done in the transaction`() throws {
    try write { context in
      try context.insert(Team(id: 1))
      try context.insert(Player(id: 1, team: Reference(1)))
      try context.insert(Player(id: 2, mentor: Reference(1)))
    }
    let before = try store.snapshot.objects(Player.self)
    let deletion = try write { try $0.delete(Player.self, id: 1) }
    #expect(try store.snapshot.count(of: Team.self) == 0)
    try context.revert(deletion)
    #expect(try players() == before)
    #expect(try context.count(of: Team.self) == 1)
  }

  // MARK: Conflicts

  /// Makes a transaction of which later ones replace a part, and returns its number.
  private func makeConflicts() throws -> SequenceNumber {
    try write { context in
      try context.insert(Team(id: 1))
      for id in 1...4 { try context.insert(Player(id: id, name: "p\(id)")) }
    }
    let changes = try write { context in
      try context.update(Player.self, id: 1) { ($0.name, $0.score) = ("q1", 1) }
      try context.update(Player.self, id: 2) { $0.score = 1 }
      try context.delete(Player.self, id: 3)
      try context.update(Player.self, id: 4) { ($0.name, $0.score) = ("q4", 1) }
      try context.insert(Team(id: 2))
      try context.insert(Player(id: 5, score: 5))
    }
    try write { context in
      try context.update(Player.self, id: 1) { $0.score = 7 }
      try context.delete(Player.self, id: 2)
      try context.insert(Player(id: 3, name: "other"))
      try context.update(Player.self, id: 4) { ($0.name, $0.score) = ("r4", 7) }
      try context.insert(Player(id: 6, team: Reference(2)))
      try context.update(Player.self, id: 5) { $0.score = 6 }
    }
    return changes
  }

  @Test func `a revert in conflict is refused and names each record and attribute`() throws {
    let changes = try makeConflicts()
    try context.mergeChanges()
    let before = try players()
    #expect(
      sentence { try context.revert(changes) } == """
        j: transaction 2 was not reverted: score of Player 5 was changed later; name and score of \
        Player 4 were changed later; Player 3 was inserted again later; Player 2 was deleted later; \
        score of Player 1 was changed later; team of Player 6 was set later and refers to Team 2, \
        which the revert would delete. Nothing was changed. Revert the later changes first, or keep \
        the later values.
        """)
    #expect(try players() == before && !context.hasChanges)
    // After a revert of the later transaction, nothing is in conflict.
    try context.revert(3)
    #expect(try context.revert(changes) == [])
    #expect(
      try players().sorted { $0.id < $1.id } == (1...4).map { Player(id: $0, name: "p\($0)") })
    #expect(try context.count(of: Team.self) == 1)
  }

  @Test func `a revert that keeps later values reverts the rest and returns the conflicts`() throws
  {
    let changes = try makeConflicts()
    let kept = try context.revert(changes, conflicts: .keepLaterValues)
    #expect(
      kept.map(\.kind) == [
        .changed(attributes: ["score"]), .changed(attributes: ["name", "score"]), .added, .deleted,
        .changed(attributes: ["score"]),
        .referenced(entity: "Player", id: .int(6), attribute: "team"),
      ])
    #expect(kept.map(\.id) == [.int(5), .int(4), .int(3), .int(2), .int(1), .int(2)])
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Player.self).sorted { $0.id < $1.id } == [
        Player(id: 1, name: "p1", score: 7), Player(id: 3, name: "other"),
        Player(id: 4, name: "r4", score: 7), Player(id: 5, score: 6),
        Player(id: 6, team: Reference(2)),
      ])
    #expect(try store.snapshot.count(of: Team.self) == 2)
  }

  @Test func `unsaved changes of the context are later changes`() throws {
    let insert = try write { try $0.insert(Player(id: 1, score: 1)) }
    try context.mergeChanges()
    try context.update(Player.self, id: 1) { $0.score = 2 }
    #expect(
      sentence { try context.revert(insert) } == """
        j: transaction 1 was not reverted: score of Player 1 was changed later. Nothing was changed. \
        Revert the later changes first, or keep the later values.
        """)
    try context.undo()
    try context.revert(insert)
    #expect(try players().isEmpty)
  }

  @Test func `a value that is the earlier one again is not in conflict`() throws {
    try write { context in
      for id in 1...2 { try context.insert(Player(id: id, score: id)) }
    }
    let changes = try write { context in
      try context.update(Player.self, id: 1) { ($0.name, $0.score) = ("Ann", 7) }
      try context.delete(Player.self, id: 2)
      try context.insert(Player(id: 3))
    }
    try write { context in
      try context.update(Player.self, id: 1) { $0.score = 1 }
      try context.insert(Player(id: 2, score: 2))
      try context.delete(Player.self, id: 3)
    }
    try context.revert(changes)
    #expect(try players() == [Player(id: 1, score: 1), Player(id: 2, score: 2)])
    // A second revert finds nothing to do.
    try context.saveAndWait()
    #expect(try context.revert(changes) == [])
    #expect(!context.hasChanges)
  }

  @Test func `only references that were set later keep an inserted record`() throws {
    // Player 1 refers to a team that does not exist yet.
    try write { try $0.insert(Player(id: 1, team: Reference(1))) }
    let insert = try write { context in
      try context.insert(Team(id: 1))
      try context.insert(Player(id: 2, team: Reference(1)))
    }
    try write { try $0.update(Player.self, id: 1) { $0.name = "Ann" } }
    // The rule none allows a reference to a record that does not exist.
    try write { try $0.insert(Player(id: 3, former: Reference(1))) }
    #expect(try context.revert(insert) == [])
    #expect(try context.count(of: Team.self) == 0)
    try context.undo()
    #expect(try context.count(of: Team.self) == 1)
    try write { try $0.insert(Player(id: 4, mentor: Reference(2))) }
    try context.mergeChanges()
    #expect(
      sentence { try context.revert(insert) } == """
        j: transaction 2 was not reverted: mentor of Player 4 was set later and refers to Player 2, \
        which the revert would delete; team of Player 2 was set later and refers to Team 1, which \
        the revert would delete. Nothing was changed. Revert the later changes first, or keep the \
        later values.
        """)
    // Player 2 is kept, and so is its team, which the same transaction has inserted.
    try context.revert(insert, conflicts: .keepLaterValues)
    #expect(try context.count(of: Team.self) == 1)
    #expect(try players().map(\.id) == [1, 2, 3, 4])
  }

  // MARK: Transactions

  @Test func `the error for a missing transaction names those that the context shows`() throws {
    #expect(
      sentence { try context.revert(1) }
        == "j: transaction 1 cannot be reverted: the context shows no transactions. Nothing was changed."
    )
    try write { try $0.insert(Player(id: 1)) }
    #expect(
      [0, 2].map { number in sentence { try context.revert(number) } } == [
        "j: transaction 0 cannot be reverted: the context shows no transactions. Nothing was changed.",
        "j: transaction 2 cannot be reverted: the context shows no transactions. Nothing was changed.",
      ])
    try context.mergeChanges()
    #expect(
      sentence { try context.revert(2) } == """
        j: transaction 2 cannot be reverted: the context shows only transaction 1. Nothing was \
        changed.
        """)
    try write { try $0.insert(Player(id: 2)) }
    // The context merges to show the transaction.
    try context.revert(2)
    #expect(try players() == [Player(id: 1)])
    #expect(
      sentence { try context.revert(3) } == """
        j: transaction 3 cannot be reverted: the context shows transactions 1 to 2. Nothing was \
        changed.
        """)
  }

  @Test func `a context at a moment can revert a transaction before it`() throws {
    try write { try $0.insert(Player(id: 1)) }
    try write { try $0.update(Player.self, id: 1) { $0.score = 1 } }
    try write { try $0.update(Player.self, id: 1) { $0.score = 2 } }
    let past = try store.makeContext(at: 2)
    #expect(
      sentence { try past.revert(3) } == """
        j: transaction 3 cannot be reverted: the context shows transactions 1 to 2. Nothing was \
        changed.
        """)
    try past.revert(2)
    #expect(try past.objects(Player.self) == [Player(id: 1)])
    try past.rollback()
    #expect(try past.objects(Player.self) == [Player(id: 1, score: 1)])
  }

  @Test func `a transaction that the journal no longer contains cannot be reverted`() throws {
    for id in 1...2 { try write { try $0.insert(Player(id: id)) } }
    try store.closeAndWait()
    _ = try Store.compact(at: "j", options: .simulated(disk))
    let store = try Store(at: "j", types: [Team.self, Player.self], options: .simulated(disk))
    let context = store.makeContext()
    #expect(
      sentence { try context.revert(2) }
        == "j: transaction 2 cannot be reverted: the context shows no transactions. Nothing was changed."
    )
    try context.update(Player.self, id: 1) { $0.score = 3 }
    try context.delete(Player.self, id: 2)
    try context.saveAndWait()
    // The values before the transaction are in the base.
    try context.revert(3)
    #expect(try context.objects(Player.self) == [Player(id: 1), Player(id: 2)])
  }

  @Test func `a transaction cannot be reverted during a delivery`() throws {
    try write { try $0.insert(Player(id: 1)) }
    try context.mergeChanges()
    var sentences: [String] = []
    let token = context.observe { _ in
      sentences.append(sentence { try context.revert(1) })
    }
    try context.update(Player.self, id: 1) { $0.score = 1 }
    withExtendedLifetime(token) { context.processPendingChanges() }
    #expect(
      sentences == [
        """
        j: a delegate cannot save, fetch or roll back while it is being notified. Do it after the \
        callback returns.
        """
      ])
  }
}
