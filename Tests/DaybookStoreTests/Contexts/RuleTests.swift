import DaybookJournal
import DaybookSimulation
import DaybookStore
import Testing

@Suite struct `Validation and deletion rules` {
  private struct Team: Record, Equatable {
    var id = 0
    var name: String?
    var captain: Reference<Player>?
    static let schema = RecordSchema<Team>("Team")
      .attribute("name", at: \.name, required: true)
      .owned("captain", at: \.captain)
      .unique(\.name)
  }

  private struct Player: Record, Equatable {
    var id = 0
    var name = ""
    var number = 0
    var team: Reference<Team>?
    var former: [Reference<Team>] = []
    var rival: Reference<Player>?
    var debts: [Reference<Player>] = []
    static let schema = RecordSchema<Player>("Player")
      .attribute("name", at: \.name).attribute("number", at: \.number)
      .reference("team", at: \.team, whenTargetDeleted: .nullify).references(
        "former", at: \.former, whenTargetDeleted: .nullify
      )
      .reference("rival", at: \.rival, whenTargetDeleted: .keep)
      .owned("debts", at: \.debts, whenOwnerDeleted: .deny)
      .unique(\.name, \.number)
  }

  private func make() throws -> (store: Store, context: EditingContext) {
    let store = try Store.inMemory(records: Team.self, Player.self)
    let context = store.makeContext()
    try context.insert(Team(id: 1, name: "red", captain: Reference(11)))
    try context.insert(Team(id: 2, name: "blue", captain: nil))
    for id in 11...14 {
      try context.insert(
        Player(
          id: id, name: "p\(id)", number: id, team: Reference(1),
          former: [Reference(2), Reference(1), Reference(2)]))
    }
    try context.update(Player.self, id: 12) { $0.rival = Reference(11) }
    try context.saveAndWait()
    return (store, context)
  }

  @Test
  func `a deletion cascades and clears references to deleted records in one boundary`()
    throws
  {
    let (store, context) = try make()
    var received: [[String]] = []
    let token = context.observe { event in
      guard case .transaction(let transaction) = event else { return }
      received.append(transaction.changes.map { "\($0.kind) \($0.entity) \($0.id)" })
    }
    try context.delete(Team.self, id: 1)
    withExtendedLifetime(token) { context.processPendingChanges() }
    #expect(
      received == [
        [
          "delete Team 1", "delete Player 11", "update Player 12", "update Player 13",
          "update Player 14",
        ]
      ])
    try context.saveAndWait()
    let players = try store.snapshot.objects(Player.self)
    #expect(players.map(\.id) == [12, 13, 14])
    #expect(players.allSatisfy { $0.team == nil && $0.former == [Reference(2), Reference(2)] })
    // With the rule "none" a reference may dangle, and following it returns nil.
    #expect(players[0].rival == Reference(11))
    #expect(try store.snapshot.object(players[0].rival) == nil)
  }

  @Test func `a record with a cascading reference survives the deletion of its target`() throws {
    let (store, context) = try make()
    try context.delete(Player.self, id: 11)
    try context.saveAndWait()
    #expect(
      try store.snapshot.objects(Team.self) == [
        Team(id: 1, name: "red", captain: nil), Team(id: 2, name: "blue", captain: nil),
      ])
  }

  @Test func `the error of a denied deletion names the reference`() throws {
    let (store, context) = try make()
    try context.update(Player.self, id: 13) { $0.debts = [Reference(14)] }
    try context.saveAndWait()
    try context.delete(Player.self, id: 13)
    let error = #expect(throws: StoreError.self) { try context.saveAndWait() }
    #expect(
      error?.description == """
        store in memory: Player 13 cannot be deleted while its debts is set. Nothing was saved.
        """)
    #expect(context.hasChanges && store.snapshot.sequence == 2)
    // When the other record is deleted too, nothing denies the deletion.
    try context.delete(Player.self, id: 14)
    try context.saveAndWait()
    #expect(try store.snapshot.objects(Player.self).map(\.id) == [11, 12])
  }

  @Test func `the error of a refused save names every invalid record`() throws {
    let (_, context) = try make()
    try context.insert(Team(id: 3, name: nil))
    try context.update(Team.self, id: 1) { $0.name = nil }
    let error = #expect(throws: StoreError.self) { try context.saveAndWait() }
    #expect(
      error?.description == """
        store in memory: Team 3 has no name, which is required; Team 1 has no name, which is \
        required. Nothing was saved.
        """)
    try context.delete(Team.self, id: 3)
    try context.update(Team.self, id: 1) { $0.name = "green" }
    try context.saveAndWait()
  }

  @Test func `two records cannot have the same unique values, also across contexts`() throws {
    let (store, context) = try make()
    try context.insert(Team(id: 3, name: "r\u{65}d"))
    try context.insert(Team(id: 4, name: "new"))
    try context.insert(Team(id: 5, name: "new"))
    try context.insert(Player(id: 20, name: "p11", number: 12))
    try context.insert(Player(id: 21, name: "p11", number: 11))
    let error = #expect(throws: StoreError.self) { try context.saveAndWait() }
    #expect(
      error?.description == """
        store in memory: Team 3 has the same name as Team 1; Team 5 has the same name as Team 4; \
        Player 21 has the same name and number as Player 11. Nothing was saved.
        """)
    try context.rollback()
    // Two records may exchange their unique values.
    try context.update(Team.self, id: 1) { $0.name = "blue" }
    try context.update(Team.self, id: 2) { $0.name = "red" }
    try context.saveAndWait()
    // A released name can be used again, unless another context already uses it.
    let other = store.makeContext()
    try other.delete(Team.self, id: 2)
    try other.insert(Team(id: 6, name: "red"))
    try other.saveAndWait()
    try context.insert(Team(id: 7, name: "red"))
    let second = #expect(throws: StoreError.self) { try context.saveAndWait() }
    #expect(
      second?.description
        == "store in memory: Team 7 has the same name as Team 6. Nothing was saved.")
  }
}
